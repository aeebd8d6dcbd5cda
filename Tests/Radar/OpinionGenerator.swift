@testable import Radar

/// Random opinions that a seed repeats (SplitMix64).
struct OpinionGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func opinions(count: Int, providers: Int) -> [Opinion] {
        (0..<count).map { id in
            // The lower numbers talk more.
            let providerMax = Int.random(in: 0..<providers, using: &self)
            return plainOpinion(
                Stance.allCases[Int.random(in: 0..<3, using: &self)],
                Double.random(in: 0...1, using: &self),
                provider: "p\(Int.random(in: 0...providerMax, using: &self))",
                id: id
            )
        }
    }
}
