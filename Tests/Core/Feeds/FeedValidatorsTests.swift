import Core
import Expectations
import Foundation

@Suite("Conditional requests, RFC 9110 §13", .timeLimit(.minutes(10)))
struct FeedValidatorsTests {
    private let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test func firstRequestIsUnconditional() throws {
        var machine = FeedMachine.fixture()
        let started = machine.start(now: evening)
        let headers = try require(started)
        expect(headers.isEmpty)
    }

    @Test func requestRepeatsBothValidatorsExactly() throws {
        var machine = FeedMachine.fixture()
        // An obsolete date form, to see that it is not parsed and written anew.
        machine.succeed(
            FeedResponse(
                status: 200,
                etag: "W/\"7\"",
                lastModified: "Sunday, 06-Nov-94 08:49:37 GMT"
            )
        )
        let started = machine.start(now: machine.nextAttempt)
        let headers = try require(started)
        expectEqual(headers.map(\.name), ["If-None-Match", "If-Modified-Since"])
        expectEqual(headers.map(\.value), ["W/\"7\"", "Sunday, 06-Nov-94 08:49:37 GMT"])
    }

    @Test(
        arguments: [
            (nil, nil, true), (-60, nil, false), (-65, nil, false), (-66, nil, true),
            (-7200, nil, true), (-7200, 1, false), (-7200, 0, true), (nil, 1, false),
            (60, nil, true),
        ] as [(Int?, Int?, Bool)]
    )
    func feedIsDueAtTheStartWhenItIsOverdueAndMayBeAsked(
        fetched: Int?,
        notBefore: Int?,
        isDue: Bool
    ) {
        let validators = FeedValidators(
            notBefore: notBefore.map { evening + .seconds($0) },
            fetched: fetched.map { evening + .seconds($0) }
        )
        let policy = FeedPolicy(interval: .seconds(60))
        expectEqual(validators.isDue(policy, now: evening), isDue)
    }

    @Test func validatorsAreTakenOverWhenTheBodyIsAccepted() {
        var machine = FeedMachine.fixture()
        _ = machine.start(now: evening)
        let outcome = machine.finish(
            FeedResponse(status: 200, lastModified: modified),
            now: evening + .seconds(2),
            random: 0.5
        )
        let expected = FeedValidators(lastModified: modified, fetched: evening)
        expectEqual(outcome, .body(validators: expected, warning: nil))
        expectEqual(machine.validators, FeedValidators(), "before the verdict")
        machine.accepted(now: evening + .seconds(3), random: 0.5)
        expectEqual(machine.validators, expected)
    }

    @Test func validatorsOfARejectedBodyAreForgotten() {
        let stored = FeedValidators(etag: "\"old\"")
        var machine = FeedMachine.fixture(validators: stored)
        _ = machine.start(now: evening)
        _ = machine.finish(FeedResponse(status: 200, etag: "\"new\""), now: evening, random: 0.5)
        _ = machine.rejected("not JSON", now: evening, random: 0.5)
        expectEqual(machine.validators, stored)
    }

    @Test func validatorsThatABodyLacksAreDropped() {
        var machine = FeedMachine.fixture(
            validators: FeedValidators(etag: "\"a\"", lastModified: modified)
        )
        machine.succeed(FeedResponse(status: 200, etag: "\"b\""))
        expectEqual(machine.validators.etag, "\"b\"")
        expectNil(machine.validators.lastModified)
    }

    @Test func notModifiedIsASuccessThatKeepsTheValidators() {
        var machine = FeedMachine.fixture(
            validators: FeedValidators(etag: "\"a\"", lastModified: modified)
        )
        _ = machine.start(now: evening)
        let outcome = machine.finish(FeedResponse(status: 304), now: evening, random: 0.5)
        let expected = FeedValidators(etag: "\"a\"", lastModified: modified, fetched: evening)
        expectEqual(outcome, .notModified(validators: expected))
        expectEqual(machine.validators, expected)
        expectEqual(machine.health.status, .healthy)
        expectEqual(machine.nextAttempt, evening + .seconds(60))
    }

