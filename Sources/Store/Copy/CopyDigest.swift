/// The number of rows of a table, and the SHA-256 of all their values in the order of the key.
///
/// Both engines have the same digest for the same rows: a value is a byte for its type, followed by
/// eight bytes for a number, or by the length and the bytes of a text or blob.
struct CopyDigest: Equatable, CustomStringConvertible {
    var rows: Int
    var sha256: [UInt8]

    var description: String { "\(rows) rows with the SHA-256 \(sha256.hexadecimal)" }
}

/// Computes a `CopyDigest`.
struct CopyDigestStream: ~Copyable {
    private var stream = SHA256Stream()
    private var buffer: [UInt8] = []
    private var rows = 0

    /// SHA-256 takes large parts at once.
    private static let bufferBytes = 1 << 16

    init() {
        buffer.reserveCapacity(Self.bufferBytes)
    }

    mutating func add(_ row: [CopyValue]) {
        rows += 1
        for value in row { add(value) }
        if buffer.count >= Self.bufferBytes { flush() }
    }

    private mutating func add(_ value: CopyValue) {
        switch value {
        case .null: buffer.append(0)
        case .integer(let value): append(1, UInt64(bitPattern: value))
        // SQLite stores −0.0 as 0.0.
        case .real(let value): append(2, value == 0 ? 0 : value.bitPattern)
        case .text(let bytes):
            append(3, UInt64(bytes.count))
            buffer += bytes
        case .blob(let bytes):
            append(4, UInt64(bytes.count))
            buffer += bytes
        }
    }

    private mutating func append(_ type: UInt8, _ number: UInt64) {
        buffer.append(type)
        withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
    }

    private mutating func flush() {
        stream.add(buffer[...])
        buffer.removeAll(keepingCapacity: true)
    }

    consuming func finish() -> CopyDigest {
        flush()
        return CopyDigest(rows: rows, sha256: stream.finish())
    }
}
