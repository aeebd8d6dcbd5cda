import Expectations

@testable import varde_load

@Suite("Offset check: acknowledged once, whatever the order", .timeLimit(.minutes(10)))
struct OffsetCheckTests {
    private func checked(_ offsets: [UInt64]) -> OffsetCheck {
        var check = OffsetCheck()
        for offset in offsets { check.receive(Position(offset: offset, epoch: "e")) }
        return check
    }

    @Test(arguments: [[], [5], [1, 2, 3], [3, 2, 1], [1, 3, 2], [7, 5, 6, 8], [2, 4, 1, 3]])
    func offsetsWithoutGapMissNothing(offsets: [UInt64]) {
        let check = checked(offsets)
        expectEqual(check.missing, 0)
        expectEqual(check.repeated, 0)
        expectEqual(check.count, offsets.count)
    }

    @Test(
        arguments: [([1, 3], 1), ([9, 1, 5], 6), ([1, 2, 5, 4, 9], 4)] as [([UInt64], UInt64)]
    )
    func gapsAreSummed(offsets: [UInt64], missing: UInt64) {
        expectEqual(checked(offsets).missing, missing)
    }

    @Test(arguments: [[1, 1], [1, 2, 3, 2], [5, 3, 5], [1, 3, 2, 1]] as [[UInt64]])
    func offsetThatComesAgainIsRepeatedAndCountsOnce(offsets: [UInt64]) {
        let check = checked(offsets)
        expectEqual(check.repeated, 1)
        expectEqual(check.count, offsets.count - 1)
    }

    @Test func anyOrderOfTheSameOffsetsIsTheSame() {
        var generator = SystemRandomNumberGenerator()
        let offsets: [UInt64] = (1...200).filter { $0 % 7 != 0 }
        for _ in 0..<20 {
            let shuffled = offsets.shuffled(using: &generator)
            let check = checked(shuffled)
            expectEqual(check.count, offsets.count, "\(shuffled)")
            expectEqual(check.missing, 28, "\(shuffled)")
            expectEqual(check.repeated, 0, "\(shuffled)")
        }
    }

    @Test func largestOffsetThatIsReadHasRoomBehindIt() {
        expectEqual(checked([PublishAPI.offsetMax, PublishAPI.offsetMax - 2]).missing, 1)
    }

    @Test func offsetOfAnotherEpochIsForeignAndNothingElse() {
        var check = checked([1, 2])
        check.receive(Position(offset: 1, epoch: "f"))
        expectEqual(check.foreign, 1)
        expectEqual(check.repeated, 0)
        expectEqual(check.count, 2)
    }
}
