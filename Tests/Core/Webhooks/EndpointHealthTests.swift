import Testing

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
        #expect(health.pace(now: start + .seconds(4)) == .trial, "one at a time after a failure")
        #expect(health.note(isSuccess: true, now: start + .seconds(4)) == .none)
        #expect(health.pace(now: start + .seconds(4)) == .free)
        #expect(health == EndpointHealth())
    }

    @Test func breakerOpensThenLetsOneThroughThenCloses() {
        var health = failed(EndpointHealth.failuresMax)
        let opened = start + .seconds(EndpointHealth.failuresMax - 1)
        let until = opened + EndpointHealth.pauseMin
        #expect(health.pace(now: opened) == .wait(until: until))
        #expect(health.pace(now: until + .milliseconds(-1)) == .wait(until: until))
        #expect(health.pace(now: until) == .trial)
        #expect(health.note(isSuccess: true, now: until) == .recovered)
        #expect(health.pace(now: until) == .free)
        #expect(health.failingSince == nil)
    }

    @Test func failureOnTrialOpensForTwiceAsLongUpToTheMost() {
        var health = failed(EndpointHealth.failuresMax)
        var now = start + .seconds(EndpointHealth.failuresMax - 1) + EndpointHealth.pauseMin
        for seconds in [60, 120, 240, 480, 600, 600] {
            let until = now + .seconds(seconds)
            #expect(health.note(isSuccess: false, now: now) == .opened(until: until))
            now = until
        }
    }

    @Test func attemptThatWasUnderWayWhenItOpenedChangesNothing() {
        var health = failed(EndpointHealth.failuresMax)
        let breaker = health.breaker
        #expect(health.note(isSuccess: false, now: start + .seconds(10)) == .none)
        #expect(health.breaker == breaker)
        #expect(health.failures == EndpointHealth.failuresMax + 1)
    }

    @Test func successUnderWayClosesAnOpenBreaker() {
        var health = failed(EndpointHealth.failuresMax)
        #expect(health.note(isSuccess: true, now: start + .seconds(10)) == .recovered)
        #expect(health.pace(now: start + .seconds(10)) == .free)
    }

    @Test func failuresForDaysSwitchItOff() {
        var health = failed(EndpointHealth.failuresMax)
        let end = start + EndpointHealth.disabledAfter
        let before = health.note(isSuccess: false, now: end + .milliseconds(-1))
        #expect(before != .failedForLong(since: start))
        #expect(health.note(isSuccess: false, now: end) == .failedForLong(since: start))
    }

    @Test func fewFailuresWithASilenceBetweenThemDoNotSwitchItOff() {
        var health = failed(1)
        let later = start + EndpointHealth.disabledAfter * 2
        #expect(health.note(isSuccess: false, now: later) == .none)
        #expect(health.breaker == .closed)
    }

    @Test func successInBetweenStartsTheDaysAnew() {
        var health = failed(EndpointHealth.failuresMax)
        let end = start + EndpointHealth.disabledAfter
        _ = health.note(isSuccess: true, now: end + .seconds(-1))
        #expect(health.note(isSuccess: false, now: end) == .none)
        #expect(health.failingSince == end)
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
        #expect(nextDue(rows(3), now: now) { _ in .trial }.send == [1])
        #expect(nextDue(rows(3, inFlight: 1), now: now) { _ in .trial }.send == [])
    }

    @Test func endpointWithAnOpenBreakerIsLookedAtWhenItEnds() {
        let until = now + .seconds(30)
        let plan = nextDue(rows(3), now: now) { _ in .wait(until: until) }
        #expect(plan == OutboxPlan(send: [], wakeAt: until))
    }

    @Test func openBreakerOfOneEndpointHoldsUpNoOther() {
        var rows = rows(3)
        rows[1].endpoint = "b"
        let plan = nextDue(rows, now: now) { endpoint in
            endpoint == "a" ? .wait(until: now + .seconds(1)) : .free
        }
        #expect(plan.send == [2])
    }
}
