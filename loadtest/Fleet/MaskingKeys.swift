/// Masking keys for a generator's frames.
///
/// RFC 6455 §5.3 wants them unpredictable, against scripts in browsers that choose what is on the wire. Nobody
/// else chooses it here, so a fast generator (xorshift, 64 bits) from a random seed does, and the generator
/// stays out of what is measured.
struct MaskingKeys {
    private var state: UInt64

    /// - Parameter seed: Anything but 0, which the sequence never leaves.
    init(seed: UInt64) {
        precondition(seed != 0)
        state = seed
    }

    mutating func next() -> UInt32 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt32(truncatingIfNeeded: state >> 16)
    }
}
