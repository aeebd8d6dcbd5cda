import Testing

@testable import Radar

@Suite("Position: what holds for any opinions", .timeLimit(.minutes(10)))
struct PositionPropertyTests {
    @Test(arguments: 0..<200)
    func orderOfOpinionsDoesNotMatter(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed + 1, providers: 1 + seed % 9)
        let result = derivePosition(opinions, previous: .against)
        for _ in 0..<5 {
            let shuffled = opinions.shuffled(using: &generator)
            #expect(derivePosition(shuffled, previous: .against) == result, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<200)
    func equalOpinionsOfOppositeStanceCancel(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed + 1, providers: 1 + seed % 9)
        let both = (opinions + opinions.map(opposite)).shuffled(using: &generator)
        let result = derivePosition(both, previous: .neutral)
        #expect(result.score == 0, "seed \(seed)")
        #expect(result.expectation == 0, "seed \(seed)")
        #expect(result.position == .neutral, "seed \(seed)")
    }

    @Test(arguments: 0..<200)
    func oppositeOpinionsMakeTheOppositeScore(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed + 1, providers: 1 + seed % 9)
        let result = derivePosition(opinions, previous: .neutral)
        let mirrored = derivePosition(opinions.map(opposite), previous: .neutral)
        #expect(mirrored.score == -result.score, "seed \(seed)")
        #expect(mirrored.position.value == -result.position.value, "seed \(seed)")
        #expect(mirrored.certainty == result.certainty, "seed \(seed)")
    }

    /// Also for providers that talk a hundred times as much as others.
    @Test(arguments: 0..<500)
    func noProviderHasMoreThanItsShare(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: 1 + seed, providers: 1 + seed % 12)
        let result = derivePosition(opinions, previous: .neutral)
        let count = result.providers.filter { $0.shareBefore > 0 }.count
        #expect(result.providerShareMax == max(0.4, 1 / Double(max(1, count))), "seed \(seed)")
        let shareMax = result.providerShareMax + 1e-9
        #expect(result.providers.allSatisfy { $0.share <= shareMax }, "seed \(seed)")
        #expect(result.providers.allSatisfy { 0 < $0.factor && $0.factor <= 1 }, "seed \(seed)")
        let sum = result.providers.map(\.share).reduce(0, +)
        #expect(abs(sum - 1) < 1e-9, "seed \(seed): \(sum)")
        // Who is scaled has the whole of what is allowed: nothing is taken away in vain.
        for provider in result.providers where provider.factor < 1 {
            #expect(abs(provider.share - result.providerShareMax) < 1e-9, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<200)
    func everyNumberIsInItsRange(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed, providers: 1 + seed % 5)
        let result = derivePosition(opinions, previous: .for)
        #expect((-1...1).contains(result.score))
        #expect((0...Double(seed) + 1e-9).contains(result.effectiveSampleSize))
        #expect((-1...1).contains(result.expectation))
        #expect((0...1).contains(result.deviation))
        #expect((0...1 + 1e-12).contains(result.disagreement))
        let shares = result.shares.for + result.shares.against + result.shares.neutral
        #expect(abs(shares - 1) < 1e-12)
    }

    /// A score that wanders around the bound by less than the hysteresis changes the position once.
    @Test(arguments: 0..<50)
    func noisyScoreAtTheBoundDoesNotFlap(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        var position = Stance.neutral
        var changes = 0
        for _ in 0..<500 {
            let score = 0.2 + Double.random(in: -0.049...0.049, using: &generator)
            let next = PositionRule.position(score: score, previous: position)
            if next != position { changes += 1 }
            position = next
        }
        #expect(changes == 1, "seed \(seed)")
        #expect(position == .for)
    }

    @Test func sideIsLeftBelowItsBoundOnly() {
        func next(_ score: Double, _ previous: Stance) -> Stance {
            PositionRule.position(score: score, previous: previous)
        }
        #expect(next(0.2, .neutral) == .for)
        #expect(next(0.199, .neutral) == .neutral)
        #expect(next(0.15, .for) == .for)
        #expect(next(0.149, .for) == .neutral)
        #expect(next(-0.15, .against) == .against)
        #expect(next(-0.149, .against) == .neutral)
        #expect(next(-0.199, .for) == .neutral, "no side is kept against the score")
        #expect(next(-0.2, .for) == .against)
        #expect(next(0.2, .against) == .for)
        #expect(next(0, .for) == .neutral)
    }

    private func opposite(_ opinion: Opinion) -> Opinion {
        var opinion = opinion
        switch opinion.stance {
        case .for: opinion.stance = .against
        case .against: opinion.stance = .for
        case .neutral: break
        }
        return opinion
    }
}
