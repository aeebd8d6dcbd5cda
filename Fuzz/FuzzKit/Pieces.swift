import SeededRandom

/// Ways in which a transport may cut `bytes`: byte by byte, and twice at places that follow from
/// the bytes themselves.
package func splittings(of bytes: [UInt8]) -> [[[UInt8]]] {
    var generator = SeededGenerator(seed: bytes)
    return [
        bytes.map { [$0] },
        generator.pieces(of: bytes, lengthMax: 8),
        generator.pieces(of: bytes, lengthMax: max(1, bytes.count)),
    ]
}

extension SeededGenerator {
    /// Seeded by the FNV-1a hash of an input, so that the same input is cut the same way again.
    package init(seed bytes: [UInt8]) {
        let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325
        let prime: UInt64 = 0x0000_0100_0000_01B3
        self.init(seed: bytes.reduce(offsetBasis) { ($0 ^ UInt64($1)) &* prime })
    }

    /// Parts of `bytes` in order, some of them empty.
    package mutating func pieces(of bytes: [UInt8], lengthMax: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(Int.random(in: 0...lengthMax, using: &self))))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        return pieces
    }
}
