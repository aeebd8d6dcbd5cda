import SeededRandom

@testable import Radar

/// Random opinions that a seed repeats (SplitMix64).
struct OpinionGenerator: RandomNumberGenerator {
    private var random: SeededGenerator

    init(seed: Int) { random = SeededGenerator(seed: UInt64(seed)) }

    mutating func next() -> UInt64 { random.next() }

    mutating func opinions(count: Int, providers: Int) -> [Opinion] {
        (0..<count).map { id in
            // The lower numbers talk more.
            let providerMax = Int.random(in: 0..<providers, using: &self)
            return plainOpinion(
                Stance.allCases[Int.random(in: 0..<3, using: &self)],
                Double.random(in: 0...1, using: &self),
                provider: "p\(Int.random(in: 0...providerMax, using: &self))",
                source: Bool.random(using: &self) ? "s\(Int.random(in: 0..<3, using: &self))" : nil,
                id: id,
                day: Int.random(in: 0...PlainDays.last, using: &self),
                segment: Int.random(in: 0..<2, using: &self)
            )
        }
    }
}
