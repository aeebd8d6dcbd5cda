import Expectations
import Foundation

@testable import Radar

@Suite("Position: the vectors of protocol/vectors/radar.json", .timeLimit(.minutes(10)))
struct PositionVectorTests {
    /// The tails of the normal distribution have an error of 3 · 10⁻⁷.
    private static let accuracy = 1e-6

    @Test(arguments: RadarVectors.all.positions)
    private func opinionsMakeThePosition(_ vector: RadarVectors.Position) throws {
        let result = derived(
            try vector.opinions.map {
                plainOpinion(
                    try stance($0.stance),
                    $0.confidence,
                    provider: $0.provider,
                    day: $0.day
                )
            },
            previous: try vector.previous.map(stance)
        )
        expectEqual(result.position.rawValue, vector.position)
        expectEqual(result.strength.rawValue, vector.strength)
        expectEqual(result.certainty.rawValue, vector.certainty)
        expectEqual(result.changeSince?.dayNumber, vector.answersSince)
        expectNear(result.probability, vector.probability, "probability")
        expectNear(result.score, vector.score, "score")
        expectNear(result.weightSum, vector.weightSum, "weight sum")
        expectNear(result.effectiveSampleSize, vector.effectiveSampleSize, "effective sample size")
        expectNear(result.effectiveProviders, vector.effectiveProviders, "effective providers")
        expectNear(result.expectation, vector.expectation, "expectation")
        expectNear(result.deviation, vector.deviation, "deviation")
        expectNear(result.disagreement, vector.disagreement, "disagreement")
        try expectNear(result.shares.for, require(vector.shares["for"]), "for")
        try expectNear(result.shares.against, require(vector.shares["against"]), "against")
        try expectNear(result.shares.neutral, require(vector.shares["neutral"]), "neutral")
        for (provider, factor) in vector.providerFactors {
            let share = try require(result.providers.first { $0.provider == provider })
            expectNear(share.factor, factor, "factor of \(provider)")
        }
    }

    private func stance(_ word: String) throws -> Stance {
        try require(Stance(rawValue: word))
    }

    private func expectNear(_ value: Double, _ expected: Double, _ name: String) {
        expect(abs(value - expected) < Self.accuracy, "\(name): \(value), not \(expected)")
    }
}

@Suite("Position: evidence, changes and what is held", .timeLimit(.minutes(10)))
struct PositionDerivationTests {
    // MARK: Without evidence

    @Test func noOpinionsMakeNoPosition() {
        let result = derived([])
        expectEqual(result.position, .neutral)
        expectEqual(result.certainty, .insufficient)
        expectNil(result.hold)
        expectEqual(result.score, 0)
        expectEqual(result.effectiveSampleSize, 0)
        expect(!result.hasEvidence)
        let third = 1.0 / 3
        expectEqual(result.shares, StanceTally(for: third, against: third, neutral: third))
        expect(abs(result.disagreement - 1) < 1e-12)
        expectNil(result.forShareInterval)
        expectNil(result.coverage)
        expectEqual(result.providers, [])
        expectEqual(result.voices, [])
    }

    @Test func opinionsWithoutConfidenceHoldThePosition() {
        let silent = (0..<5).map { plainOpinion(.for, 0, provider: "\($0)") }
        let result = derived(silent, previous: .against)
        expectEqual(result.position, .against)
        expectEqual(result.hold, .insufficient)
        expectEqual(result.certainty, .insufficient)
        expectEqual(result.score, 0)
        expectEqual(result.counts.total, 0)
    }

    @Test func confidencesThatAreNoNumbersCountNothing() {
        let good = daily(.for, 40..<60) + daily(.against, 50..<60, provider: "b")
        let broken = [
            plainOpinion(.against, .nan, provider: "x"), plainOpinion(.against, -1, provider: "y"),
        ]
        expectEqual(derived(good + broken), derived(good))
    }

