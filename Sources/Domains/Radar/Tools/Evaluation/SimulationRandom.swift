import Glibc
import Radar

/// Random numbers that a seed repeats (SplitMix64).
package struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// In 0..<1.
    mutating func fraction() -> Double { Double.random(in: 0..<1, using: &self) }

    mutating func isTrue(_ probability: Double) -> Bool { fraction() < probability }

    mutating func element<Element>(of list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &self)]
    }

    /// A stance of this distribution, whose sum is 1.
    mutating func stance(_ distribution: StanceTally) -> Stance {
        let point = fraction()
        if point < distribution.for { return .for }
        return point < distribution.for + distribution.against ? .against : .neutral
    }

    /// A distribution around `mean`, whose sum is 1: Dirichlet's. The smaller the concentration, the more
    /// often one stance has nearly everything.
    mutating func distribution(around mean: StanceTally, concentration: Double) -> StanceTally {
        var tally = StanceTally()
        for stance in Stance.allCases { tally[stance] = gamma(mean[stance] * concentration) }
        return tally * (1 / tally.sum)
    }

    /// A variable of the gamma distribution with this shape (Marsaglia & Tsang 2000).
    private mutating func gamma(_ shape: Double) -> Double {
        let shapeMin = 1e-3
        let shape = max(shape, shapeMin)
        // Below every amount that matters, and above 0, of which there is no logarithm.
        let least = 1e-300
        guard shape >= 1 else {
            return gamma(shape + 1) * pow(max(fraction(), least), 1 / shape) + least
        }
        let d = shape - 1.0 / 3
        let c = 1 / (9 * d).squareRoot()
        while true {
            let x = normal()
            let v = pow(1 + c * x, 3)
            if v > 0, log(max(fraction(), least)) < x * x / 2 + d - d * v + d * log(v) {
                return d * v
            }
        }
    }

    /// Box & Muller 1958.
    private mutating func normal() -> Double {
        (-2 * log(1 - fraction())).squareRoot() * cos(2 * Double.pi * fraction())
    }
}
