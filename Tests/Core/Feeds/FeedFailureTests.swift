import Core
import Expectations

@Suite("Failures and backoff", .timeLimit(.minutes(10)))
struct FeedFailureTests {
    @Test func backoffIsFullJitterBelowADoublingCeiling() throws {
        // U(0, 2 s · 2ⁿ) at the middle: 2, 4, 8 and 16 s after the end of failure n.
        var machine = FeedMachine.fixture()
        for seconds in [2, 4, 8, 16] {
            let end = machine.nextAttempt + .seconds(1)
            let problem = try machine.fail(random: 0.5)
            expectEqual(problem.nextAttempt, end + .seconds(seconds))
            expectEqual(problem.status, .failing)
        }
        expectEqual(machine.health.consecutiveFailures, 4)
    }

    @Test func backoffCanBeZero() throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(random: 0)
        expectEqual(problem.nextAttempt, evening + .seconds(1))
    }

    @Test func backoffIsCapped() throws {
        let policy = FeedPolicy(interval: .seconds(60), failuresToOpen: 1000)
        var machine = FeedMachine.fixture(policy: policy)
        var longest = Duration.zero
        for _ in 0..<100 {
            let end = machine.nextAttempt + .seconds(1)
            let problem = try machine.fail(random: 1.0.nextDown)
            longest = max(longest, problem.nextAttempt - end)
        }
        expect(longest <= .seconds(900))
        expect(longest > .seconds(899))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 529])
    func transientStatusIsTriedAgainBeforeTheInterval(status: Int) throws {
        let policy = FeedPolicy(interval: .seconds(3600))
        var machine = FeedMachine.fixture(policy: policy)
        let problem = try machine.fail(FeedResponse(status: status))
        expect(problem.nextAttempt < evening + .seconds(600))
    }

    @Test(arguments: [204, 206, 301, 302, 307, 400, 401, 403, 404, 410, 422, 426, 600, 0, -1])
    func lastingStatusWaitsForItsTurn(status: Int) throws {
        let policy = FeedPolicy(interval: .seconds(3600))
        var machine = FeedMachine.fixture(policy: policy)
        let problem = try machine.fail(FeedResponse(status: status))
        expectEqual(problem.nextAttempt, evening + .seconds(3600))
        expectEqual(problem.reason, "status \(status)")
    }

    @Test func whatTheBodyOfAnErrorSaysIsPartOfTheReason() throws {
        var machine = FeedMachine.fixture()
        let response = FeedResponse(
            status: 429,
            retryAfter: "60",
            detail: "rateLimited: too many\nrequests"
        )
        let problem = try machine.fail(response)
        expectEqual(problem.reason, "status 429: rateLimited: too many requests, retry after 60 s")
    }

    @Test(arguments: [
        (FeedFailure.timedOut(after: .seconds(20)), "no complete response within 20.0 seconds"),
        (.connectFailed("connection refused"), "cannot connect: connection refused"),
        (.transferFailed("reset"), "transfer broke off: reset"),
    ])
    func transientFailureIsTriedAgainBeforeTheInterval(
        failure: FeedFailure,
        reason: String
    ) throws {
        var machine = FeedMachine.fixture(policy: FeedPolicy(interval: .seconds(3600)))
        _ = machine.start(now: evening)
        let outcome = machine.finish(failure, now: evening, random: 0.5)
        let problem = try outcome.requireProblem()
        expectEqual(problem.reason, reason)
        expectEqual(problem.nextAttempt, evening + .seconds(2))
    }

    @Test(arguments: [
        (FeedFailure.bodyTooLarge(limit: 8_388_608), "body over limit 8388608 bytes"),
        (.notAllowed("address 10.0.0.1"), "not allowed: address 10.0.0.1"),
    ])
    func lastingFailureWaitsForItsTurn(failure: FeedFailure, reason: String) throws {
        var machine = FeedMachine.fixture(policy: FeedPolicy(interval: .seconds(3600)))
        _ = machine.start(now: evening)
        let outcome = machine.finish(failure, now: evening, random: 0.5)
        let problem = try outcome.requireProblem()
        expectEqual(problem.reason, reason)
        expectEqual(problem.nextAttempt, evening + .seconds(3600))
    }

    @Test func rejectedBodyIsAFailure() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        _ = machine.finish(FeedResponse(status: 200), now: evening, random: 0.5)
        let problem = machine.rejected(
            "body is not JSON (starts with '<')",
            now: evening + .seconds(3),
            random: 0.5
        )
        expectEqual(problem.consecutiveFailures, 1)
        expectEqual(problem.nextAttempt, evening + .seconds(5))
        expectNil(machine.health.lastSuccess)
        expectEqual(machine.health.status, .failing)
    }

    @Test func successEndsTheRunOfFailures() throws {
        var machine = FeedMachine.fixture()
        try machine.fail()
        try machine.fail()
        machine.succeed()
        expectEqual(machine.health.status, .healthy)
        expectEqual(machine.health.consecutiveFailures, 0)
        expectEqual(machine.health.lastFailure?.reason, "status 500", "kept for the operator")
    }
}

@Suite("Retry-After, RFC 9110 §10.2.3", .timeLimit(.minutes(10)))
struct FeedRetryAfterTests {
    @Test(arguments: [429, 503, 500, 404, 301])
    func secondsAreAFloor(status: Int) throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: status, retryAfter: "600"), random: 0)
        expectEqual(problem.nextAttempt, evening + .seconds(601))
        expectEqual(problem.reason, "status \(status), retry after 600 s")
    }

    @Test func dateIsAFloor() throws {
        var machine = FeedMachine.fixture()
        let date = (evening + .seconds(600)).httpDate
        let problem = try machine.fail(FeedResponse(status: 503, retryAfter: date), random: 0)
        expectEqual(problem.nextAttempt, evening + .seconds(600))
    }

    @Test func floorIsSpreadByTheJitter() throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: 503, retryAfter: "600"), random: 0.5)
        expectEqual(problem.nextAttempt, evening + .seconds(604))
    }

    @Test func longerBackoffStands() throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: 503, retryAfter: "1"), random: 0.5)
        expectEqual(problem.nextAttempt, evening + .seconds(3))
    }

    @Test(arguments: ["", "-1", "1.5", "soon", "99 seconds", "2025-01-01T19:00:00Z"])
    func unreadableTextIsIgnored(text: String) throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: 503, retryAfter: text))
        expectEqual(problem.nextAttempt, evening + .seconds(3))
        expectEqual(problem.reason, "status 503")
    }

    @Test(arguments: ["86401", "99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func demandIsCappedAtADay(text: String) throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: 503, retryAfter: text), random: 0)
        expectEqual(problem.nextAttempt, evening + .seconds(86_401))
    }

    @Test func datePassedIsNoFloor() throws {
        var machine = FeedMachine.fixture()
        let date = (evening - .seconds(600)).httpDate
        let problem = try machine.fail(FeedResponse(status: 503, retryAfter: date))
        expectEqual(problem.nextAttempt, evening + .seconds(3))
    }

    @Test func throttlingWithoutADemandWaitsAMinute() throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: 429), random: 0)
        expectEqual(problem.nextAttempt, evening + .seconds(61))
    }

    @Test func demandSurvivesARestart() throws {
        var machine = FeedMachine.fixture()
        try machine.fail(FeedResponse(status: 429, retryAfter: "600"))
        let restarted = FeedMachine.fixture(validators: machine.validators)
        expectEqual(restarted.nextAttempt, evening + .seconds(601))
    }
}
