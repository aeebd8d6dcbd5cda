import Expectations

@testable import Radar

@Suite("Position: what holds for any opinions", .timeLimit(.minutes(10)))
struct PositionPropertyTests {
    private let series = ["s0": 1]
    private let trust = ["s1": 0.5]

    @Test(arguments: 0..<60)
    func orderOfOpinionsDoesNotMatter(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed + 1, providers: 1 + seed % 9)
        let result = derived(opinions, previous: .against, trust: trust, series: series)
        for _ in 0..<5 {
            let shuffled = opinions.shuffled(using: &generator)
            let again = derived(shuffled, previous: .against, trust: trust, series: series)
            expectEqual(again, result, "seed \(seed)")
        }
    }

    /// Each opinion is followed by a derivation, as in the hub; only the last one of a day counts.
    @Test(arguments: 0..<12)
    func orderOfArrivalWithinADayDoesNotMatter(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: 60, providers: 1 + seed % 4)
        let days = Dictionary(grouping: opinions, by: \.createdAt.dayNumber)
        func followed(_ order: (inout OpinionGenerator, [Opinion]) -> [Opinion]) -> [RadarState] {
            var radar = ExampleRadar.unpolled
            var arrived: [Opinion] = []
            return days.keys.sorted().map { day in
                for opinion in order(&generator, days[day] ?? []) {
                    arrived.append(opinion)
                    let now = PlainDays.end(day)
                    let previous = radar.previousPosition(now: now)
                    let result = derivePosition(arrived, previous: previous, now: now)
                    _ = radar.take(result, now: now)
                }
                return radar
            }
        }
        let first = followed { $1 }
        for _ in 0..<2 {
            expectEqual(followed { $1.shuffled(using: &$0) }, first, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<100)
    func equalOpinionsOfOppositeStanceCancel(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed + 1, providers: 1 + seed % 9)
        let both = (opinions + opinions.map(opposite)).shuffled(using: &generator)
        let result = derived(both)
        expect(abs(result.score) < 1e-12, "seed \(seed)")
        expect(abs(result.expectation) < 1e-12, "seed \(seed)")
        expect(abs(result.positions.for - result.positions.against) < 1e-12, "seed \(seed)")
        expectEqual(result.position, .neutral, "seed \(seed)")
    }

    @Test(arguments: 0..<60)
    func oppositeOpinionsMakeTheOppositePosition(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed + 1, providers: 1 + seed % 9)
        for previous in [Stance?.none, .for, .neutral] {
            let result = derived(opinions, previous: previous)
            let mirrored = derived(opinions.map(opposite), previous: previous.map(opposite))
            expect(abs(mirrored.score + result.score) < 1e-12, "seed \(seed)")
            expectEqual(mirrored.position, opposite(result.position), "seed \(seed)")
            expectEqual(mirrored.certainty, result.certainty, "seed \(seed)")
        }
    }

    /// Also for providers that talk a hundred times as much as others.
    @Test(arguments: 0..<150)
    func noProviderHasMoreThanItsShareOfFreshWeights(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: 1 + seed, providers: 1 + seed % 12)
        let result = derived(opinions)
        let counting = result.providers.filter { $0.shareBefore > 0 }
        expectEqual(result.providerShareMax, max(0.4, 1 / Double(max(1, counting.count))))
        let sum = counting.reduce(0) { $0 + $1.shareBefore * $1.factor }
        let shareMax = result.providerShareMax + 1e-9
        expect(counting.allSatisfy { $0.shareBefore * $0.factor / sum <= shareMax }, "seed \(seed)")
        expect(counting.allSatisfy { 0 < $0.factor && $0.factor <= 1 }, "seed \(seed)")
        let shares = result.providers.map(\.share).reduce(0, +)
        expect(abs(shares - 1) < 1e-9, "seed \(seed): \(shares)")
        // A provider that is scaled has all that is allowed.
        for provider in counting where provider.factor < 1 {
            let share = provider.shareBefore * provider.factor / sum
            expect(abs(share - result.providerShareMax) < 1e-9, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<100)
    func everyNumberIsInItsRange(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let opinions = generator.opinions(count: seed, providers: 1 + seed % 5)
        let result = derived(opinions, previous: .for)
        expect((-1...1).contains(result.score))
        expect((0...Double(seed) + 1e-9).contains(result.effectiveSampleSize))
        expect((0...Double(result.providers.count) + 1e-9).contains(result.effectiveProviders))
        expect((-1...1).contains(result.expectation))
        expect((0...1).contains(result.deviation))
        expect((0...1).contains(result.disagreement))
        expect((0...1).contains(result.probability))
        expect(result.certainty != .clear || result.effectiveProviders >= 1.5)
        expect(abs(result.shares.sum - 1) < 1e-12)
        expect(abs(result.positions.sum - 1) < 1e-6)
        let voices = result.voices.map(\.share).reduce(0, +)
        expect(seed == 0 || abs(voices - 1) < 1e-9, "seed \(seed): \(voices)")
        expect(result.voices.allSatisfy { (0.5...1.25).contains($0.factor) })
    }

    private func opposite(_ stance: Stance) -> Stance {
        switch stance {
        case .for: .against
        case .against: .for
        case .neutral: .neutral
        }
    }

    private func opposite(_ opinion: Opinion) -> Opinion {
        var opinion = opinion
        opinion.stance = opposite(opinion.stance)
        return opinion
    }
}
