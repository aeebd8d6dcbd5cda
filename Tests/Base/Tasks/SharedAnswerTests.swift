import Base
import Expectations

@Suite("Shared answers", .timeLimit(.minutes(10)))
struct SharedAnswerTests {
    @Test func answersAreMadeOneAtATimeHoweverManyAsk() async {
        let shared = SharedAnswer<Int>()
        let running = Locked(0)
        let most = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await shared.value {
                        let count = running.withLock { count in
                            count += 1
                            return count
                        }
                        for _ in 0..<10 { await Task.yield() }
                        running.withLock { $0 -= 1 }
                        return count
                    }
                }
            }
            return await group.reduce(0, max)
        }
        expectEqual(most, 1)
    }

    @Test func nextAnswerIsMadeAnew() async {
        let shared = SharedAnswer<Int>()
        await expectEqual(shared.value { 1 }, 1)
        await expectEqual(shared.value { 2 }, 2)
    }

    @Test func callerThatMustNotWaitGetsNothingAndTheAnswerIsStillMadeOnce() async {
        let shared = SharedAnswer<Int>()
        let (values, value) = AsyncStream<Int>.makeStream()
        let made = Locked(0)
        @Sendable func make() async -> Int {
            made.withLock { $0 += 1 }
            return await values.first { _ in true } ?? 0
        }
        let over = ProcessTimer { _ in }
        for _ in 0..<3 { await expectNil(shared.value(within: .seconds(1), over, make)) }
        async let late = shared.value(make)
        while made.withLock({ $0 }) == 0 { await Task.yield() }
        value.yield(7)
        await expectEqual(late, 7)
        expectEqual(made.withLock { $0 }, 1)
    }

    @Test func answerInTimeIsReturned() async {
        let shared = SharedAnswer<Int>()
        let never = ProcessTimer { _ in try await Task.sleep(for: .seconds(3600)) }
        await expectEqual(shared.value(within: .seconds(1), never) { 3 }, 3)
    }
}
