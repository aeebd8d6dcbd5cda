import Expectations
import ZoneTesting

@testable import Base

/// A zone file, block by block.
private struct ZoneFile {
    var version = UInt8(ascii: "2")
    var changes: [(time: Int64, type: UInt8)] = []
    var offsets: [Int32] = [3600]
    var leapCount = 0
    var footer = "\nCET-1\n"
    /// What the header claims instead.
    var claimedChanges: UInt32?
    var magic = "TZif"

    private func big(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private func header(_ changeCount: UInt32, _ typeCount: Int) -> [UInt8] {
        let counts = [0, 0, UInt32(leapCount), changeCount, UInt32(typeCount), 4]
        return Array(magic.utf8) + [version] + [UInt8](repeating: 0, count: 15)
            + counts.flatMap { big($0) }
    }

    var bytes: [UInt8] {
        var bytes = header(0, 0) + [UInt8](repeating: 0, count: 8 * leapCount + 4)
        bytes += header(claimedChanges ?? UInt32(changes.count), offsets.count)
        bytes += changes.flatMap { big($0.time) }
        bytes += changes.map(\.type)
        for offset in offsets { bytes += big(offset) + [0, 0] }
        bytes += Array("CET\0".utf8) + [UInt8](repeating: 0, count: 12 * leapCount)
        return bytes + Array(footer.utf8)
    }
}

@Suite("TZif, RFC 9636 §3", .timeLimit(.minutes(10)))
struct ZoneFileTests {
    private func read(_ file: ZoneFile) throws(ZoneFileError) -> ClockZone {
        try ClockZone(name: "A/B", file: file.bytes)
    }

    private func offset(_ zone: ClockZone, _ seconds: Int64) -> Duration {
        zone.offset(at: Timestamp(milliseconds: seconds * 1000))
    }

    @Test func firstTypeHoldsBeforeTheFirstChangeAndTheFooterFromTheLastOn() throws {
        var file = ZoneFile()
        file.offsets = [-75, 3600, 7200]
        file.changes = [(-100, 1), (0, 2), (100, 1)]
        file.footer = "\nEST5\n"
        let zone = try read(file)
        for (time, seconds) in [
            (-101, -75), (-100, 3600), (-1, 3600), (0, 7200), (99, 7200), (100, -18_000),
        ] {
            expectEqual(offset(zone, Int64(time)), .seconds(seconds), "\(time)")
        }
        file.footer = "\n\n"
        expectEqual(offset(try read(file), 1_000_000), .seconds(3600), "the last offset stays")
    }

    @Test func fileWithoutChangesHasItsRule() throws {
        expectEqual(offset(try read(ZoneFile()), 0), .seconds(3600))
    }

    @Test func fileThatIsNoneIsRefusedWithTheReason() {
        func expectError(_ error: ZoneFileError, _ change: (inout ZoneFile) -> Void) {
            var file = ZoneFile()
            change(&file)
            #expect(throws: error) { () throws in try read(file) }
        }
        expectError(.notAZoneFile) { $0.magic = "TZiF" }
        expectError(.version(1)) { $0.version = 0 }
        expectError(.leapSeconds) { $0.leapCount = 1 }
        expectError(.badContent("changes do not ascend")) { $0.changes = [(0, 0), (0, 0)] }
        expectError(.badContent("a change to a type that is not there")) { $0.changes = [(0, 1)] }
        expectError(.tooMany("types", count: 0, limit: 256)) { $0.offsets = [] }
        expectError(.tooMany("types", count: 257, limit: 256)) {
            $0.offsets = Array(repeating: 0, count: 257)
        }
        expectError(.tooMany("changes", count: 2001, limit: 2000)) { file in
            file.changes = (0..<2001).map { (Int64($0), 0) }
        }
        expectError(.badContent("offset -90000 s")) { $0.offsets = [-90_000] }
        expectError(.badContent("offset 93600 s")) { $0.offsets = [93_600] }
        expectError(.badContent("no footer")) { $0.footer = "CET-1\n" }
        expectError(.badContent("no footer")) { $0.footer = "\nCET-1" }
        expectError(.badContent("a footer that is no rule")) { $0.footer = "\nCET\n" }
    }

    @Test func greatestCountsAreRead() throws {
        var file = ZoneFile()
        file.offsets = Array(repeating: 0, count: 256)
        file.changes = (0..<2000).map { (Int64($0), UInt8($0 % 256)) }
        try expectEqual(read(file).changes.count, 2000)
    }

    /// No count in a header makes the reader look beyond the bytes.
    @Test func everyPrefixAndEveryCountIsRefusedOrRead() {
        let bytes = ZoneVector.named("Europe/Oslo").bytes
        for length in bytes.indices {
            #expect(throws: ZoneFileError.self, "\(length) bytes") { () throws in
                _ = try ClockZone(name: "A", file: Array(bytes[..<length]))
            }
        }
        #expect(throws: ZoneFileError.self) { () throws in _ = try ClockZone(name: "A", file: []) }
        for index in bytes.indices {
            var changed = bytes
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                changed[index] = value
                guard let zone = try? ClockZone(name: "A", file: changed) else { continue }
                expect(abs(zone.offset(at: Timestamp(milliseconds: 0)).inSeconds) < 27 * 3600)
            }
        }
        var file = ZoneFile()
        file.claimedChanges = .max
        #expect(throws: ZoneFileError.self) { () throws in try read(file) }
    }
}
