import Expectations

@testable import Loops
@testable import Reactor

@Suite("PostponedOrder", .timeLimit(.minutes(10)))
struct PostponedOrderTests {
    private typealias Obstacle = PostponedOrder.Obstacle
    private typealias Allowance = PostponedOrder.Allowance

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    private func take(
        _ order: inout PostponedOrder,
        _ allowance: Allowance = Allowance(),
        _ obstacles: [UInt32: Obstacle] = [:]
    ) -> UInt32? {
        guard let next = order.next(allowance, { obstacles[$0.index] }) else { return nil }
        order.takeNext(allowance)
        return next.index
    }

    private func order(_ count: UInt32) -> PostponedOrder {
        var order = PostponedOrder()
        for index in 1...count { order.add(id(index)) }
        return order
    }

    @Test func clientThatHasWaitedLongestIsNext() {
        var order = order(3)
        let taken = [take(&order), take(&order), take(&order), take(&order)]
        expectEqual(taken, [1, 2, 3, nil])
    }

    @Test func nextClientStaysUntilItIsTaken() {
        var order = order(2)
        let asked = [order.next(Allowance()) { _ in nil }, order.next(Allowance()) { _ in nil }]
        expectEqual(asked, [id(1), id(1)])
        expectEqual(take(&order), 1)
    }

    @Test func clientWithoutRoomWaitsUntilItHasSome() {
        var order = order(2)
        expectEqual(take(&order, Allowance(), [1: .room]), 2)
        expectNil(take(&order))
        order.roomCame(id(1))
        order.roomCame(id(1))
        expectEqual(take(&order), 1)
        expectNil(take(&order))
    }

    /// However many there are: each turn asks for the next client.
    @Test func clientsThatCannotContinueAreAskedForOnce() {
        var order = order(1000)
        var asked = 0
        for _ in 0..<100 {
            let next = order.next(Allowance()) { _ in
                asked += 1
                return .room
            }
            expectNil(next)
        }
        expectEqual(asked, 1000)
    }

    @Test func costlyWorkWaitsForItsTimeAndOtherWorkDoesNot() {
        var order = order(4)
        let none = Allowance(calls: false, inflating: false)
        let obstacles: [UInt32: Obstacle] = [1: .calls, 2: .inflating, 3: .calls]
        expectEqual(take(&order, none, obstacles), 4)
        expectNil(take(&order, none, obstacles))
        expect(order.hasCalling)
        expect(order.hasInflating)
        expectEqual(take(&order, Allowance(calls: false), [:]), 2)
        expect(!order.hasInflating)
        order.add(id(5))
        let rest = [take(&order), take(&order), take(&order), take(&order)]
        expectEqual(rest, [1, 3, 5, nil], "the longest waiting first")
    }

    @Test func connectionThatHasEndedIsDropped() {
        var order = order(3)
        expectEqual(take(&order, Allowance(), [1: .room, 2: .gone]), 3)
        order.remove(id(1))
        order.roomCame(id(1))
        expectNil(take(&order))
    }
}

@Suite("WaitingBytes", .timeLimit(.minutes(10)))
struct WaitingBytesTests {
    @Test(arguments: [1, 7, 64, 1000])
    func bytesAreReadOnceAndInTheirOrder(pieceMax: Int) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        var waiting = WaitingBytes(bytes.prefix(500))
        waiting.append(bytes.dropFirst(500))
        var read: [UInt8] = []
        while !waiting.isEmpty {
            expectEqual(waiting.first, bytes[read.count])
            expectEqual(waiting.count, bytes.count - read.count)
            waiting.read {
                let piece = $0.prefix(pieceMax)
                read += piece
                return piece.count
            }
        }
        expectEqual(read, bytes)
        expectEqual(waiting.heldBytes, 0)
    }

    @Test func inputOfAnotherWaitComesBehind() {
        var waiting = WaitingBytes([1, 2, 3])
        waiting.read { _ in 1 }
        waiting.append(WaitingBytes([4]))
        var read: [UInt8] = []
        waiting.read {
            read = Array($0)
            return $0.count
        }
        expectEqual(read, [2, 3, 4])
    }
}
