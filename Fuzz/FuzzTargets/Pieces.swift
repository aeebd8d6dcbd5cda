/// Ways in which a transport may cut `bytes`: byte by byte, and twice at places that follow from
/// the bytes themselves.
func splittings(of bytes: [UInt8]) -> [[[UInt8]]] {
    var generator = SeededGenerator(seed: bytes)
    return [
        bytes.map { [$0] },
        generator.pieces(of: bytes, lengthMax: 8),
        generator.pieces(of: bytes, lengthMax: max(1, bytes.count)),
    ]
}

/// SplitMix64: a small generator whose whole sequence follows from its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Seeded by the FNV-1a hash of an input, so that the same input is cut the same way again.
    init(seed bytes: [UInt8]) {
        let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325
        let prime: UInt64 = 0x0000_0100_0000_01B3
        state = bytes.reduce(offsetBasis) { ($0 ^ UInt64($1)) &* prime }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Parts of `bytes` in order, some of them empty.
    mutating func pieces(of bytes: [UInt8], lengthMax: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(Int.random(in: 0...lengthMax, using: &self))))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        return pieces
    }
}
