import CZlib

/// A running CRC-32 (ISO-HDLC, zlib's), which finds every damage of up to 32 bits in a row.
///
/// It finds damage, not forgery: a process that can write the file can also write the checksum.
struct Checksum: Sendable, Equatable {
    private(set) var value: UInt32 = 0

    init() {}

    init(_ bytes: [UInt8]) {
        add(bytes)
    }

    mutating func add(_ bytes: [UInt8]) {
        value = bytes.withUnsafeBufferPointer { buffer in
            // zlib treats a null pointer as a request for the initial value.
            guard let address = buffer.baseAddress, !buffer.isEmpty else { return value }
            return UInt32(truncatingIfNeeded: crc32_z(UInt(value), address, buffer.count))
        }
    }

    /// Adds the eight bytes of a number, the lowest first.
    mutating func add(_ number: UInt64) {
        value = withUnsafeBytes(of: number.littleEndian) { after($0) }
    }

    /// Computes the checksum of eight numbers at once, as they are in memory: a call of zlib for
    /// each of them would cost more than a short payload. Every machine that Swift supports has the
    /// lowest byte first.
    init(numbers: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64)) {
        value = withUnsafeBytes(of: numbers) { after($0) }
    }

    private func after(_ buffer: UnsafeRawBufferPointer) -> UInt32 {
        guard let address = buffer.assumingMemoryBound(to: UInt8.self).baseAddress else {
            return value
        }
        return UInt32(truncatingIfNeeded: crc32_z(UInt(value), address, buffer.count))
    }
}
