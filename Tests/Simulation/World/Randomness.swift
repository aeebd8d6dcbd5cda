// Simulation: a world in which the hub's own code runs, from one seed, with invariants that hold whatever
// happens. It is simulated down to the sockets: docs/SIMULATION.md.

/// SplitMix64: random numbers that a seed repeats.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Everything in a world that is left to chance.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class Randomness: @unchecked Sendable {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// 0..<`bound`.
    func below(_ bound: Int) -> Int {
        precondition(bound > 0)
        return Int(generator.next() % UInt64(bound))
    }

    func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// In 0..<1.
    func unit() -> Double { Double(generator.next() >> 11) / Double(1 << 53) }

    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    func maskingKey() -> UInt32 { UInt32(truncatingIfNeeded: generator.next()) }
}
