import ClientWire
import Expectations

@testable import Loops
@testable import Reactor

@Suite("Loops: input that waits", .timeLimit(.minutes(10)))
final class WaitingTests {
    private typealias Obstacle = PostponedOrder.Obstacle

    private var waiting = Waiting()

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    private func actions(_ count: Int) -> ArraySlice<SessionAction> {
        ArraySlice(repeatElement(SessionAction.ping, count: count))
    }

    private func postpone(_ text: String, of id: ConnectionID) -> Bool {
        var bytes = Array(text.utf8)
        return bytes.withUnsafeMutableBufferPointer { waiting.postpone($0[...], of: id) }
    }

    private func next(
        _ obstacle: (ConnectionID, WaitingInput) -> Obstacle? = { _, _ in nil }
    ) -> ConnectionID? {
        waiting.takeNext(.init(), obstacle)?.id
    }

    @Test func inputOfAConnectionIsOnePiece() throws {
        expect(waiting.isEmpty)
        let begins = [
            waiting.postpone(actions(2), of: id(1)), waiting.postpone(actions(3), of: id(1)),
            postpone("ab", of: id(1)), waiting.postpone(WaitingBytes("cd".utf8), of: id(1)),
        ]
        expectEqual(begins, [true, false, false, false])
        expectEqual(waiting.count, 1)
        expectEqual(waiting.byteCount(of: id(1)), 4)
        expect(waiting.heldBytes(of: id(1)) >= 4)
        let taken = waiting.takeNext(.init()) { _, _ in nil }
        let input = try require(taken?.input)
        expectEqual(input.actions.count, 5)
        expectEqual(input.bytes.count, 4)
        expect(!input.hasFailed)
        expect(waiting.isEmpty)
        expectNil(next())
    }

    @Test func connectionsTakeTurns() {
        for index in [3, 1, 2] as [UInt32] { _ = postpone("x", of: id(index)) }
        expectEqual(next(), id(3))
        // What goes on waits behind the others.
        _ = postpone("x", of: id(3))
        expectEqual([next(), next(), next(), next()], [id(1), id(2), id(3), nil])
    }

    @Test(arguments: [false, true])
    func inputThatNeedsSomethingContinuesWhenItHasCome(hasFailed: Bool) throws {
        waiting.wait(WaitingInput(actions: actions(1), waitedFor: .histories), of: id(1))
        // More input of the connection stays behind it.
        let begins = postpone("more", of: id(1))
        expect(!begins)
        expectNil(next())
        waiting.come(id(1), hasFailed: hasFailed)
        let taken = waiting.takeNext(.init()) { _, _ in nil }
        let input = try require(taken?.input)
        expect((input.hasFailed, input.bytes.count) == (hasFailed, 4))
    }

    @Test func listComesForACallThatStillWaits() throws {
        let page = StoredTopicsPage(rows: [], next: 7)
        waiting.wait(WaitingInput(actions: actions(1), waitedFor: .histories), of: id(1))
        expect(!waiting.hasList(for: id(1)))
        waiting.come(page, for: id(1))
        expect(waiting.hasList(for: id(1)))
        expectEqual(next(), id(1))
        expectEqual(waiting.takeList(of: id(1))?.next, 7)
        expectNil(waiting.takeList(of: id(1)))
        // It came too late: nobody takes it.
        waiting.come(page, for: id(1))
        expect(!waiting.hasList(for: id(1)))
    }

    @Test func listThatCannotBeReadFails() {
        waiting.wait(WaitingInput(actions: actions(1), waitedFor: .histories), of: id(1))
        waiting.come(nil as StoredTopicsPage?, for: id(1))
        let taken = waiting.takeNext(.init()) { _, _ in nil }
        expectEqual(taken?.input.hasFailed, true)
        expectNil(waiting.takeList(of: id(1)))
    }

    @Test func positionsAreAskedAboutOnceForAllThatWait() {
        let start = MonotonicInstant(milliseconds: 0)
        for index in 1...2 as ClosedRange<UInt32> {
            let input = WaitingInput(actions: actions(1), waitedFor: .position)
            waiting.wait(input, of: id(index), forPositionUntil: start + .seconds(Int(index)))
        }
        expectEqual(waiting.nextDeadline, start + .seconds(1))
        let question = waiting.nextQuestion()
        expect(question != nil)
        expectNil(waiting.nextQuestion(), "one is under way")
        waiting.endOverdue(now: start + .seconds(1))
        expectEqual([next(), next()], [id(1), nil])
        waiting.answered(question ?? 0)
        expectEqual([next(), next()], [id(2), nil])
        expectNil(waiting.nextDeadline)
    }

    @Test func obstacleSeesTheInputAndMakesRoomForOthers() {
        _ = waiting.postpone(actions(1), of: id(1))
        _ = postpone("x", of: id(2))
        let found = next { _, input in input.actions.isEmpty ? nil : .room }
        expectEqual(found, id(2))
        expect(!waiting.hasNext(.init()) { _, _ in nil }, "the first waits for room")
        waiting.roomCame(id(1))
        expect(waiting.hasNext(.init()) { _, _ in nil })
        expectEqual(next(), id(1))
    }

    @Test func costlyInputWaitsForItsAllowance() {
        let none = PostponedOrder.Allowance(calls: false, inflating: false)
        _ = waiting.postpone(actions(1), of: id(1))
        _ = postpone("x", of: id(2))
        let first = id(1)
        let isNext = waiting.hasNext(none) { id, _ in id == first ? .calls : .inflating }
        expect(!isNext)
        expectEqual(waiting.nextCostlyWork(now: 5), 5)
        expectEqual([next(), next()], [id(1), id(2)])
        expectNil(waiting.nextCostlyWork(now: 5))
    }

    @Test func connectionThatHasEndedLeavesNothing() {
        _ = postpone("x", of: id(1))
        waiting.wait(WaitingInput(waitedFor: .histories), of: id(2))
        waiting.come(StoredTopicsPage(rows: [], next: nil), for: id(2))
        expect(waiting.remove(id(1)).isEmpty)
        expect(waiting.remove(id(2)).isEmpty)
        expect(waiting.isEmpty)
        expect(!waiting.hasList(for: id(2)))
        // What it has waited for may come all the same.
        waiting.come(id(2))
        expectNil(next())
    }

    @Test func droppedInputStillHasItsTurn() throws {
        _ = waiting.postpone(actions(2), of: id(1))
        _ = postpone("x", of: id(1))
        waiting.dropInput(of: id(1))
        waiting.dropInput(of: id(2))
        let taken = waiting.takeNext(.init()) { _, _ in nil }
        let input = try require(taken?.input)
        expect(input.actions.isEmpty && input.bytes.isEmpty)
    }
}
