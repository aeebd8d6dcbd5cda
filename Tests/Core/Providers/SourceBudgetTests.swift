import Expectations
import SeededRandom

@testable import Core

@Suite("Sources: the daily budget", .timeLimit(.minutes(10)))
struct SourceBudgetTests {
    private static let midnight = Timestamp(milliseconds: Int64(sourceDay + 1) * 86_400_000)

    private func machine(
        tokens: Int = 0,
        requests: Int = 0,
        spent: DaySpending = DaySpending(day: sourceDay)
    ) -> SourceMachine {
        SourceMachine(
            policy: SourcePolicy(
                concurrencyMax: 3,
                dailyTokensMax: tokens,
                dailyRequestsMax: requests
            ),
            spent: spent
        )
    }

    private func usage(_ tokens: Int) -> AttemptResult {
        .answered(TokenUsage(inputTokens: tokens, outputTokens: 0))
    }

    private func finish(
        _ machine: inout SourceMachine,
        _ result: AttemptResult,
        tokens: Int = 100,
        day: Int = sourceDay
    ) {
        let reservation = Reservation(day: day, tokens: tokens)
        _ = machine.finish(result, of: reservation, attempt: 1, now: sourceNoon, random: 0)
    }

    @Test func reservationIsInWhatIsStoredBeforeSending() {
        var machine = machine(tokens: 1000)
        expectEqual(
            machine.admit(tokens: 100, now: sourceNoon),
            .go(
                Reservation(day: sourceDay, tokens: 100),
                spent: DaySpending(day: sourceDay, requests: 1, tokens: 100)
            )
        )
    }

    @Test(arguments: [
        (AttemptResult.answered(TokenUsage(inputTokens: 20, outputTokens: 10)), 30),
        (.answered(TokenUsage(inputTokens: 200, outputTokens: 10)), 210),
        (.answered(nil), 100),
        (.unreachable, 100),
        (.failed(.retryable(reason: "r", after: nil, isOverload: true)), 100),
        (.failed(.retryable(reason: "r", after: nil, isOverload: false)), 0),
        (.failed(.permanent(reason: "r")), 0),
        (.failed(.disabled(reason: "r")), 0),
        (.notSent, 0),
    ])
    func resultSettlesTheReservation(result: AttemptResult, tokens: Int) {
        var machine = machine(tokens: 1000)
        _ = machine.admit(tokens: 100, now: sourceNoon)
        finish(&machine, result)
        expectEqual(machine.spent, DaySpending(day: sourceDay, requests: 1, tokens: tokens))
    }

    @Test func dayEndsAtItsLastToken() {
        var machine = machine(tokens: 200)
        _ = machine.admit(tokens: 100, now: sourceNoon)
        _ = machine.admit(tokens: 99, now: sourceNoon)
        let reason = "the day's tokens are used up"
        expectEqual(
            machine.admit(tokens: 2, now: sourceNoon),
            .later(Self.midnight, reason: reason)
        )
        guard case .go = machine.admit(tokens: 1, now: sourceNoon) else {
            Issue.record("the last token was not given")
            return
        }
        finish(&machine, usage(0))
        guard case .go = machine.admit(tokens: 100, now: sourceNoon) else {
            Issue.record("what was not needed did not come back")
            return
        }
    }

    @Test func dayEndsAtItsLastRequest() {
        var machine = machine(requests: 1)
        _ = machine.admit(tokens: 0, now: sourceNoon)
        finish(&machine, .failed(.permanent(reason: "r")), tokens: 0)
        expectEqual(
            machine.admit(tokens: 0, now: sourceNoon),
            .later(Self.midnight, reason: "the day's requests are used up"),
            "one that failed counts, too"
        )
        expectEqual(machine.inFlight, 0)
    }

    @Test func requestThatNoDayCanPayIsNeverSent() {
        var machine = machine(tokens: 99)
        expectEqual(
            machine.admit(tokens: 100, now: sourceNoon),
            .never(reason: "a request may cost 100 tokens, a day 99")
        )
    }

    @Test func withoutLimitsTheDayHasNoEnd() {
        var machine = machine(spent: DaySpending(day: sourceDay, requests: 9_000, tokens: 1 << 40))
        guard case .go = machine.admit(tokens: 5000, now: sourceNoon) else {
            Issue.record("refused without a limit")
            return
        }
    }

    @Test func nextDayBeginsWithNothing() {
        var machine = machine(tokens: 100)
        _ = machine.admit(tokens: 100, now: Self.midnight - .milliseconds(1))
        expectEqual(
            machine.admit(tokens: 60, now: Self.midnight),
            .go(
                Reservation(day: sourceDay + 1, tokens: 60),
                spent: DaySpending(day: sourceDay + 1, requests: 1, tokens: 60)
            )
        )
        finish(&machine, usage(10))
        expectEqual(machine.spent.tokens, 60, "yesterday's request is not today's gain")
        finish(&machine, usage(10), tokens: 60, day: sourceDay + 1)
        expectEqual(machine.spent.tokens, 10)
    }

