import Expectations

@testable import varde_load

@Suite("Sequence check: loss, duplication, order", .timeLimit(.minutes(10)))
struct SequenceCheckTests {
    private func verdicts(_ sequences: [UInt32], from next: UInt32 = 0) -> [SequenceCheck.Verdict] {
        var check = SequenceCheck(next: next)
        return sequences.map { check.receive($0) }
    }

    @Test func messagesInOrderAreInOrder() {
        expectEqual(verdicts([0, 1, 2]), [.inOrder, .inOrder, .inOrder])
    }

    @Test func gapTellsHowManyAreMissing() {
        expectEqual(verdicts([0, 4, 5]), [.inOrder, .skipping(3), .inOrder])
        expectEqual(verdicts([1]), [.skipping(1)])
    }

    @Test func skippedOneThatComesBehindIsLateOnceAndThenADuplicate() {
        expectEqual(
            verdicts([3, 1, 1, 0, 2, 2]),
            [
                .skipping(3), .late, .duplicate, .late, .late, .duplicate,
            ]
        )
    }

    @Test func repeatedMessageIsADuplicate() {
        expectEqual(verdicts([0, 0, 1, 0]), [.inOrder, .duplicate, .inOrder, .duplicate])
    }

    @Test func messageFromBeforeTheStartIsForeign() {
        expectEqual(verdicts([4, 5, 4], from: 5), [.foreign, .inOrder, .foreign])
    }

    @Test func gapsBeyondTheLimitAreForgottenFromTheOldest() {
        let count = UInt32(SequenceCheck.gapsMax) + 1
        let odd = (0..<count).map { 2 * $0 + 1 }
        let found = verdicts(odd + [0, 2])
        expect(found.dropLast(2).allSatisfy { $0 == .skipping(1) })
        expectEqual(
            Array(found.suffix(2)),
            [.duplicate, .late],
            "the first forgotten, the second kept"
        )
    }
}

@Suite("Deliveries: what all subscribers have received", .timeLimit(.minutes(10)))
struct DeliveriesTests {
    @Test func everythingOnceAndInOrderIsNoProblem() {
        var deliveries = Deliveries(subscriberCount: 2)
        for sequence in 0..<3 as Range<UInt32> {
            for subscriber in 0..<2 {
                let isNew = deliveries.receive(sequence, by: subscriber)
                expect(isNew)
            }
        }
        expectEqual(deliveries.count, 6)
        expectEqual(deliveries.lost(published: 3), 0)
        expectEqual(deliveries.problems(published: 3), [])
    }

    @Test func lossInTheMiddleAndAtTheEndIsCounted() {
        var deliveries = Deliveries(subscriberCount: 2)
        _ = deliveries.receive(0, by: 0)
        _ = deliveries.receive(2, by: 0)
        expectEqual(deliveries.missing, 1)
        expectEqual(deliveries.lost(published: 4), 6, "1 and 3; and all four of the other")
        expectEqual(deliveries.problems(published: 4), ["6 deliveries lost"])
    }

    @Test func lateOneIsNotLost() {
        var deliveries = Deliveries(subscriberCount: 1)
        for sequence in [0, 2, 1] as [UInt32] { _ = deliveries.receive(sequence, by: 0) }
        expectEqual(deliveries.lost(published: 3), 0)
        expectEqual(deliveries.problems(published: 3), ["1 deliveries came out of order"])
    }

    @Test func duplicateIsCountedAndNotNew() {
        var deliveries = Deliveries(subscriberCount: 1)
        let isNew = [deliveries.receive(0, by: 0), deliveries.receive(0, by: 0)]
        expectEqual(isNew, [true, false])
        expectEqual(deliveries.count, 1)
        expectEqual(deliveries.problems(published: 1), ["1 deliveries came twice"])
    }

    @Test func restartedSubscriberLosesNothingOfBefore() {
        var deliveries = Deliveries(subscriberCount: 1)
        _ = deliveries.receive(0, by: 0)
        deliveries.restart(0, at: 5)
        expectEqual(deliveries.next(of: 0), 5)
        let isNew = [deliveries.receive(4, by: 0), deliveries.receive(5, by: 0)]
        expectEqual(isNew, [false, true], "4 was published before, and may come or not")
        expectEqual(deliveries.problems(published: 6), [])
    }
}