    // MARK: Repetition is no evidence

    @Test(arguments: Stance.allCases)
    func firstOpinionIsAPositionAndInsufficient(stance: Stance) {
        let result = derived([plainOpinion(stance, provider: "a")])
        expectEqual(result.position, stance)
        expectEqual(result.certainty, .insufficient)
    }

    @Test func threeAnswersOfOneModelAreNoMoreThanUncertain() {
        let oneDay = (0..<3).map { _ in plainOpinion(.for, provider: "a", source: "s") }
        let three = daily(.for, 57..<60, source: "s")
        for opinions in [oneDay, three] {
            let result = derived(opinions)
            expectEqual(result.position, .for)
            expect(result.certainty != .clear)
            expect(result.effectiveSampleSize < 2)
        }
        expect(derived(oneDay).effectiveSampleSize < derived(three).effectiveSampleSize)
        expectEqual(derived(oneDay).certainty, .insufficient)
        expectEqual(derived(three).certainty, .uncertain)
    }

    /// However many sources, answers of a day and days it has.
    @Test(arguments: [1, 2, 8], [1, 4])
    func oneProviderIsNeverClear(sources: Int, answersPerDay: Int) {
        let opinions = (0..<sources).flatMap { source in
            (0..<answersPerDay).flatMap { _ in daily(.for, 0..<60, source: "s\(source)") }
        }
        let result = derived(opinions, previous: .for)
        expectEqual(result.position, .for)
        expectEqual(result.strength, .strong)
        expectEqual(result.certainty, .uncertain)
        expect(abs(result.effectiveProviders - 1) < 1e-9)
    }

    @Test func agreeingProvidersAreClear() {
        let providers = ["a", "b", "c", "d", "e", "f"]
        let result = derived(providers.flatMap { daily(.against, 50..<60, provider: $0) })
        expectEqual(result.position, .against)
        expectEqual(result.strength, .strong)
        expectEqual(result.certainty, .clear)
        expectEqual(result.score, -1)
        expect(abs(result.effectiveProviders - 6) < 1e-9)
    }

    // MARK: Changes

    @Test func reversalOfAConsistentSourceIsFoundOnTheThirdDay() {
        let before = daily(.for, 10..<50)
        func after(_ days: Int) -> PositionDerivation {
            derived(
                before + daily(.against, 50..<(50 + days)),
                previous: .for,
                day: 49 + days
            )
        }
        expectEqual(after(1).position, .for)
        expectEqual(after(2).position, .for)
        expectEqual(after(3).position, .against)
        expectNil(after(3).hold)
        expectEqual(after(3).changeSince?.dayNumber, 50)
    }

    @Test func sourceThatHasAlwaysAnsweredBothIsNotFollowedByThreeAnswers() {
        let before = (10..<50).map {
            plainOpinion($0 % 3 == 0 ? .against : .for, provider: "a", day: $0)
        }
        let result = derived(before + daily(.against, 50..<53), previous: .for, day: 52)
        expectEqual(result.position, .for)
    }

    @Test func opinionsOfAReplacedModelLeave() {
        let opinions =
            daily(.for, 20..<58, source: "s") + daily(.against, 58..<60, source: "s", segment: 1)
        expectEqual(derived(opinions, previous: .for).position, .for)
        let replaced = derived(opinions, previous: .for, series: ["s": 1])
        expectEqual(replaced.position, .against)
        expectEqual(replaced.score, -1)
        expectEqual(replaced.counts, OpinionCounts(against: 2))
        expectEqual(replaced.voices.map(\.opinions), [2])
        expectEqual(replaced.voices.map(\.replacedOpinions), [38])
    }

    @Test func authorWithTheNameOfAReplacedSourceStays() {
        let opinions = [plainOpinion(.for, provider: "key:1", day: 59)]
        expectEqual(derived(opinions, series: ["key:1": 4]).counts.total, 1)
    }

