import Expectations
import StoreTesting

@testable import Store

@Suite("High-water mark: the format of its file", .timeLimit(.minutes(10)))
struct HighWaterTests {
    private let mark = HighWater(epoch: 0x0102_0304_0506_0708, cursor: 1 << 50, reserved: 7)

    private func file(_ slots: (HighWater, UInt64)...) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: HighWaterSlots.fileLength)
        for (mark, sequence) in slots {
            let slot = HighWaterSlots.encode(mark, sequence: sequence)
            let start = HighWaterSlots.position(of: sequence)
            bytes.replaceSubrange(start..<start + slot.count, with: slot)
        }
        return bytes
    }

    @Test func slotIsReadAsItWasWritten() throws {
        let newest = try require(HighWaterSlots.newest(in: file((mark, 9))))
        expectEqual(newest.mark, mark)
        expectEqual(newest.sequence, 9)
        expectEqual(HighWaterSlots.encode(mark, sequence: 9).count, HighWaterSlots.slotLength)
    }

    @Test func slotWithTheHigherSequenceCounts() throws {
        var later = mark
        later.cursor += 1
        for (first, second) in [(4, 5), (5, 6)] as [(UInt64, UInt64)] {
            let bytes = file((mark, first), (later, second))
            expectEqual(HighWaterSlots.newest(in: bytes)?.mark, later)
        }
    }

    @Test func consecutiveSlotsAreInDifferentSectors() {
        let positions = [1, 2, 3].map { HighWaterSlots.position(of: $0) }
        expectEqual(positions, [512, 0, 512])
    }

    /// Every damaged bit of the newer slot leaves the older one.
    @Test func damagedSlotIsPassedOver() {
        var later = mark
        later.cursor += 1
        let whole = file((mark, 4), (later, 5))
        let start = HighWaterSlots.position(of: 5)
        for bit in 0..<8 * HighWaterSlots.slotLength {
            var bytes = whole
            bytes[start + bit / 8] ^= 1 << (bit % 8)
            expectEqual(HighWaterSlots.newest(in: bytes)?.mark, mark, "bit \(bit)")
        }
    }

    @Test func fileThatEndsEarlyHasOnlyItsWholeSlots() {
        let whole = file((mark, 4), (mark, 5))
        for length in 0..<HighWaterSlots.slotLength {
            expectNil(HighWaterSlots.newest(in: Array(whole.prefix(length))), "\(length)")
        }
        let one = HighWaterSlots.newest(in: Array(whole.prefix(HighWaterSlots.slotLength)))
        expectEqual(one?.sequence, 4)
    }

    @Test func numberThatIsNoCursorIsRefused() {
        let huge = HighWater(epoch: 1, cursor: (1 << 53) + 1, reserved: 0)
        expectNil(HighWaterSlots.newest(in: file((huge, 1))))
        expect(HighWaterSlots.newest(in: file((mark, 1))) != nil)
    }

    @Test func checksumIsThatOfZlib() {
        // The check value of CRC-32/ISO-HDLC.
        expectEqual(Checksum(Array("123456789".utf8)).value, 0xCBF4_3926)
        expectEqual(Checksum([]).value, 0)
        var parts = Checksum(Array("1234".utf8))
        parts.add(Array("56789".utf8))
        expectEqual(parts.value, 0xCBF4_3926)
        var number = Checksum()
        number.add(UInt64(0x0807_0605_0403_0201))
        expectEqual(number, Checksum([1, 2, 3, 4, 5, 6, 7, 8]))
    }
}

@Suite("High-water mark: what follows from it", .timeLimit(.minutes(10)))
struct StoreContinuityTests {
    private func continuity(
        _ database: HighWater?,
        base: UInt64 = 0,
        _ found: HighWaterFile.Found
    ) -> StoreContinuity {
        StoreContinuity(database: database, base: base, mark: found)
    }

    private let mark = HighWater(epoch: 1, cursor: 100, reserved: 200)

    @Test func databaseThatHasWhatTheMarkSaysIsKept() {
        for (cursor, reserved) in [(100, 200), (101, 200), (100, 201)] as [(UInt64, UInt64)] {
            let database = HighWater(epoch: 1, cursor: cursor, reserved: reserved)
            expectEqual(continuity(database, .mark(mark)), .kept)
        }
    }

    @Test func databaseThatLacksRowsOrReservationsIsBehind() {
        for (cursor, reserved) in [(99, 200), (100, 199)] as [(UInt64, UInt64)] {
            let database = HighWater(epoch: 1, cursor: cursor, reserved: reserved)
            let expected = StoreContinuity.behind(marked: 100, found: cursor)
            expectEqual(continuity(database, .mark(mark)), expected)
        }
    }

    @Test func otherEpochIsKeptOnlyIfItBeganAboveTheMark() {
        let database = HighWater(epoch: 2, cursor: 300, reserved: 300)
        expectEqual(continuity(database, base: 200, .mark(mark)), .kept)
        let behind = StoreContinuity.behind(marked: 100, found: 300)
        expectEqual(continuity(database, base: 199, .mark(mark)), behind)
    }

    @Test func missingDatabaseIsTheFirstOneOnlyWithoutAMark() {
        expectEqual(continuity(nil, .nothing), .first)
        expectEqual(continuity(nil, .unreadable), .emptied)
        expectEqual(continuity(nil, .mark(mark)), .emptied)
    }

    @Test func databaseWithoutAMarkIsTakenAsItIs() {
        let database = HighWater(epoch: 1, cursor: 1, reserved: 1)
        expectEqual(continuity(database, .nothing), .unmarked(isUnreadable: false))
        expectEqual(continuity(database, .unreadable), .unmarked(isUnreadable: true))
        expect(!StoreContinuity.unmarked(isUnreadable: true).needsNewEpoch)
        expect(StoreContinuity.emptied.needsNewEpoch)
        expect(StoreContinuity.behind(marked: 2, found: 1).needsNewEpoch)
    }
}
