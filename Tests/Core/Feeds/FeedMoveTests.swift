import Core
import Expectations

@Suite("Feeds that have moved, RFC 9110 §15.4", .timeLimit(.minutes(10)))
struct FeedMoveTests {
    private let move = FeedMove(from: "https://a.example/feed", to: "https://b.example/feed")

    @Test func feedIsWhereItHasMovedTo() {
        let validators = FeedValidators(move: move)
        expectEqual(validators.location(of: move.from), move.to)
        expectEqual(FeedValidators().location(of: move.from), move.from)
    }

    /// The operator has configured another URL meanwhile.
    @Test func moveFromAnotherURLDoesNotCount() {
        let validators = FeedValidators(move: move)
        expectEqual(validators.location(of: "https://c.example/"), "https://c.example/")
        expectEqual(validators.location(of: move.to), move.to)
    }

    @Test func moveIsKeptWithTheBodyThatWasAccepted() {
        var machine = FeedMachine.fixture()
        machine.succeed(FeedResponse(status: 200, move: move))
        expectEqual(machine.validators.move, move)
        machine.succeed()
        expectEqual(machine.validators.move, move, "the next answer comes from the new place")
    }

    @Test func moveIsKeptWithA304() {
        var machine = FeedMachine.fixture(validators: FeedValidators(etag: "\"a\""))
        let start = machine.startWhenDue()
        _ = machine.finish(FeedResponse(status: 304, move: move), now: start, random: 0.5)
        expectEqual(machine.validators.move, move)
    }

    @Test func moveOfARejectedBodyIsForgotten() {
        var machine = FeedMachine.fixture()
        let start = machine.startWhenDue()
        _ = machine.finish(FeedResponse(status: 200, move: move), now: start, random: 0.5)
        _ = machine.rejected("no feed", now: start, random: 0.5)
        expectNil(machine.validators.move)
    }

    @Test(arguments: [404, 410])
    func feedThatIsNotWhereItMovedToIsAskedForWhereItWas(status: Int) throws {
        var machine = FeedMachine.fixture(validators: FeedValidators(move: move))
        try machine.fail(FeedResponse(status: status))
        expectNil(machine.validators.move)
    }

    @Test(arguments: [400, 403, 429, 500, 503])
    func otherFailuresLeaveItWhereItIs(status: Int) throws {
        var machine = FeedMachine.fixture(validators: FeedValidators(move: move))
        try machine.fail(FeedResponse(status: status))
        expectEqual(machine.validators.move, move)
    }

    // MARK: What the body itself demands

    @Test func bodyMayDemandALaterRequest() {
        var machine = FeedMachine.fixture()
        let start = machine.startWhenDue()
        _ = machine.finish(FeedResponse(status: 200), now: start, random: 0.5)
        machine.accepted(notBefore: start + .seconds(3600), now: start, random: 0.5)
        expect(machine.nextAttempt >= start + .seconds(3600))
        expectEqual(machine.validators.notBefore, start + .seconds(3600))
    }

    @Test func bodyCannotDemandAnEarlierRequest() {
        var machine = FeedMachine.fixture(
            policy: FeedPolicy(interval: .seconds(60), honoursExpires: true)
        )
        let start = machine.startWhenDue()
        let response = FeedResponse(status: 200, cacheControl: "max-age=600")
        _ = machine.finish(response, now: start, random: 0.5)
        machine.accepted(notBefore: start + .seconds(120), now: start, random: 0.5)
        expect(machine.nextAttempt >= start + .seconds(600))
    }
}
