import Base
import Expectations

@Suite("Fair places", .timeLimit(.minutes(10)))
struct FairPlacesTests {
    @Test func neverMoreThanThereArePlaces() async throws {
        let places = FairPlaces<Int>(3)
        let running = Locked((now: 0, most: 0))
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try? await places.with(number % 7) {
                        running.withLock { running in
                            running.now += 1
                            running.most = max(running.most, running.now)
                        }
                        await Task.yield()
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        expectEqual(running.withLock(\.now), 0)
        expect((1...3).contains(running.withLock(\.most)))
    }

    /// One holds the only place, many of another wait, and then somebody with one request comes.
    @Test func nobodyWaitsBehindTheBacklogOfAnother() async throws {
        let places = FairPlaces<String>(1)
        let order = Locked<[String]>([])
        await expect(places.enter("first"))
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await places.with("greedy") { order.withLock { $0.append("greedy") } }
                }
            }
            while await places.waitingCount < 50 { await Task.yield() }
            group.addTask {
                try? await places.with("other") { order.withLock { $0.append("other") } }
            }
            while await places.waitingCount < 51 { await Task.yield() }
            await places.leave(charging: "first", 0)
        }
        let place = order.withLock { $0 }.firstIndex(of: "other")
        expectEqual(place.map { $0 <= 1 }, true)
    }

    @Test func fullLineIsRefusedAndOthersAreNot() async throws {
        let places = FairPlaces<String>(1, lineMax: 2)
        let refused = Locked(0)
        await expect(places.enter("first"))
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    do { try await places.with("greedy") {} } catch {
                        refused.withLock { $0 += 1 }
                    }
                }
            }
            while refused.withLock({ $0 }) < 3 { await Task.yield() }
            group.addTask {
                do { try await places.with("other") {} } catch { refused.withLock { $0 += 1 } }
            }
            while await places.waitingCount < 3 { await Task.yield() }
            await places.leave(charging: "first", 0)
        }
        expectEqual(refused.withLock { $0 }, 3)
    }
}