    @Test func notModifiedMayRenewAValidator() {
        var machine = FeedMachine.fixture(
            validators: FeedValidators(etag: "\"a\"", lastModified: modified)
        )
        _ = machine.start(now: evening)
        _ = machine.finish(FeedResponse(status: 304, etag: "\"b\""), now: evening, random: 0.5)
        expectEqual(machine.validators.etag, "\"b\"")
        expectEqual(machine.validators.lastModified, modified)
    }

    @Test func notModifiedWithoutConditionsIsAFailure() throws {
        var machine = FeedMachine.fixture()
        let problem = try machine.fail(FeedResponse(status: 304))
        expectEqual(problem.reason, "status 304 to a request without conditions")
        expectNil(machine.health.lastSuccess)
    }

    @Test func validatorOverTheLimitIsNotKept() {
        var machine = FeedMachine.fixture()
        machine.succeed(
            FeedResponse(
                status: 200,
                etag: String(repeating: "e", count: FeedValidators.lengthMax),
                lastModified: String(repeating: "m", count: FeedValidators.lengthMax + 1)
            )
        )
        expectEqual(machine.validators.etag?.count, FeedValidators.lengthMax)
        expectNil(machine.validators.lastModified)
    }

    @Test func storedFormReadsBack() throws {
        let validators = FeedValidators(
            etag: "\"a\"",
            lastModified: modified,
            notBefore: evening,
            fetched: evening
        )
        let stored = try JSONEncoder().encode(validators)
        try expectEqual(JSONDecoder().decode(FeedValidators.self, from: stored), validators)
    }

    @Test func storedFormOfAnEarlierFeedReadsBack() throws {
        let stored = Data(#"{"etag":"\"a\"","notBefore":1766340000000}"#.utf8)
        let validators = try JSONDecoder().decode(FeedValidators.self, from: stored)
        expectEqual(validators, FeedValidators(etag: "\"a\"", notBefore: evening))
        try expectEqual(JSONDecoder().decode(FeedValidators.self, from: Data("{}".utf8)), .init())
    }
}

@Suite("A feed after a restart", .timeLimit(.minutes(10)))
struct FeedRestartTests {
    @Test func restartKeepsTheIntervalOfTheLastSuccess() {
        let machine = FeedMachine.fixture(
            validators: FeedValidators(fetched: evening - .seconds(20))
        )
        expectEqual(machine.nextAttempt, evening + .seconds(34), "54 s after the last start")
        expectEqual(machine.health.lastSuccess, evening - .seconds(20))
    }

    @Test func crashLoopDoesNotPollMoreOftenThanTheInterval() {
        var starts: [Timestamp] = []
        var validators = FeedValidators()
        for restart in 0..<100 {
            let now = evening + .seconds(restart * 5)
            var machine = FeedMachine(
                name: "news",
                policy: FeedPolicy(interval: .seconds(100)),
                validators: validators,
                now: now,
                random: 0
            )
            guard machine.start(now: now) != nil else { continue }
            starts.append(now)
            _ = machine.finish(FeedResponse(status: 200), now: now, random: 0.5)
            machine.accepted(now: now, random: 0.5)
            validators = machine.validators
        }
        expectEqual(starts, stride(from: 0, to: 500, by: 90).map { evening + .seconds($0) })
    }

    @Test func longSilenceBeforeTheRestartMakesTheFeedDueAndStale() {
        let machine = FeedMachine.fixture(
            validators: FeedValidators(fetched: evening - .seconds(86_400))
        )
        expectEqual(machine.nextAttempt, evening)
        expect(machine.isStale(now: evening))
    }

    @Test func successInTheFutureIsNotBelieved() {
        let machine = FeedMachine.fixture(
            validators: FeedValidators(fetched: evening + .milliseconds(1))
        )
        expectEqual(machine.nextAttempt, evening)
        expectNil(machine.health.lastSuccess)
    }

    @Test func restartWaitsForExpires() {
        let machine = FeedMachine.fixture(
            validators: FeedValidators(notBefore: evening + .seconds(1800))
        )
        expectEqual(machine.nextAttempt, evening + .seconds(1800))
    }

    @Test func storedFloorIsCapped() {
        let machine = FeedMachine.fixture(
            validators: FeedValidators(notBefore: evening + .seconds(86_400 * 400))
        )
        expectEqual(machine.nextAttempt, evening + .seconds(86_400))
    }
}