    @Test func providerThatStoppedLeavesItsShareToOthers() throws {
        let opinions = daily(.for, 10..<60) + daily(.against, 10..<40, provider: "b")
        let result = derived(opinions, previous: .neutral)
        let silent = try require(result.providers.first { $0.provider == "b" })
        // Nineteen days without an answer, one of which is within the interval of polls.
        let freshness = exp2(-19.0 / 7)
        expect(abs(silent.share - freshness / (1 + freshness)) < 0.02)
        expectEqual(result.position, .for)
    }

    @Test func trustIsAFactorOfTheWeight() throws {
        let opinions =
            daily(.for, 50..<60, provider: "a", source: "a")
            + daily(.against, 50..<60, provider: "b", source: "b")
            + daily(.against, 50..<60, provider: "c", source: "c")
        let even = derived(opinions)
        let result = derived(opinions, trust: ["a": 0.5, "z": 9])
        func share(_ result: PositionDerivation) throws -> Double {
            try require(result.providers.first { $0.provider == "a" }).share
        }
        try expect(share(result) < share(even))
        expect(result.score < even.score)
        expectEqual(result.voices.map(\.trust), [0.5, 1, 1])
    }

    // MARK: The explanation

    @Test func answersWithoutAnOpinionAreReportedAndNotCounted() {
        let opinions = daily(.for, 54..<60)
        let asked = derived(opinions, noOpinions: ["refusal": 2])
        expectEqual(asked.coverage, 0.75)
        var unasked = asked
        unasked.noOpinions = [:]
        expectEqual(unasked, derived(opinions))
    }

    @Test func explanationHasEveryNumber() throws {
        let result = derived(
            daily(.for, 40..<60, source: "s") + daily(.against, 50..<60, provider: "b"),
            previous: .for,
            noOpinions: ["truncated": 1, "refusal": 3]
        )
        let text = String(decoding: result.json(), as: UTF8.self)
        expect(text.hasPrefix(#"{"position":"for","previous":"for","heldBy":"hysteresis","#))
        expect(text.contains(#""positionChange":null,"reason":{"en":""#))
        expect(text.contains(#""counts":{"for":20,"against":10,"neutral":0,"total":30},"#))
        expect(text.contains(#""noOpinions":{"refusal":3,"truncated":1},"coverage":0."#))
        expect(text.contains(#"{"name":"b","kind":"author","provider":"b","opinions":10,"#))
        expect(text.contains(#"{"name":"s","kind":"source","provider":"a","opinions":20,"#))
        expect(
            text.contains(
                #""bounds":{"leaningMin":0.2,"strongMin":0.6,"sideLeftBelow":0.05,"#
                    + #""neutralLeftBelow":0.1,"effectiveSampleSizeMin":1.2,"clearMin":0.85,"#
                    + #""clearProvidersMin":1.5,"providerShareMax":0.5,"windowDays":90}"#
            )
        )
        let object = try JSONSerialization.jsonObject(with: Data(result.json()))
        let keys = Set(try require(object as? [String: Any]).keys)
        expect(
            keys.isSuperset(of: [
                "probability", "positions", "effectiveSampleSize", "effectiveProviders",
                "expectation", "deviation", "shares", "disagreement", "forShareInterval",
                "answersSince", "providers", "voices", "methods",
            ])
        )
    }

    @Test func explanationShowsTheVoicesWithTheGreatestShares() throws {
        let authors = (0..<150).map { plainOpinion(.for, provider: "p\($0)") }
        let heavy = daily(.for, 50..<60, provider: "z")
        let text = String(decoding: derived(authors + heavy).json(), as: UTF8.self)
        let voices = try require(text.components(separatedBy: #""voices":["#).last)
        expectEqual(voices.components(separatedBy: #""kind":"author""#).count, 101)
        expect(voices.hasPrefix(#"{"name":"z","#))
    }
}
