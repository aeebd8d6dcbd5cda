import Core
import Expectations

@Suite("Polling", .timeLimit(.minutes(10)))
struct FeedPollingTests {
    @Test func firstAttemptsSpreadOverTwoSeconds() {
        let policy = FeedPolicy(interval: .seconds(60))
        let machine = FeedMachine(
            name: "kp",
            policy: policy,
            validators: FeedValidators(),
            now: evening,
            random: 0.75
        )
        expectEqual(machine.nextAttempt, evening + .milliseconds(1500))
        expectEqual(machine.health.status, .starting)
        expectNil(machine.health.lastAttempt)
    }

    @Test(arguments: [(0.0, 54_000), (0.5, 60_000), (0.75, 63_000)])
    func nextStartIsLastStartPlusJitteredInterval(random: Double, milliseconds: Int64) {
        var machine = FeedMachine.fixture()
        machine.succeed(random: random)
        expectEqual(machine.nextAttempt, evening + .milliseconds(milliseconds))
    }

    @Test func nextStartNeverReachesTheUpperBoundOfTheJitter() {
        var machine = FeedMachine.fixture()
        machine.succeed(random: 1.0.nextDown)
        expect(machine.nextAttempt <= evening + .seconds(66))
    }

    @Test func postponedAttemptIsNotMadeBefore() {
        var machine = FeedMachine.fixture()
        machine.postpone(until: evening + .seconds(500), now: evening, random: 0)
        expectEqual(machine.health.nextAttempt, evening + .seconds(500))
        expectNil(machine.start(now: evening + .seconds(499)))
        expect(machine.start(now: evening + .seconds(500)) != nil)
        expectEqual(machine.health.consecutiveFailures, 0)
    }

    @Test func postponedAttemptsSpread() {
        var machine = FeedMachine.fixture()
        machine.postpone(until: evening + .seconds(500), now: evening, random: 0.5)
        expectEqual(machine.nextAttempt, evening + .seconds(501))
    }

    @Test func attemptIsNeverMovedForwardByPostponing() {
        var machine = FeedMachine.fixture()
        machine.succeed()
        machine.postpone(until: evening + .seconds(2), now: evening + .seconds(2), random: 0)
        expectEqual(machine.nextAttempt, evening + .seconds(60))
    }

    @Test func attemptUnderWayIsNotPostponed() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        machine.postpone(until: evening + .seconds(500), now: evening, random: 0)
        _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        machine.postpone(until: evening + .seconds(500), now: evening, random: 0)
        machine.accepted(now: evening, random: 0.5)
        expectEqual(machine.nextAttempt, evening + .seconds(60))
    }

    @Test func responseSlowerThanTheIntervalIsFollowedAtOnce() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        let end = evening + .seconds(90)
        _ = machine.finish(FeedResponse(status: 200), now: end, random: 0.5)
        machine.accepted(now: end, random: 0.5)
        expectEqual(machine.nextAttempt, end)
        expectEqual(machine.wait(now: end), .zero)
    }

    @Test func attemptIsNotStartedBeforeItIsDue() {
        var machine = FeedMachine.fixture()
        machine.succeed()
        let due = machine.nextAttempt
        let before = due - .milliseconds(1)
        expectNil(machine.start(now: before))
        expectEqual(machine.health.lastAttempt, evening)
        expectEqual(machine.wait(now: before), .milliseconds(1))
        expect(machine.start(now: due) != nil)
        expectEqual(machine.health.lastAttempt, due)
    }

    @Test func secondStartIsRefusedWhileARequestIsUnderWay() {
        var machine = FeedMachine.fixture()
        expect(machine.start(now: evening) != nil)
        expectNil(machine.start(now: evening + .seconds(3600)))
        expectNil(machine.wait(now: evening + .seconds(3600)))
        expectEqual(machine.health.lastAttempt, evening)
    }

    @Test func secondStartIsRefusedWhileTheBodyIsJudged() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        expectNil(machine.start(now: evening + .seconds(3600)))
        expectNil(machine.wait(now: evening + .seconds(3600)))
    }

    @Test func acceptedBodyMakesTheFeedHealthy() {
        var machine = FeedMachine.fixture()
        machine.succeed()
        let health = machine.health
        expectEqual(health.status, .healthy)
        expectEqual(health.consecutiveFailures, 0)
        expectEqual(health.lastAttempt, evening)
        expectEqual(health.lastSuccess, evening + .seconds(1))
        expectNil(health.lastFailure)
        expectEqual(health.nextAttempt, machine.nextAttempt)
    }

    @Test func status203IsASuccessWithAWarning() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        let outcome = machine.finish(
            FeedResponse(status: 203, etag: "\"a\""),
            now: evening,
            random: 0.5
        )
        guard case .body(let validators, let warning) = outcome else {
            Issue.record("203 gave \(outcome)")
            return
        }
        expectEqual(validators.etag, "\"a\"")
        expectEqual(warning, "status 203: product is deprecated or changed by a proxy")
        machine.accepted(now: evening, random: 0.5)
        expectEqual(machine.health.status, .healthy)
    }

    @Test func feedIsStaleWhenTheLastSuccessIsOlderThanThePolicySays() {
        var machine = FeedMachine.fixture()
        expect(!machine.isStale(now: evening + .seconds(180)))
        expect(machine.isStale(now: evening + .milliseconds(180_001)))
        machine.succeed()
        expect(!machine.isStale(now: evening + .seconds(181)))
        expect(machine.isStale(now: evening + .milliseconds(181_001)))
    }

    @Test func clockSetBackMovesTheNextAttemptWithIt() {
        var machine = FeedMachine.fixture()
        machine.succeed()
        // Decided at +1 s for +60 s.
        let hourAgo = evening - .seconds(3600)
        expectEqual(machine.wait(now: hourAgo), .seconds(59))
        expectNil(machine.start(now: hourAgo + .seconds(58)))
        expect(machine.start(now: hourAgo + .seconds(59)) != nil)
    }

    @Test func clockSetBackDuringARequestDoesNotDelayTheNextOne() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        let end = evening - .seconds(3600)
        _ = machine.finish(FeedResponse(status: 200), now: end, random: 0.5)
        machine.accepted(now: end, random: 0.5)
        expectEqual(machine.nextAttempt, end + .seconds(60))
    }

    @Test func finishWithoutAStartTraps() async {
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        }
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            _ = machine.finish(.connectFailed("refused"), now: evening, random: 0.5)
        }
    }

    @Test func secondFinishTraps() async {
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            _ = machine.start(now: evening)
            _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
            _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        }
    }

    @Test func verdictWithoutABodyTraps() async {
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            machine.accepted(now: evening, random: 0.5)
        }
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            _ = machine.rejected("no", now: evening, random: 0.5)
        }
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            _ = machine.start(now: evening)
            machine.accepted(now: evening, random: 0.5)
        }
        await #expect(processExitsWith: .failure) {
            var machine = FeedMachine.fixture()
            _ = machine.start(now: evening)
            _ = machine.rejected("no", now: evening, random: 0.5)
        }
    }
}
