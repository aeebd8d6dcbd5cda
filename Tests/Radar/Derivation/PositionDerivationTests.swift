import Foundation
import Testing

@testable import Radar

@Suite("Position: the vectors of protocol/vectors/radar.json", .timeLimit(.minutes(10)))
struct PositionVectorTests {
    private static let accuracy = 2e-9

    @Test(arguments: RadarVectors.all.positions)
    private func opinionsMakeThePosition(_ vector: RadarVectors.Position) throws {
        let result = derivePosition(
            try vector.opinions.map {
                try plainOpinion(stance($0.stance), $0.confidence, provider: $0.provider)
            },
            previous: try stance(vector.previous)
        )
        #expect(result.position.rawValue == vector.position)
        #expect(result.strength.rawValue == vector.strength)
        #expect(result.certainty.rawValue == vector.certainty)
        expect(result.score, vector.score, "score")
        expect(result.weightSum, vector.weightSum, "weight sum")
        expect(result.effectiveSampleSize, vector.effectiveSampleSize, "effective sample size")
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

@Suite("Position: certainty, holding and what is told", .timeLimit(.minutes(10)))
struct PositionDerivationTests {
    private let six = [
        plainOpinion(.for, 0.9, provider: "a"), plainOpinion(.for, 0.6, provider: "b"),
        plainOpinion(.against, 0.55, provider: "c"), plainOpinion(.neutral, 0.7, provider: "d"),
        plainOpinion(.for, 0.8, provider: "e"), plainOpinion(.against, 0.4, provider: "f"),
    ]

    /// The figures of the reference computation, in its digits.
    @Test func sixProvidersLeanForAndAreUncertain() {
        let result = derivePosition(six, previous: .neutral)
        func digits(_ value: Double, _ count: Int) -> String {
            String(format: "%.\(count)f", value)
        }
        #expect(digits(result.weightSum, 2) == "3.95")
        #expect(digits(result.score, 4) == "0.3418")
        #expect(digits(result.effectiveSampleSize, 3) == "5.648")
        #expect(digits(result.shares.for, 4) == "0.5320")
        #expect(digits(result.shares.against, 4) == "0.2593")
        #expect(digits(result.shares.neutral, 4) == "0.2088")
        #expect(digits(result.expectation, 4) == "0.2727")
        #expect(digits(result.deviation, 4) == "0.3471")
        #expect(digits(result.disagreement, 3) == "0.922")
        #expect(result.position == .for)
        #expect(result.strength == .leaning)
        #expect(result.certainty == .uncertain)
        #expect(result.hold == nil)
        #expect(result.counts == PositionDerivation.Counts(for: 3, against: 2, neutral: 1))
    }

    @Test func nobodyMakesNoPosition() {
        let result = derivePosition([], previous: .neutral)
        #expect(result.position == .neutral)
        #expect(result.certainty == .insufficient)
        #expect(result.hold == nil)
        #expect(result.score == 0)
        #expect(result.effectiveSampleSize == 0)
        let third = 1.0 / 3
        #expect(
            result.shares
                == PositionDerivation.Shares(for: third, against: third, neutral: third)
        )
        #expect(abs(result.disagreement - 1) < 1e-12)
        #expect(result.forShareInterval == nil)
        #expect(result.coverage == nil)
        #expect(result.providers == [])
    }

    @Test func opinionsWithoutConfidenceMakeNoPosition() {
        let silent = (0..<5).map { plainOpinion(.for, 0, provider: "\($0)") }
        let result = derivePosition(silent, previous: .against)
        #expect(result.position == .against)
        #expect(result.hold == .insufficient)
        #expect(result.certainty == .insufficient)
        #expect(result.score == 0)
        #expect(result.counts.total == 5)
    }

    /// The sums of three equal fractions miss 3 by a unit of the last place for many of them.
    @Test(arguments: 1...100)
    func threeEqualOpinionsAreEnough(percent: Int) {
        let confidence = Double(percent) / 100
        let three = ["a", "b", "c"].map { plainOpinion(.against, confidence, provider: $0) }
        let result = derivePosition(three, previous: .neutral)
        #expect(result.certainty != .insufficient)
        #expect(result.position == .against)
        let two = derivePosition(Array(three.dropLast()), previous: .neutral)
        #expect(two.certainty == .insufficient)
        #expect(two.position == .neutral)
    }

    @Test(arguments: 1...100)
    func threeAgainstTwoIsTheBoundWhateverTheConfidence(percent: Int) {
        let confidence = Double(percent) / 100
        let five = [Stance.for, .for, .for, .against, .against].enumerated().map {
            plainOpinion($1, confidence, provider: "\($0)")
        }
        #expect(derivePosition(five, previous: .neutral).position == .for)
    }

    @Test func manyOfOneMindAreClear() {
        let many = (0..<10).map { plainOpinion(.against, 0.9, provider: "\($0)") }
        let result = derivePosition(many, previous: .neutral)
        #expect(result.position == .against)
        #expect(result.strength == .strong)
        #expect(result.certainty == .clear)
        #expect(result.score == -1)
    }

    @Test func trustIsAFactorOfTheWeight() {
        let opinions = ["a", "b", "c", "d"].map {
            plainOpinion($0 == "a" ? .for : .against, 0.5, provider: $0, source: $0)
        }
        let result = derivePosition(opinions, previous: .neutral, trust: ["a": 0.5, "z": 9])
        #expect(result.weightSum == 1.75)
        #expect(result.score == -1.25 / 1.75)
        #expect(derivePosition(opinions, previous: .neutral).weightSum == 2)
    }

    @Test func numbersThatAreNoneWeighNothing() {
        let broken = plainOpinion(.against, .nan, provider: "x")
        let negative = plainOpinion(.against, -1, provider: "y")
        let result = derivePosition(six + [broken, negative], previous: .neutral)
        #expect(result.weightSum == derivePosition(six, previous: .neutral).weightSum)
        #expect(result.counts.total == 8)
    }

    @Test func answersWithoutAnOpinionAreToldAndNotCounted() {
        let asked = derivePosition(six, previous: .neutral, noOpinions: ["refusal": 2])
        #expect(asked.coverage == 0.75)
        var unasked = asked
        unasked.noOpinions = [:]
        #expect(unasked == derivePosition(six, previous: .neutral))
    }

    @Test func explanationTellsEveryNumber() throws {
        let result = derivePosition(
            Array(repeating: plainOpinion(.for, 1, provider: "a"), count: 3)
                + [plainOpinion(.against, 0.5, provider: "b")],
            previous: .for,
            noOpinions: ["truncated": 1, "refusal": 3]
        )
        let text = String(decoding: result.json(), as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"position":"neutral","previous":"for","heldBy":null,"strength":"divided","#
                    + #""certainty":"uncertain","score":0,"weightSum":1,"#
            )
        )
        #expect(text.contains(#""counts":{"for":3,"against":1,"neutral":0,"total":4},"#))
        #expect(text.contains(#""noOpinions":{"refusal":3,"truncated":1},"coverage":0.5,"#))
        #expect(
            text.contains(
                #"{"provider":"b","opinions":1,"shareBefore":0.14285714285714285,"share":0.5,"#
                    + #""factor":1}"#
            )
        )
        #expect(
            text.contains(
                #""bounds":{"leaningMin":0.2,"strongMin":0.6,"leaveBelow":0.15,"#
                    + #""effectiveSampleSizeMin":3,"providerShareMax":0.5,"windowDays":30}"#
            )
        )
        let object = try JSONSerialization.jsonObject(with: Data(result.json()))
        let keys = Set(try #require(object as? [String: Any]).keys)
        #expect(
            keys.isSuperset(of: [
                "effectiveSampleSize", "expectation", "deviation", "shares", "disagreement",
                "forShareInterval", "methods",
            ])
        )
    }
}
