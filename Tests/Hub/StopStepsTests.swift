import Expectations
import HubTesting

@testable import Hub

@Suite("The steps of a shutdown", .timeLimit(.minutes(10)))
struct StopStepsTests {
    private struct Broken: Error {}

    @Test func stepsThatEndInTimeAreProper() async {
        var steps = StopSteps(silentLogger)
        let order = Locked<[Int]>([])
        for number in 1...3 {
            await steps.run("\(number)", within: .seconds(3600)) {
                await Task.yield()
                order.withLock { $0.append(number) }
            }
        }
        expectEqual(order.withLock { $0 }, [1, 2, 3])
        expect(steps.areProper)
    }

    /// A step that fails must not keep the store from being closed.
    @Test func stepThatFailsIsNotProperAndTheNextOneHappens() async {
        var steps = StopSteps(silentLogger)
        await steps.run("broken", within: .seconds(3600)) { throw Broken() }
        let isDone = Locked(false)
        await steps.run("next", within: .seconds(3600)) { isDone.withLock { $0 = true } }
        expect(isDone.withLock { $0 })
        expect(!steps.areProper)
    }

    @Test func stepThatDoesNotEndIsLeftBehind() async {
        var steps = StopSteps(silentLogger)
        let (ending, end) = AsyncStream<Void>.makeStream()
        await steps.run("stuck", within: .milliseconds(1)) { for await _ in ending {} }
        expect(!steps.areProper)
        end.finish()
    }

    @Test(arguments: [(1, 3 + 3 * 5 + 1), (15, 17 + 3 * 15 + 1)])
    func deadlinesFollowFromTheTimeoutOfTheDrain(timeout: Int, total: Int) {
        var drain = Configuration.Drain()
        drain.timeout = .seconds(timeout)
        expectEqual(StopDeadlines(drain).total, .seconds(total))
    }
}
