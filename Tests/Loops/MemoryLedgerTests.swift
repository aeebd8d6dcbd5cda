import Expectations
import Reactor

@testable import Loops

@Suite("Loop: the memory that it accounts for", .timeLimit(.minutes(10)))
struct MemoryLedgerTests {
    /// 64,000 bytes, of which anonymous peers may fill 48,000 and users 57,600.
    private let budget = MemoryBudget(limit: 64_000)

    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func bytesToFree(
        _ purpose: MemoryBudget.Purpose,
        _ bytes: Int,
        over rank: MemoryBudget.Rank = .anonymous,
        loops: Int = 1
    ) -> Int? {
        MemoryLedger(budget)
            .bytesToFree(for: purpose, holding: bytes, over: rank, loopCount: loops)
    }

    // MARK: The budget

    @Test func budgetHasTheNewestReportOfEachLoop() {
        var one = MemoryLedger(budget)
        var other = MemoryLedger(budget)
        one.report(queues: 100)
        other.report(queues: 30)
        one.report(queues: 70)
        one.report(queues: 70)
        expectEqual(budget.held(for: .queues), 100)
        one.report(queues: 0)
        expectEqual(budget.held(for: .queues), 30)
    }

    @Test func purposesAreReportedApart() {
        var ledger = MemoryLedger(budget)
        ledger.report(queues: 1)
        ledger.report(histories: 20)
        ledger.report(topics: 300)
        let held = MemoryBudget.Purpose.allCases.map { budget.held(for: $0) }
        expectEqual(held, [0, 1, 20, 300, 0, 0])
    }

    // MARK: The excess

    /// The excess, and a 64th of the limit.
    @Test(arguments: [(48_000, nil), (48_001, 1001), (49_000, 2000), (57_600, 10_600)])
    func loopFreesTheExcessAndSomewhatMore(bytes: Int, freed: Int?) {
        budget.add(bytes, to: .messages)
        expectEqual(bytesToFree(.messages, bytes), freed)
        expectNil(bytesToFree(.messages, bytes, over: .user))
    }

    @Test func usersHaveAPartThatAnonymousPeersDoNotFill() {
        budget.add(57_700, to: .answers)
        expectEqual(bytesToFree(.answers, 57_700, over: .user), 1100)
        expectNil(bytesToFree(.answers, 57_700, over: .operator))
    }

    @Test func eachLoopFreesInProportionToItsMemory() {
        budget.add(50_000, to: .queues)
        expectEqual(bytesToFree(.queues, 30_000, loops: 2), 1800)
        expectEqual(bytesToFree(.queues, 20_000, loops: 2), 1200)
    }

    /// The average of two loops is 25,000.
    @Test(arguments: [(12_500, 750), (12_499, nil), (0, nil)])
    func loopWithLessThanHalfOfTheAverageFreesNothing(bytes: Int, freed: Int?) {
        budget.add(50_000, to: .queues)
        expectEqual(bytesToFree(.queues, bytes, loops: 2), freed)
    }

    @Test(arguments: [MemoryBudget.Purpose.messages, .queues, .answers])
    func largestOfThreePurposesLosesFirst(_ largest: MemoryBudget.Purpose) {
        for purpose in [MemoryBudget.Purpose.messages, .queues, .answers] {
            budget.add(purpose == largest ? 20_000 : 15_000, to: purpose)
        }
        for purpose in [MemoryBudget.Purpose.messages, .queues, .answers] {
            let bytes = budget.held(for: purpose)
            expectEqual((bytesToFree(purpose, bytes) != nil), (purpose == largest))
        }
    }

    /// They are freed by the table of histories.
    @Test func historiesDoNotKeepOtherPurposesFromLosing() {
        budget.add(45_000, to: .histories)
        budget.add(4000, to: .queues)
        expectEqual(bytesToFree(.queues, 4000), 2000)
    }

    @Test func loopThatHoldsAByteOfMuchFreesAByte() {
        let budget = MemoryBudget(limit: 4)
        budget.add(4, to: .messages)
        let ledger = MemoryLedger(budget)
        expectEqual(
            ledger.bytesToFree(for: .messages, holding: 2, over: .anonymous, loopCount: 1),
            1
        )
    }

    // MARK: The log

