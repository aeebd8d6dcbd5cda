/// Looks at 8 bytes at once: texts are searched for bytes that most of them do not contain, and one
/// by one that took a sixth of the time of a feed. Swift's SIMD vectors were far slower than single
/// bytes.
enum ByteSearch {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let blockLength = 8

    /// The index of the first `byte` from `start` on; the count if there is none.
    static func index(
        of byte: UInt8,
        in bytes: UnsafeRawBufferPointer,
        from start: Int = 0
    ) -> Int {
        let pattern = ones &* UInt64(byte)
        var index = start
        while index + blockLength <= bytes.count {
            // Checked against the bounds of the buffer.
            let block = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ pattern
            // A byte that is zero borrows from its high bit, and only then is one of them set.
            if (block &- ones) & ~block & highBits != 0 { break }
            index += blockLength
        }
        while index < bytes.count, bytes[index] != byte { index += 1 }
        return index
    }

    /// Whether there is a control character below U+0020 that is no white space of XML.
    static func hasControl(in bytes: UnsafeRawBufferPointer) -> Bool {
        let spaces = ones &* 0x20
        var index = 0
        while index + blockLength <= bytes.count {
            let block = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The same with the bytes below 0x20.
            if (block &- spaces) & ~block & highBits != 0,
                bytes[index..<(index + blockLength)].contains(where: isControl)
            {
                return true
            }
            index += blockLength
        }
        return bytes[index...].contains(where: isControl)
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !isSpace(byte) }
}
