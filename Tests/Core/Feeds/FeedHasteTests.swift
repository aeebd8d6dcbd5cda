import Core
import Expectations

@Suite("Feeds whose data are needed before their turn", .timeLimit(.minutes(10)))
struct FeedHasteTests {
    private let policy = FeedPolicy(interval: .seconds(900), hastenedInterval: .seconds(300))

    /// Answered at `evening`; its turn is a quarter of an hour later.
    private func answered(_ response: FeedResponse = FeedResponse(status: 200)) -> FeedMachine {
        var machine = FeedMachine.fixture(policy: policy)
        _ = machine.start(now: evening)
        if case .body = machine.finish(response, now: evening, random: 0.5) {
            machine.accepted(now: evening, random: 0.5)
        }
        return machine
    }

    @Test func attemptIsBroughtForwardToTheHastenedInterval() {
        var machine = answered()
        expectEqual(machine.nextAttempt, evening + .seconds(900))
        machine.hasten(now: evening + .seconds(60), random: 0)
        expectEqual(machine.nextAttempt, evening + .seconds(300))
        machine.hasten(now: evening + .seconds(120), random: 0.9)
        expectEqual(machine.nextAttempt, evening + .seconds(300), "and never moved back")
        var late = answered()
        late.hasten(now: evening + .seconds(600), random: 0)
        expectEqual(late.wait(now: evening + .seconds(600)), .zero)
    }

    @Test func hasteDoesNotOutrunTheUpstreamNorTheCaller() {
        var refused = answered(
            FeedResponse(status: 503, retryAfter: "600")
        )
        refused.hasten(now: evening + .seconds(400), random: 0)
        expect(refused.nextAttempt >= evening + .seconds(600))
        var held = answered()
        held.postpone(until: evening + .seconds(2000), now: evening, random: 0)
        held.hasten(now: evening + .seconds(1000), random: 0)
        expectEqual(held.nextAttempt, evening + .seconds(2000))
    }

    @Test func openCircuitIsNotHastened() throws {
        var machine = FeedMachine.fixture(policy: policy)
        for _ in 0..<policy.failuresToOpen { try machine.fail(FeedResponse(status: 404)) }
        expectEqual(machine.health.status, .open)
        let next = machine.nextAttempt
        machine.hasten(now: next - .seconds(1), random: 0)
        expectEqual(machine.nextAttempt, next)
    }

    @Test func hastenedIntervalIsNoLongerThanTheInterval() {
        expectEqual(FeedPolicy(interval: .seconds(60)).hastenedInterval, .seconds(60))
        let long = FeedPolicy(interval: .seconds(60), hastenedInterval: .seconds(300))
        expectEqual(long.hastenedInterval, .seconds(60))
    }
}
