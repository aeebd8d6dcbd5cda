import Expectations

@testable import Core

@Suite("Endpoint health: breaker and giving up", .timeLimit(.minutes(10)))
struct EndpointHealthTests {
    private let start = Timestamp(milliseconds: 1_766_314_800_000)

    /// After so many failures, a second apart.
    private func failed(_ count: Int) -> EndpointHealth {
        var health = EndpointHealth()
        for index in 0..<count {
            _ = health.note(isSuccess: false, now: start + .seconds(index))
        }
        return health
    }

    @Test func breakerStaysClosedBelowItsNumberOfFailures() {
        var health = failed(EndpointHealth.failuresMax - 1)
        expectEqual(health.pace(now: start + .seconds(4)), .trial, "one at a time after a failure")
        expectEqual(health.note(isSuccess: true, now: start + .seconds(4)), .none)
        expectEqual(health.pace(now: start + .seconds(4)), .free)
        expectEqual(health, EndpointHealth())
    }

    @Test func breakerOpensThenLetsOneThroughThenCloses() {
        var health = failed(EndpointHealth.failuresMax)
        let opened = start + .seconds(EndpointHealth.failuresMax - 1)
        let until = opened + EndpointHealth.pauseMin
        expectEqual(health.pace(now: opened), .wait(until: until))
        expectEqual(health.pace(now: until + .milliseconds(-1)), .wait(until: until))
        expectEqual(health.pace(now: until), .trial)
        expectEqual(health.note(isSuccess: true, now: until), .recovered)
        expectEqual(health.pace(now: until), .free)
        expectNil(health.failingSince)
    }

    @Test func failureOnTrialOpensForTwiceAsLongUpToTheMost() {
        var health = failed(EndpointHealth.failuresMax)
        var now = start + .seconds(EndpointHealth.failuresMax - 1) + EndpointHealth.pauseMin
        for seconds in [60, 120, 240, 480, 600, 600] {
            let until = now + .seconds(seconds)
            expectEqual(health.note(isSuccess: false, now: now), .opened(until: until))
            now = until
        }
    }

    @Test func attemptThatWasUnderWayWhenItOpenedChangesNothing() {
        var health = failed(EndpointHealth.failuresMax)
        let breaker = health.breaker
        expectEqual(health.note(isSuccess: false, now: start + .seconds(10)), .none)
        expectEqual(health.breaker, breaker)
        expectEqual(health.failures, EndpointHealth.failuresMax + 1)
    }

    @Test func successUnderWayClosesAnOpenBreaker() {
        var health = failed(EndpointHealth.failuresMax)
        expectEqual(health.note(isSuccess: true, now: start + .seconds(10)), .recovered)
        expectEqual(health.pace(now: start + .seconds(10)), .free)
    }

    @Test func failuresForDaysSwitchItOff() {
        var health = failed(EndpointHealth.failuresMax)
        let end = start + EndpointHealth.disabledAfter
        let before = health.note(isSuccess: false, now: end + .milliseconds(-1))
        expect(before != .failedForLong(since: start))
        expectEqual(health.note(isSuccess: false, now: end), .failedForLong(since: start))
    }

    @Test func fewFailuresWithASilenceBetweenThemDoNotSwitchItOff() {
        var health = failed(1)
        let later = start + EndpointHealth.disabledAfter * 2
        expectEqual(health.note(isSuccess: false, now: later), .none)
        expectEqual(health.breaker, .closed)
    }

    @Test func successInBetweenStartsTheDaysAnew() {
        var health = failed(EndpointHealth.failuresMax)
        let end = start + EndpointHealth.disabledAfter
        _ = health.note(isSuccess: true, now: end + .seconds(-1))
        expectEqual(health.note(isSuccess: false, now: end), .none)
        expectEqual(health.failingSince, end)
    }
}

@Suite("Outbox order: pace of an endpoint", .timeLimit(.minutes(10)))
struct OutboxPaceTests {
    private let now = Timestamp(milliseconds: 1_766_314_800_000)

    private func rows(_ count: Int, endpoint: String = "a", inFlight: Int = 0) -> [OutboxRow] {
        (1...count).map {
            OutboxRow(
                id: Int64($0),
                endpoint: endpoint,
                subject: nil,
                delivery: Delivery(now: now),
                isInFlight: $0 <= inFlight
            )
        }
    }

    @Test func endpointOnTrialGetsOneAttemptAtATime() {
        expectEqual(nextDue(rows(3), now: now) { _ in .trial }.send, [1])
        expectEqual(nextDue(rows(3, inFlight: 1), now: now) { _ in .trial }.send, [])
    }

    @Test func endpointWithAnOpenBreakerIsLookedAtWhenItEnds() {
        let until = now + .seconds(30)
        let plan = nextDue(rows(3), now: now) { _ in .wait(until: until) }
        expectEqual(plan, OutboxPlan(send: [], wakeAt: until))
    }

    @Test func openBreakerOfOneEndpointHoldsUpNoOther() {
        var rows = rows(3)
        rows[1].endpoint = "b"
        let plan = nextDue(rows, now: now) { endpoint in
            endpoint == "a" ? .wait(until: now + .seconds(1)) : .free
        }
        expectEqual(plan.send, [2])
    }
}
