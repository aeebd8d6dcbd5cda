import Locking
import Testing

@testable import HubServer

@Suite(.timeLimit(.minutes(10))) struct PlacesTests {
    @Test func neverMoreThanThereArePlaces() async {
        let places = Places(3)
        let running = Locked((now: 0, most: 0))
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    await places.with {
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
        #expect(running.withLock(\.now) == 0)
        #expect((1...3).contains(running.withLock(\.most)))
    }

    @Test func onePlaceServesOneAfterAnother() async {
        let places = Places(1)
        let sum = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { await places.with { sum.withLock { $0 += 1 } } }
            }
        }
        #expect(sum.withLock { $0 } == 100)
    }
}
