import Expectations

@testable import Core

@Suite("Sources: shares of users", .timeLimit(.minutes(10)))
struct UserSharesTests {
    private static let midnight = Timestamp(milliseconds: Int64(sourceDay + 1) * 86_400_000)
    private let ann = Array("ann".utf8)
    private let bob = Array("bob".utf8)

    private func machine(tokens: Int = 0, requests: Int = 0, percent: Int = 10) -> SourceMachine {
        SourceMachine(
            policy: SourcePolicy(
                concurrencyMax: 1000,
                dailyTokensMax: tokens,
                dailyRequestsMax: requests,
                userSharePercent: percent
            ),
            spent: DaySpending(day: sourceDay)
        )
    }

    /// Requests that are let go until one is not, and why that is not.
    private func admitAll(
        _ machine: inout SourceMachine,
        for user: [UInt8]?,
        tokens: Int = 100
    ) -> (count: Int, refusal: Admission) {
        var count = 0
        while true {
            let admission = machine.admit(tokens: tokens, for: user, now: sourceNoon)
            guard case .go = admission, count < 500 else { return (count, admission) }
            count += 1
        }
    }

    @Test func oneUserLeavesNineTenthsOfTheRequestsToOthers() {
        var machine = machine(requests: 100)
        let (count, refusal) = admitAll(&machine, for: ann)
        expectEqual(count, 10)
        expectEqual(refusal, .overShare(until: Self.midnight))
        expectEqual(machine.spent.requests, 10)
        let count1 = admitAll(&machine, for: bob).count
        expectEqual(count1, 10)
        let rest = admitAll(&machine, for: nil).count
        expectEqual(rest, 80, "what belongs to nobody has no share")
    }

    @Test func oneUserLeavesNineTenthsOfTheTokensToOthers() {
        var machine = machine(tokens: 10_000)
        let count2 = admitAll(&machine, for: ann, tokens: 300).count
        expectEqual(count2, 3)
        expectEqual(machine.shares[ann], .init(requests: 3, tokens: 900))
        let count3 = admitAll(&machine, for: bob, tokens: 300).count
        expectEqual(count3, 3)
    }

    @Test func tokensThatWereNotNeededComeBackToTheUser() {
        var machine = machine(tokens: 10_000)
        guard case .go(let reservation, _) = machine.admit(tokens: 900, for: ann, now: sourceNoon)
        else {
            Issue.record("the first request is let go")
            return
        }
        let second = machine.admit(tokens: 900, for: ann, now: sourceNoon)
        expectEqual(second, .overShare(until: Self.midnight))
        let answered = AttemptResult.answered(TokenUsage(inputTokens: 80, outputTokens: 20))
        _ = machine.finish(answered, of: reservation, attempt: 1, now: sourceNoon, random: 0)
        expectEqual(machine.shares[ann].tokens, 100)
        let count4 = admitAll(&machine, for: ann, tokens: 900).count
        expectEqual(count4, 1)
    }

    @Test func firstRequestOfADayIsLetGoHoweverSmallTheShare() {
        var machine = machine(tokens: 1000)
        let count5 = admitAll(&machine, for: ann, tokens: 400).count
        expectEqual(count5, 1)
        let count6 = admitAll(&machine, for: bob, tokens: 400).count
        expectEqual(count6, 1)
        let (count, refusal) = admitAll(&machine, for: Array("eve".utf8), tokens: 400)
        expectEqual(count, 0)
        expectEqual(refusal, .later(Self.midnight, reason: "the day's tokens are used up"))
    }

    @Test func nextDayBeginsWithAWholeShare() {
        var machine = machine(requests: 20)
        let count7 = admitAll(&machine, for: ann).count
        expectEqual(count7, 2)
        guard case .go = machine.admit(tokens: 1, for: ann, now: Self.midnight) else {
            Issue.record("another day")
            return
        }
        expectEqual(machine.shares[ann].requests, 1)
    }

    @Test(arguments: [(0, 10), (100, 100)])
    func withoutALimitOrAShareNothingIsCounted(requests: Int, percent: Int) {
        var machine = machine(requests: requests, percent: percent)
        _ = machine.admit(tokens: 5, for: ann, now: sourceNoon)
        expectEqual(machine.shares[ann], .init())
    }

