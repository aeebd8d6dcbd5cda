import Core
import Expectations

@Suite("Problems of a feed", .timeLimit(.minutes(10)))
struct FeedProblemTests {
    @Test func rejectedBodyIsAFailureWithItsReason() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        let problem = machine.rejected(
            "body is not JSON (starts with '<')",
            now: evening + .seconds(300),
            random: 0.5
        )
        expectEqual(problem.feed, "swpc.ovation")
        expectEqual(problem.reason, "body is not JSON (starts with '<')")
        expectEqual(problem.status, .failing)
        expectEqual(problem.nextAttempt.iso8601Seconds, "2025-12-21T18:05:02Z")
    }

    @Test func openCircuitHasTheNumberOfFailures() throws {
        var machine = FeedMachine.fixture()
        for _ in 0..<4 { _ = try machine.fail(random: 0) }
        let problem = try machine.fail(random: 0)
        expectEqual(problem.reason, "status 500")
        expectEqual(problem.status, .open)
        expectEqual(problem.consecutiveFailures, 5)
        expectEqual(problem.nextAttempt.iso8601Seconds, "2025-12-21T18:01:05Z")
    }

    @Test func stoppedFeedIsProbedLater() throws {
        var machine = FeedMachine.fixture(
            policy: FeedPolicy(interval: .seconds(60), stopsOn: [403])
        )
        let problem = try machine.fail(FeedResponse(status: 403), random: 0)
        expectEqual(problem.reason, "status 403")
        expectEqual(problem.status, .stopped)
        expectEqual(problem.nextAttempt.iso8601Seconds, "2025-12-22T00:00:01Z")
    }

    @Test(arguments: [(200, 200), (201, 200)])
    func longReasonIsClipped(length: Int, expected: Int) {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(
            .connectFailed(String(repeating: "x", count: length - "cannot connect: ".count)),
            now: evening,
            random: 0.5
        )
        expectEqual(machine.health.lastFailure?.reason.count, expected)
    }

    @Test func controlCharactersCannotBreakTheLine() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(.connectFailed("a\r\nb\u{1B}[31m\u{85}"), now: evening, random: 0.5)
        expectEqual(machine.health.lastFailure?.reason, "cannot connect: a  b [31m ")
    }
}
