import Expectations

@testable import Radar

@Suite("Regime filter: since when the answers are as they are", .timeLimit(.minutes(10)))
struct RegimeFilterTests {
    private func filter(_ opinions: [Opinion]) -> RegimeFilter {
        RegimeFilter(Ballot(opinions, trust: [:], series: [:]))
    }

    @Test func noAnswersHaveNoRegime() {
        expect(filter([]).regimes.isEmpty)
        expectNil(filter([]).mostProbable)
    }

    @Test func firstDayIsOneRegime() {
        let regimes = filter(daily(.for, 3..<4)).regimes
        expectEqual(regimes.map(\.start), [0])
        expectEqual(regimes.map(\.probability), [1])
        expectEqual(regimes[0].tallies, [StanceTally(for: 1)])
    }

    @Test(arguments: 0..<50)
    func probabilitiesAddUpToOne(seed: Int) {
        var generator = OpinionGenerator(seed: seed)
        let regimes = filter(generator.opinions(count: 100, providers: 1 + seed % 5)).regimes
        // What is passed over has less than a millionth each.
        expect(abs(regimes.reduce(0) { $0 + $1.probability } - 1) < 1e-4)
        expectEqual(regimes.map(\.start), regimes.map(\.start).sorted())
        expectEqual(regimes.first?.start, 0)
    }

    /// Two days: the second one begins a regime with the probability 0.005 and is then as likely as the
    /// prior, a third; otherwise it is as likely as the first answer makes it.
    @Test func secondDayHasTheProbabilityOfBayes() throws {
        let regimes = filter(daily(.for, 0..<1) + daily(.against, 1..<2)).regimes
        let old = 0.995 * (1.0 / 3) / 2
        let new = 0.005 * (1.0 / 3)
        expectEqual(regimes.map(\.start), [0, 1])
        try expect(abs(require(regimes.last).probability - new / (old + new)) < 1e-12)
    }

    @Test func steadyAnswersAreOneRegime() {
        expectEqual(filter(daily(.for, 0..<60)).mostProbable?.start, 0)
    }

    @Test func reversalBeginsARegime() throws {
        let answers = daily(.for, 0..<40) + daily(.against, 40..<43)
        let probable = try require(filter(answers).mostProbable)
        expectEqual(probable.start, 40)
        expect(probable.probability > 0.8)
        expect(abs(probable.tallies[0].against - 3) < 1e-9)
        expectEqual(probable.tallies[0].for, 0)
    }

    @Test func contraryAnswersOfADividedVoiceBeginNone() {
        let divided = (0..<40).map {
            plainOpinion($0 % 3 == 0 ? .against : .for, provider: "a", day: $0)
        }
        expectEqual(filter(divided + daily(.against, 40..<43)).mostProbable?.start, 0)
    }

    @Test func severalVoicesThatTurnAreFoundEarlier() throws {
        func probability(_ voices: Int) throws -> Double {
            let answers = (0..<voices).flatMap {
                daily(.for, 0..<30, provider: "\($0)") + daily(.against, 30..<31, provider: "\($0)")
            }
            return try require(filter(answers).regimes.last { $0.start == 30 }).probability
        }
        try expect(probability(1) < 0.5)
        try expect(probability(3) > 0.95)
    }

    @Test func likelihoodsBelowEveryDoubleLeaveProbabilities() {
        let voices = (0..<300).flatMap { voice in
            (0..<4).map { day in
                plainOpinion(
                    Stance.allCases[(voice + day) % 3],
                    provider: "\(voice)",
                    day: day
                )
            }
        }
        let regimes = filter(voices).regimes
        expect(regimes.allSatisfy { $0.probability.isFinite })
        expect(abs(regimes.reduce(0) { $0 + $1.probability } - 1) < 1e-4)
    }
}
