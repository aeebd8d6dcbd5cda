// Simulation: a world in which the hub's own code runs, from one seed, with invariants that hold whatever
// happens. It is simulated down to the sockets: docs/SIMULATION.md.

import SeededRandom

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
