import Testing

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
        #expect(taken == [1, 2, 3, nil])
    }

    @Test func nextClientStaysUntilItIsTaken() {
        var order = order(2)
        let asked = [order.next(Allowance()) { _ in nil }, order.next(Allowance()) { _ in nil }]
        #expect(asked == [id(1), id(1)])
        #expect(take(&order) == 1)
    }

    @Test func clientWithoutRoomWaitsUntilItHasSome() {
        var order = order(2)
        #expect(take(&order, Allowance(), [1: .room]) == 2)
        #expect(take(&order) == nil)
        order.roomCame(id(1))
        order.roomCame(id(1))
        #expect(take(&order) == 1)
        #expect(take(&order) == nil)
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
            #expect(next == nil)
        }
        #expect(asked == 1000)
    }

    @Test func costlyWorkWaitsForItsTimeAndOtherWorkDoesNot() {
        var order = order(4)
        let none = Allowance(calls: false, inflating: false)
        let obstacles: [UInt32: Obstacle] = [1: .calls, 2: .inflating, 3: .calls]
        #expect(take(&order, none, obstacles) == 4)
        #expect(take(&order, none, obstacles) == nil)
        #expect(order.hasCalling)
        #expect(order.hasInflating)
        #expect(take(&order, Allowance(calls: false), [:]) == 2)
        #expect(!order.hasInflating)
        order.add(id(5))
        let rest = [take(&order), take(&order), take(&order), take(&order)]
        #expect(rest == [1, 3, 5, nil], "the longest waiting first")
    }

    @Test func connectionThatHasEndedIsDropped() {
        var order = order(3)
        #expect(take(&order, Allowance(), [1: .room, 2: .gone]) == 3)
        order.remove(id(1))
        order.roomCame(id(1))
        #expect(take(&order) == nil)
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
            #expect(waiting.first == bytes[read.count])
            #expect(waiting.count == bytes.count - read.count)
            waiting.read {
                let piece = $0.prefix(pieceMax)
                read += piece
                return piece.count
            }
        }
        #expect(read == bytes)
        #expect(waiting.heldBytes == 0)
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
        #expect(read == [2, 3, 4])
    }
}
