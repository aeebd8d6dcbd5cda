import Expectations
import HubTesting

@testable import Loops
@testable import Reactor

@Suite("UnfinishedInput", .timeLimit(.minutes(10)))
struct UnfinishedInputTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    /// What `set` returns adds up to what is held.
    private func set(
        _ input: inout UnfinishedInput,
        _ index: UInt32,
        _ bytes: Int,
        rank: MemoryBudget.Rank = .anonymous,
        isMidMessage: Bool = true,
        now: Int64 = 0
    ) -> Int {
        input.set(
            bytes,
            of: id(index),
            rank: rank,
            isMidMessage: isMidMessage,
            deadline: instant(now + 30)
        )
    }

    @Test func changesAreReturned() {
        var input = UnfinishedInput()
        let changes = [set(&input, 1, 100), set(&input, 2, 50), set(&input, 1, 30)]
        expectEqual(changes, [100, 50, -70])
        expectEqual(input.bytes, 80)
        let removed = [input.remove(id(1)), input.remove(id(1)), input.remove(id(2))]
        expectEqual(removed, [30, 0, 50])
        expectEqual(input.bytes, 0)
        expect(input.isEmpty)
    }

    @Test func messageIsOverdueOnceItsTimeIsOver() {
        var input = UnfinishedInput()
        _ = set(&input, 1, 10, now: 0)
        _ = set(&input, 2, 10, now: 5)
        expectEqual(input.nextDeadline, instant(30))
        var due = input.takeOverdue(now: instant(29), extended: instant(59))
        expectNil(due)
        // More of the same message does not put it off.
        _ = set(&input, 1, 20, now: 29)
        due = input.takeOverdue(now: instant(30), extended: instant(60))
        expectEqual(due, id(1))
        due = input.takeOverdue(now: instant(30), extended: instant(60))
        expectNil(due)
        due = input.takeOverdue(now: instant(60), extended: instant(90))
        expectEqual(due, id(2))
        due = input.takeOverdue(now: instant(60), extended: instant(90))
        expectEqual(due, id(1))
    }

    @Test func eachMessageHasADeadlineOfItsOwn() {
        var input = UnfinishedInput()
        for now in 0..<100 {
            input.noteMessage(of: id(1))
            _ = set(&input, 1, 10, now: Int64(now))
            let due = input.takeOverdue(now: instant(Int64(now)), extended: instant(1000))
            expectNil(due)
        }
        let due = input.takeOverdue(now: instant(99 + 30), extended: instant(1000))
        expectEqual(due, id(1))
    }

    @Test func whatIsNotAMessageHasNoDeadline() {
        var input = UnfinishedInput()
        _ = set(&input, 1, 10, isMidMessage: false)
        expectNil(input.nextDeadline)
        _ = set(&input, 1, 10, isMidMessage: true, now: 7)
        expectEqual(input.nextDeadline, instant(37))
        _ = set(&input, 1, 10, isMidMessage: false, now: 7)
        let due = input.takeOverdue(now: instant(100), extended: instant(130))
        expectNil(due)
    }

    @Test func connectionThatIsGoneIsNotOverdue() {
        var input = UnfinishedInput()
        _ = set(&input, 1, 10)
        _ = input.remove(id(1))
        let due = input.takeOverdue(now: instant(100), extended: instant(130))
        expectNil(due)
        expectNil(input.nextDeadline)
    }

    /// Whichever way it has ended: the loop would wake at its deadline for nothing.
    @Test(arguments: 0..<3)
    func deadlineOfAnEndedMessageIsNotTheNextOne(end: Int) {
        var input = UnfinishedInput()
        _ = set(&input, 1, 10, now: 0)
        _ = set(&input, 2, 10, now: 1)
        _ = set(&input, 3, 10, now: 2)
        for index in [UInt32(2), 1] {
            switch end {
            case 0: input.noteMessage(of: id(index))
            case 1: _ = input.remove(id(index))
            default: _ = set(&input, index, 10, isMidMessage: false, now: 3)
            }
        }
        expectEqual(input.nextDeadline, instant(32))
        input.noteMessage(of: id(3))
        expectNil(input.nextDeadline)
    }

    @Test func deadlinesOfEndedMessagesAreRemoved() {
        var input = UnfinishedInput()
        for now in 0..<100_000 {
            _ = set(&input, 1, 10, now: Int64(now))
            _ = input.remove(id(1))
            _ = set(&input, 2, 10, now: 1)
        }
        expect(input.storedDeadlineCount < 5000)
        let due = input.takeOverdue(now: instant(31), extended: instant(61))
        expectEqual(due, id(2))
    }

    @Test func largestAreGivenUpFirst() {
        var input = UnfinishedInput()
        _ = set(&input, 1, 10)
        _ = set(&input, 2, 40)
        _ = set(&input, 3, 500, rank: .user)
        _ = set(&input, 4, 20)
        func largest(_ bytes: Int, anonymousOnly: Bool) -> [ConnectionID] {
            input.largest(holding: bytes, anonymousOnly: anonymousOnly)
        }
        expectEqual(largest(0, anonymousOnly: true), [])
        expectEqual(largest(1, anonymousOnly: true), [id(2)])
        expectEqual(largest(40, anonymousOnly: true), [id(2)])
        expectEqual(largest(41, anonymousOnly: true), [id(2), id(4)])
        expectEqual(largest(1000, anonymousOnly: true), [id(2), id(4), id(1)])
        expectEqual(largest(1, anonymousOnly: false), [id(3)])
    }
}