    @Test func shareOfALargeBudgetIsExact() {
        let policy = SourcePolicy(dailyTokensMax: .max - 1, userSharePercent: 99)
        var shares = UserShares(policy)
        shares.add(requests: 1, tokens: 1, for: ann)
        expect(shares.hasRoom(for: ann, tokens: Int.max / 100 * 98))
        expect(!shares.hasRoom(for: ann, tokens: .max - 1))
    }

    @Test func storedSharesCount() {
        let policy = SourcePolicy(concurrencyMax: 100, dailyRequestsMax: 40, userSharePercent: 10)
        var machine = SourceMachine(
            policy: policy,
            spent: DaySpending(day: sourceDay, requests: 3),
            taken: [ann: .init(requests: 3, tokens: 0)]
        )
        let left = admitAll(&machine, for: ann).count
        expectEqual(left, 1)
        let others = admitAll(&machine, for: bob).count
        expectEqual(others, 4)
    }

    @Test func usersBeyondTheLimitShareAnAccount() {
        var taken: [[UInt8]: UserShares.Taken] = [:]
        for number in 0..<UserShares.usersMax {
            taken[withUnsafeBytes(of: UInt32(number)) { Array($0) }] = .init(requests: 1, tokens: 1)
        }
        let policy = SourcePolicy(dailyRequestsMax: 1000, userSharePercent: 10)
        let shares = UserShares(policy, taken: taken)
        let known = withUnsafeBytes(of: UInt32(7)) { Array($0) }
        expectEqual(shares.account(of: known), known)
        expectEqual(shares.account(of: ann), UserShares.rest)
        taken.removeValue(forKey: known)
        expectEqual(UserShares(policy, taken: taken).account(of: ann), ann)
    }

    // MARK: What is left

    @Test func budgetOfAUserIsWhatTheShareAndOthersLeave() {
        var machine = machine(tokens: 10_000, requests: 100)
        let fresh = machine.budget(of: ann, tokens: 300, now: sourceNoon)
        expectEqual(fresh.requests, .init(daily: 100, spent: 0, share: 10, taken: 0))
        expectEqual(fresh.tokens?.left, 1000)
        expectEqual(fresh.questionsLeft, 3)
        expectEqual(fresh.resetsAt, Self.midnight)
        _ = machine.admit(tokens: 300, for: ann, now: sourceNoon)
        let second = machine.budget(of: ann, tokens: 300, now: sourceNoon)
        expectEqual(second.requests?.left, 9)
        expectEqual(second.tokens?.taken, 300)
        expectEqual(second.questionsLeft, 2)
        _ = admitAll(&machine, for: nil, tokens: 300)
        let last = machine.budget(of: ann, tokens: 300, now: sourceNoon)
        expectEqual(last.tokens?.left, 100)
        expectEqual(last.questionsLeft, 0)
        let next = machine.budget(of: ann, tokens: 300, now: Self.midnight)
        expectEqual(next.questionsLeft, 3)
    }

    @Test func firstQuestionIsLeftHoweverSmallTheShare() {
        var machine = machine(tokens: 1000)
        let first = machine.budget(of: ann, tokens: 400, now: sourceNoon)
        expectEqual(first.questionsLeft, 1)
        _ = machine.admit(tokens: 400, for: ann, now: sourceNoon)
        let second = machine.budget(of: ann, tokens: 400, now: sourceNoon)
        expectEqual(second.questionsLeft, 0)
        _ = machine.admit(tokens: 400, for: bob, now: sourceNoon)
        let eve = machine.budget(of: Array("eve".utf8), tokens: 400, now: sourceNoon)
        expectEqual(eve.questionsLeft, 0, "the day's budget has no room")
    }

    @Test func withoutALimitNothingIsCountedDown() {
        var machine = machine()
        let budget = machine.budget(of: ann, tokens: 400, now: sourceNoon)
        expectNil(budget.requests)
        expectNil(budget.tokens)
        expectNil(budget.questionsLeft)
    }

    @Test func usersAreToldApartByTheirBytes() {
        var machine = machine(requests: 10)
        let count8 = admitAll(&machine, for: Array("\u{E9}".utf8)).count
        expectEqual(count8, 1)
        let count9 = admitAll(&machine, for: Array("e\u{301}".utf8)).count
        expectEqual(count9, 1)
    }
}
