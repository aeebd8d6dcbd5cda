import Expectations
import Radar

@testable import RadarTools

@Suite("Simulation: sources and worlds", .timeLimit(.minutes(10)))
struct SimulatedSourceTests {
    private let mostlyFor = StanceTally(for: 0.8, against: 0.15, neutral: 0.05)

    private func radar(
        _ change: SimulatedChange = .none,
        _ configure: (inout SimulatedSource) -> Void = { _ in }
    ) -> SimulatedRadar {
        var source = SimulatedSource(mostlyFor, provider: "p")
        configure(&source)
        return SimulatedRadar([source], change: change)
    }

    private func opinions(_ radar: SimulatedRadar, days: Range<Int>, seed: UInt64 = 1) -> [Opinion]
    {
        var random = SimulationRandom(seed: seed)
        return days.flatMap { radar.opinions(day: $0, &random) }
    }

    private func share(_ stance: Stance, _ opinions: [Opinion]) -> Double {
        Double(opinions.count { $0.stance == stance }) / Double(opinions.count)
    }

    @Test func sameSeedGivesTheSameOpinions() {
        let all = radar { $0.answersPerDay = 3 }
        expectEqual(opinions(all, days: 0..<20), opinions(all, days: 0..<20))
        expect(opinions(all, days: 0..<20) != opinions(all, days: 0..<20, seed: 2))
    }

    @Test func answersHaveTheirDistribution() {
        let many = opinions(radar { $0.answersPerDay = 4 }, days: 0..<2000)
        expectEqual(many.count, 8000)
        expect(abs(share(.for, many) - 0.8) < 0.02)
        expect(abs(share(.neutral, many) - 0.05) < 0.01)
        expectEqual(Set(many.map(\.id)).count, many.count)
    }

    @Test func reversalSwapsTheSidesFromItsDay() {
        let turned = radar(.reversal(day: 1000))
        expect(abs(share(.for, opinions(turned, days: 0..<1000)) - 0.8) < 0.04)
        expect(abs(share(.against, opinions(turned, days: 1000..<2000)) - 0.8) < 0.04)
        expect(turned.score(day: 999) > 0)
        expectEqual(turned.score(day: 1000), -turned.score(day: 999))
    }

    @Test(arguments: [(9, 0.0), (10, 0), (25, 0.5), (40, 1), (99, 1)])
    func driftTakesItsDays(day: Int, part: Double) {
        expectEqual(SimulatedChange.drift(day: 10, days: 30).part(day: day), part)
    }

    @Test func sourceThatStopsIsSilent() {
        let stopping = radar { $0.endDay = 5 }
        expectEqual(opinions(stopping, days: 0..<20).count, 5)
    }

    @Test func sourceThatFailsIsSilentOnSomeDays() {
        let failing = radar { $0.failure = 0.5 }
        expect(abs(opinions(failing, days: 0..<2000).count - 1000) < 100)
    }

    @Test func replacedSourceHasAnotherModel() {
        let replaced = radar { $0.replacedEvery = 40 }
        let models = opinions(replaced, days: 38..<42).map(\.model)
        expectEqual(models, ["model 0", "model 0", "model 1", "model 1"])
    }

    @Test func sourceWithoutAConfidenceStatesOneHalf() {
        expect(opinions(radar(), days: 0..<9).allSatisfy { $0.confidence == 0.5 })
        let sure = opinions(radar { $0.confidence = 0.99 }, days: 0..<99)
        expect(sure.allSatisfy { (0.94...1).contains($0.confidence) })
        expect(Set(sure.map(\.confidence)).count > 50)
    }

    @Test func scoreCountsEachProviderOnce() {
        var sources = ["a", "a", "a"].map {
            SimulatedSource(StanceTally(for: 1), provider: $0)
        }
        sources.append(SimulatedSource(StanceTally(against: 1), provider: "b"))
        expectEqual(SimulatedRadar(sources).score(day: 0), 0)
    }

    @Test func worldsScatterAroundTheirTopic() {
        var right = 0
        for seed in 0..<300 {
            var random = SimulationRandom(seed: UInt64(seed))
            let world = SimulatedWorld(&random)
            expect((1...16).contains(world.radar.sources.count))
            for source in world.radar.sources { expect(abs(source.answers.sum - 1) < 1e-9) }
            let asked = position(ofScore: world.radar.score(day: 0))
            if asked == world.position(day: 0) { right += 1 }
        }
        expect(right > 150, "the sources that are asked say something of all")
        expect(right < 300, "and do not say all")
    }
}

@Suite("Simulation: random numbers", .timeLimit(.minutes(10)))
struct SimulationRandomTests {
    /// The first numbers of SplitMix64 for the seed 1234567, as its author gives them.
    @Test func numbersAreThoseOfSplitMix64() {
        var random = SimulationRandom(seed: 1_234_567)
        expectEqual(random.next(), 6_457_827_717_110_365_317)
        expectEqual(random.next(), 3_203_168_211_198_807_973)
    }

    @Test(arguments: [0.1, 1.0, 20])
    func distributionHasItsMean(concentration: Double) {
        var random = SimulationRandom(seed: 3)
        let mean = StanceTally(for: 0.5, against: 0.3, neutral: 0.2)
        var sum = StanceTally()
        let count = 4000
        for _ in 0..<count {
            let drawn = random.distribution(around: mean, concentration: concentration)
            expect(abs(drawn.sum - 1) < 1e-9)
            sum += drawn * (1 / Double(count))
        }
        for stance in Stance.allCases { expect(abs(sum[stance] - mean[stance]) < 0.03) }
    }

    @Test func smallConcentrationGivesMostlyOneStance() {
        var random = SimulationRandom(seed: 4)
        let even = StanceTally(for: 1.0 / 3, against: 1.0 / 3, neutral: 1.0 / 3)
        func greatest(_ concentration: Double) -> Double {
            (0..<1000).reduce(0) { sum, _ in
                let drawn = random.distribution(around: even, concentration: concentration)
                return sum + max(drawn.for, drawn.against, drawn.neutral) / 1000
            }
        }
        expect(greatest(0.1) > 0.9)
        expect(greatest(100) < 0.45)
    }
}