    @Test func clockThatIsSetBackBeginsNoDayAnew() {
        var machine = machine(tokens: 100)
        _ = machine.admit(tokens: 100, now: Self.midnight)
        let reason = "the day's tokens are used up"
        expectEqual(
            machine.admit(tokens: 1, now: sourceNoon),
            .later(Self.midnight + .seconds(86_400), reason: reason)
        )
    }

    @Test func restartGoesOnWithWhatWasStored() {
        var first = machine(tokens: 150)
        guard case .go(_, let stored) = first.admit(tokens: 100, now: sourceNoon) else {
            Issue.record("refused")
            return
        }
        var second = machine(tokens: 150, spent: stored)
        expectEqual(second.inFlight, 0)
        expectEqual(
            second.admit(tokens: 100, now: sourceNoon),
            .later(Self.midnight, reason: "the day's tokens are used up")
        )
    }

    /// Whatever is admitted, answered or lost in whatever order, with kills between any two steps and
    /// settlements that were not stored: no day's requests cost more than its budget.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func spendingNeverExceedsTheBudget(seed: UInt64) {
        var world = BudgetWorld(seed: seed)
        for step in 0..<2000 {
            world.step()
            for (day, cost) in world.costs {
                expect(
                    cost.tokens <= world.policy.dailyTokensMax,
                    "seed \(seed), step \(step), day \(day)"
                )
                expect(cost.requests <= world.policy.dailyRequestsMax, "seed \(seed), step \(step)")
            }
        }
        expect(world.costs.count > 3, "days went by")
        expect(world.costs.values.contains { $0.requests > 0 })
        expect(world.refusals > 0, "the budget was reached")
    }
}

/// A hub that is killed now and then, and what its requests cost the provider's way.
private struct BudgetWorld {
    let policy: SourcePolicy
    /// What was really used, by the day on which the request was sent.
    private(set) var costs: [Int: (requests: Int, tokens: Int)] = [:]
    private(set) var refusals = 0

    private var machine: SourceMachine
    private var stored: DaySpending
    private var now = sourceNoon
    /// With the tokens that each really costs.
    private var underWay: [(reservation: Reservation, used: Int)] = []
    private var generator: SeededGenerator
    /// Without kills, and with providers that always tell, every token of a day can be used.
    private let isCalm: Bool

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        isCalm = seed.isMultiple(of: 2)
        // Some are used up in the morning, some at midnight with requests under way.
        policy = SourcePolicy(
            concurrencyMax: 4,
            dailyTokensMax: Int.random(in: 1500...4500, using: &generator),
            dailyRequestsMax: Int.random(in: 20...50, using: &generator)
        )
        stored = DaySpending(day: sourceDay)
        machine = SourceMachine(policy: policy, spent: stored)
    }

    mutating func step() {
        now = now + .seconds(Int.random(in: 0...2000, using: &generator))
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<55: admit()
        case 55..<98: finish()
        default: if !isCalm { restart() }
        }
    }

    private mutating func admit() {
        let tokens = Int.random(in: 0...300, using: &generator)
        switch machine.admit(tokens: tokens, now: now) {
        case .go(let reservation, let spent):
            stored = spent
            // Killed between storing and sending: nothing is used.
            guard isCalm || Int.random(in: 0..<20, using: &generator) > 0 else { return restart() }
            // Often all that was reserved, which leaves the least room.
            let used = Int.random(
                in: Bool.random(using: &generator) ? tokens...tokens : 0...tokens,
                using: &generator
            )
            let cost = costs[reservation.day] ?? (0, 0)
            costs[reservation.day] = (cost.requests + 1, cost.tokens + used)
            underWay.append((reservation, used))
        case .overShare: Issue.record("nobody has a share here")
        case .later(_, let reason):
            if reason.hasSuffix("used up") { refusals += 1 }
        case .never: break
        }
    }

    private mutating func finish() {
        guard let index = underWay.indices.randomElement(using: &generator) else { return }
        let (reservation, tokens) = underWay.remove(at: index)
        let told = AttemptResult.answered(TokenUsage(inputTokens: tokens, outputTokens: 0))
        let results = isCalm ? [told] : [told, told, .answered(nil), .unreachable]
        _ = machine.finish(
            results.randomElement(using: &generator)!,
            of: reservation,
            attempt: 1,
            now: now,
            random: Double.random(in: 0..<1, using: &generator)
        )
        // A settlement may be lost with the process; one that is stored is the latest.
        if isCalm || Int.random(in: 0..<10, using: &generator) > 0 {
            stored = machine.spent
        } else {
            restart()
        }
    }

    private mutating func restart() {
        underWay = []
        machine = SourceMachine(policy: policy, spent: stored)
    }

}
