import Base
import SeededRandom

/// SplitMix64: random numbers that a seed repeats.
struct Dice: RandomNumberGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    /// In 0..<1.
    mutating func draw() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// 2026-01-02T10:00:00Z
let morning = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
