import Foundation
import Testing

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
        #expect(result.position.rawValue == vector.position)
        #expect(result.strength.rawValue == vector.strength)
        #expect(result.certainty.rawValue == vector.certainty)
        #expect(result.changeSince?.dayNumber == vector.answersSince)
        expect(result.probability, vector.probability, "probability")
        expect(result.score, vector.score, "score")
        expect(result.weightSum, vector.weightSum, "weight sum")
        expect(result.effectiveSampleSize, vector.effectiveSampleSize, "effective sample size")
        expect(result.effectiveProviders, vector.effectiveProviders, "effective providers")
        expect(result.expectation, vector.expectation, "expectation")
        expect(result.deviation, vector.deviation, "deviation")
        expect(result.disagreement, vector.disagreement, "disagreement")
        expect(result.shares.for, try #require(vector.shares["for"]), "for")
        expect(result.shares.against, try #require(vector.shares["against"]), "against")
        expect(result.shares.neutral, try #require(vector.shares["neutral"]), "neutral")
        for (provider, factor) in vector.providerFactors {
            let share = try #require(result.providers.first { $0.provider == provider })
            expect(share.factor, factor, "factor of \(provider)")
        }
    }

    private func stance(_ word: String) throws -> Stance {
        try #require(Stance(rawValue: word))
    }

    private func expect(_ value: Double, _ expected: Double, _ name: String) {
        #expect(abs(value - expected) < Self.accuracy, "\(name): \(value), not \(expected)")
    }
}

@Suite("Position: evidence, changes and what is held", .timeLimit(.minutes(10)))
struct PositionDerivationTests {
    // MARK: Without evidence

    @Test func noOpinionsMakeNoPosition() {
        let result = derived([])
        #expect(result.position == .neutral)
        #expect(result.certainty == .insufficient)
        #expect(result.hold == nil)
        #expect(result.score == 0)
        #expect(result.effectiveSampleSize == 0)
        #expect(!result.hasEvidence)
        let third = 1.0 / 3
        #expect(result.shares == StanceTally(for: third, against: third, neutral: third))
        #expect(abs(result.disagreement - 1) < 1e-12)
        #expect(result.forShareInterval == nil)
        #expect(result.coverage == nil)
        #expect(result.providers == [])
        #expect(result.voices == [])
    }

    @Test func opinionsWithoutConfidenceHoldThePosition() {
        let silent = (0..<5).map { plainOpinion(.for, 0, provider: "\($0)") }
        let result = derived(silent, previous: .against)
        #expect(result.position == .against)
        #expect(result.hold == .insufficient)
        #expect(result.certainty == .insufficient)
        #expect(result.score == 0)
        #expect(result.counts.total == 0)
    }

    @Test func confidencesThatAreNoNumbersCountNothing() {
        let good = daily(.for, 40..<60) + daily(.against, 50..<60, provider: "b")
        let broken = [
            plainOpinion(.against, .nan, provider: "x"), plainOpinion(.against, -1, provider: "y"),
        ]
        #expect(derived(good + broken) == derived(good))
    }

    // MARK: Repetition is no evidence

    @Test(arguments: Stance.allCases)
    func firstOpinionIsAPositionAndInsufficient(stance: Stance) {
        let result = derived([plainOpinion(stance, provider: "a")])
        #expect(result.position == stance)
        #expect(result.certainty == .insufficient)
    }

    @Test func threeAnswersOfOneModelAreNoMoreThanUncertain() {
        let oneDay = (0..<3).map { _ in plainOpinion(.for, provider: "a", source: "s") }
        let three = daily(.for, 57..<60, source: "s")
        for opinions in [oneDay, three] {
            let result = derived(opinions)
            #expect(result.position == .for)
            #expect(result.certainty != .clear)
            #expect(result.effectiveSampleSize < 2)
        }
        #expect(derived(oneDay).effectiveSampleSize < derived(three).effectiveSampleSize)
        #expect(derived(oneDay).certainty == .insufficient)
        #expect(derived(three).certainty == .uncertain)
    }

    /// However many sources, answers of a day and days it has.
    @Test(arguments: [1, 2, 8], [1, 4])
    func oneProviderIsNeverClear(sources: Int, answersPerDay: Int) {
        let opinions = (0..<sources).flatMap { source in
            (0..<answersPerDay).flatMap { _ in daily(.for, 0..<60, source: "s\(source)") }
        }
        let result = derived(opinions, previous: .for)
        #expect(result.position == .for)
        #expect(result.strength == .strong)
        #expect(result.certainty == .uncertain)
        #expect(abs(result.effectiveProviders - 1) < 1e-9)
    }

    @Test func agreeingProvidersAreClear() {
        let providers = ["a", "b", "c", "d", "e", "f"]
        let result = derived(providers.flatMap { daily(.against, 50..<60, provider: $0) })
        #expect(result.position == .against)
        #expect(result.strength == .strong)
        #expect(result.certainty == .clear)
        #expect(result.score == -1)
        #expect(abs(result.effectiveProviders - 6) < 1e-9)
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
        #expect(after(1).position == .for)
        #expect(after(2).position == .for)
        #expect(after(3).position == .against)
        #expect(after(3).hold == nil)
        #expect(after(3).changeSince?.dayNumber == 50)
    }

    @Test func sourceThatHasAlwaysAnsweredBothIsNotFollowedByThreeAnswers() {
        let before = (10..<50).map {
            plainOpinion($0 % 3 == 0 ? .against : .for, provider: "a", day: $0)
        }
        let result = derived(before + daily(.against, 50..<53), previous: .for, day: 52)
        #expect(result.position == .for)
    }

    @Test func opinionsOfAReplacedModelLeave() {
        let opinions =
            daily(.for, 20..<58, source: "s") + daily(.against, 58..<60, source: "s", segment: 1)
        #expect(derived(opinions, previous: .for).position == .for)
        let replaced = derived(opinions, previous: .for, series: ["s": 1])
        #expect(replaced.position == .against)
        #expect(replaced.score == -1)
        #expect(replaced.counts == OpinionCounts(against: 2))
        #expect(replaced.voices.map(\.opinions) == [2])
        #expect(replaced.voices.map(\.replacedOpinions) == [38])
    }

    @Test func authorWithTheNameOfAReplacedSourceStays() {
        let opinions = [plainOpinion(.for, provider: "key:1", day: 59)]
        #expect(derived(opinions, series: ["key:1": 4]).counts.total == 1)
    }

    @Test func providerThatStoppedLeavesItsShareToOthers() throws {
        let opinions = daily(.for, 10..<60) + daily(.against, 10..<40, provider: "b")
        let result = derived(opinions, previous: .neutral)
        let silent = try #require(result.providers.first { $0.provider == "b" })
        // Nineteen days without an answer, one of which is within the interval of polls.
        let freshness = exp2(-19.0 / 7)
        #expect(abs(silent.share - freshness / (1 + freshness)) < 0.02)
        #expect(result.position == .for)
    }

    @Test func trustIsAFactorOfTheWeight() throws {
        let opinions =
            daily(.for, 50..<60, provider: "a", source: "a")
            + daily(.against, 50..<60, provider: "b", source: "b")
            + daily(.against, 50..<60, provider: "c", source: "c")
        let even = derived(opinions)
        let result = derived(opinions, trust: ["a": 0.5, "z": 9])
        func share(_ result: PositionDerivation) throws -> Double {
            try #require(result.providers.first { $0.provider == "a" }).share
        }
        #expect(try share(result) < share(even))
        #expect(result.score < even.score)
        #expect(result.voices.map(\.trust) == [0.5, 1, 1])
    }

    // MARK: The explanation

    @Test func answersWithoutAnOpinionAreReportedAndNotCounted() {
        let opinions = daily(.for, 54..<60)
        let asked = derived(opinions, noOpinions: ["refusal": 2])
        #expect(asked.coverage == 0.75)
        var unasked = asked
        unasked.noOpinions = [:]
        #expect(unasked == derived(opinions))
    }

    @Test func explanationHasEveryNumber() throws {
        let result = derived(
            daily(.for, 40..<60, source: "s") + daily(.against, 50..<60, provider: "b"),
            previous: .for,
            noOpinions: ["truncated": 1, "refusal": 3]
        )
        let text = String(decoding: result.json(), as: UTF8.self)
        #expect(text.hasPrefix(#"{"position":"for","previous":"for","heldBy":"hysteresis","#))
        #expect(text.contains(#""positionChange":null,"reason":{"en":""#))
        #expect(text.contains(#""counts":{"for":20,"against":10,"neutral":0,"total":30},"#))
        #expect(text.contains(#""noOpinions":{"refusal":3,"truncated":1},"coverage":0."#))
        #expect(text.contains(#"{"name":"b","kind":"author","provider":"b","opinions":10,"#))
        #expect(text.contains(#"{"name":"s","kind":"source","provider":"a","opinions":20,"#))
        #expect(
            text.contains(
                #""bounds":{"leaningMin":0.2,"strongMin":0.6,"sideLeftBelow":0.05,"#
                    + #""neutralLeftBelow":0.1,"effectiveSampleSizeMin":1.2,"clearMin":0.85,"#
                    + #""clearProvidersMin":1.5,"providerShareMax":0.5,"windowDays":90}"#
            )
        )
        let object = try JSONSerialization.jsonObject(with: Data(result.json()))
        let keys = Set(try #require(object as? [String: Any]).keys)
        #expect(
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
        let voices = try #require(text.components(separatedBy: #""voices":["#).last)
        #expect(voices.components(separatedBy: #""kind":"author""#).count == 101)
        #expect(voices.hasPrefix(#"{"name":"z","#))
    }
}
