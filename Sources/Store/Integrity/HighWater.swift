/// The highest numbers that a store has committed, stored outside its write-ahead log.
///
/// If the log is damaged, shortened or deleted, SQLite opens the database as it was before the
/// commits in the log, without an error. The mark is in a separate file, so the start can compare
/// the two.
struct HighWater: Sendable, Equatable {
    /// The epoch of the cursors; see `fingerprint(of:)`.
    var epoch: UInt64
    /// The highest cursor of a publication that has, or once had, a row; at least the epoch's base.
    var cursor: UInt64
    /// The highest cursor that may have been assigned to events without rows.
    var reserved: UInt64

    /// No cursor above it was ever assigned.
    var highest: UInt64 { max(cursor, reserved) }

    /// FNV-1a of the epoch's text: the slots have a fixed length, the text does not.
    static func fingerprint(of epoch: String) -> UInt64 {
        epoch.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The format of the mark's file: two slots that are written in turn, so that an interrupted write
/// leaves the other one intact. The valid slot with the higher sequence number applies.
///
/// A slot: the magic bytes, the sequence number, the three numbers of `HighWater`, and the CRC-32
/// of these forty bytes; integers have their lowest byte first.
enum HighWaterSlots {
    static let magic: [UInt8] = Array("VardMark".utf8)
    /// Each slot is in a separate sector: a device writes 512 bytes as a whole.
    static let slotDistance = 512
    static let fileLength = 2 * slotDistance
    static let slotLength = 44
    /// Larger numbers are not cursors: JSON does not represent them exactly (RFC 8259 §6).
    private static let cursorMax: UInt64 = 1 << 53

    /// The position in the file of the slot with this sequence number.
    static func position(of sequence: UInt64) -> Int {
        Int(sequence % 2) * slotDistance
    }

    static func encode(_ mark: HighWater, sequence: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(slotLength)
        bytes += magic
        for number in [sequence, mark.epoch, mark.cursor, mark.reserved] {
            append(number, to: &bytes)
        }
        append(Checksum(bytes).value, to: &bytes)
        return bytes
    }

    /// The newest valid slot of a file; nil when there is none.
    static func newest(in file: [UInt8]) -> (mark: HighWater, sequence: UInt64)? {
        [0, slotDistance].compactMap { decode(file.dropFirst($0).prefix(slotLength)) }
            .max { $0.sequence < $1.sequence }
    }

    private static func decode(
        _ slot: ArraySlice<UInt8>
    ) -> (mark: HighWater, sequence: UInt64)? {
        let bytes = Array(slot)
        guard bytes.count == slotLength, bytes.starts(with: magic) else { return nil }
        let body = Array(bytes.dropLast(4))
        guard number(at: 40, length: 4, in: bytes) == UInt64(Checksum(body).value) else {
            return nil
        }
        let mark = HighWater(
            epoch: number(at: 16, length: 8, in: bytes),
            cursor: number(at: 24, length: 8, in: bytes),
            reserved: number(at: 32, length: 8, in: bytes)
        )
        guard mark.highest <= cursorMax else { return nil }
        return (mark, number(at: 8, length: 8, in: bytes))
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func number(at start: Int, length: Int, in bytes: [UInt8]) -> UInt64 {
        (0..<length).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * $1) }
    }
}
