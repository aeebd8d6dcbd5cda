import Feeds
import Testing
import Timekeeping

@Suite("Log lines", .timeLimit(.minutes(10)))
struct FeedProblemTests {
    @Test func rejectedBodyIsToldInOneLine() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        let problem = machine.rejected(
            "body is not JSON (starts with '<')",
            now: evening + .seconds(300),
            random: 0.5
        )
        #expect(
            "\(problem)" == "feed swpc.ovation failed: body is not JSON (starts with '<');"
                + " next attempt 2025-01-01T18:05:02Z"
        )
    }

    @Test func openCircuitIsTold() throws {
        var machine = FeedMachine.fixture()
        var line = ""
        for _ in 0..<5 { line = try machine.fail(random: 0).description }
        #expect(
            line == "feed swpc.ovation failed: status 500; circuit open after 5 failures;"
                + " next attempt 2025-01-01T18:01:05Z"
        )
    }

    @Test func stoppedFeedIsTold() throws {
        var machine = FeedMachine.fixture(
            policy: FeedPolicy(interval: .seconds(60), stopsOn: [403])
        )
        let problem = try machine.fail(FeedResponse(status: 403), random: 0)
        #expect(
            "\(problem)" == "feed swpc.ovation stopped: status 403;"
                + " next attempt 2025-01-02T00:00:01Z"
        )
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
        #expect(machine.health.lastFailure?.reason.count == expected)
    }

    @Test func controlCharactersCannotBreakTheLine() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(.connectFailed("a\r\nb\u{1B}[31m\u{85}"), now: evening, random: 0.5)
        #expect(machine.health.lastFailure?.reason == "cannot connect: a  b [31m ")
    }
}