    @Test func firstLossIsLoggedAtOnceAndTheRestTogether() throws {
        var ledger = MemoryLedger(budget)
        let first = ledger.add(.queues, count: 1, bytes: 100, now: instant(100))
        try expect(require(first) == (1, 100))
        let early = ledger.add(.queues, count: 2, bytes: 20, now: instant(109))
        expectNil(early)
        let second = ledger.add(.queues, count: 3, bytes: 30, now: instant(110))
        try expect(require(second) == (5, 50))
    }

    @Test func kindsOfLossAreLoggedApart() {
        var ledger = MemoryLedger(budget)
        for loss in MemoryLedger.Loss.allCases {
            let first = ledger.add(loss, count: 1, now: instant(100))
            expectEqual(first?.count, 1)
            let early = ledger.add(loss, count: 1, now: instant(101))
            expectNil(early)
        }
    }

    @Test func evictionsAreCountedOnce() {
        var ledger = MemoryLedger(budget)
        var evictions: [Int] = []
        for count in [3, 3, 7] as [UInt64] { evictions.append(ledger.newEvictions(of: count)) }
        expectEqual(evictions, [3, 0, 4])
    }

    // MARK: Unfinished input

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    private func setInput(
        _ bytes: Int,
        of index: UInt32,
        rank: MemoryBudget.Rank = .anonymous,
        in ledger: inout MemoryLedger
    ) -> Bool {
        ledger.setInput(
            bytes,
            of: id(index),
            rank: rank,
            isMidMessage: true,
            deadline: instant(30)
        )
    }

    @Test func budgetHasTheInputOfEachConnection() {
        var ledger = MemoryLedger(budget)
        let grew = [100, 300, 200].map { setInput($0, of: 1, in: &ledger) }
        expectEqual(grew, [true, true, false])
        _ = setInput(50, of: 2, in: &ledger)
        expectEqual(budget.held(for: .messages), 250)
        expectEqual(ledger.inputBytes, 250)
        ledger.removeInput(of: id(1))
        ledger.removeInput(of: id(3))
        expectEqual(budget.held(for: .messages), 50)
        ledger.removeInput(of: id(2))
        expect(!ledger.hasInput)
    }

    @Test func messageHasADeadlineUntilItEnds() {
        var ledger = MemoryLedger(budget)
        _ = setInput(100, of: 1, in: &ledger)
        expectEqual(ledger.nextMessageDeadline, instant(30))
        expectNil(ledger.takeOverdueMessage(now: instant(29), extended: instant(59)))
        expectEqual(ledger.takeOverdueMessage(now: instant(30), extended: instant(60)), id(1))
        ledger.noteMessage(of: id(1))
        expectNil(ledger.nextMessageDeadline)
    }

    @Test func largestAnonymousInputIsGivenUpFirst() {
        var ledger = MemoryLedger(budget)
        _ = setInput(20_000, of: 1, rank: .user, in: &ledger)
        _ = setInput(10_000, of: 2, in: &ledger)
        _ = setInput(19_000, of: 3, in: &ledger)
        let ids = ledger.inputToGiveUp(over: .anonymous, loopCount: 1)
        expectEqual(ids, [id(3)])
        expect(ledger.inputToGiveUp(over: .user, loopCount: 1).isEmpty)
        expectEqual(ledger.inputBytes, 49_000, "the loop ends it")
    }

    // MARK: Long responses

    @Test func responseIsCountedOnceUntilItIsRead() {
        var ledger = MemoryLedger(budget)
        expect(ledger.addAnswer(700, of: id(1), rank: .user))
        expect(!ledger.addAnswer(900, of: id(1), rank: .user))
        expectEqual(budget.held(for: .answers), 700)
        ledger.removeAnswer(of: id(1))
        ledger.removeAnswer(of: id(1))
        expectEqual(budget.held(for: .answers), 0)
        expect(!ledger.hasAnswers)
    }

    @Test func responsesThatAreGivenUpAreSubtracted() {
        var ledger = MemoryLedger(budget)
        expect(ledger.addAnswer(30_000, of: id(1), rank: .anonymous))
        expect(ledger.addAnswer(25_000, of: id(2), rank: .user))
        let (ids, bytes) = ledger.giveUpAnswers(over: .anonymous, loopCount: 1)
        expectEqual(ids, [id(1)])
        expectEqual(bytes, 30_000)
        expectEqual(budget.held(for: .answers), 25_000)
        expect(ledger.giveUpAnswers(over: .anonymous, loopCount: 1).ids.isEmpty)
    }
}
