import Expectations
import Foundation

@testable import Radar

/// protocol/vectors/radar.json
struct RadarVectors: Decodable {
    struct Form: Decodable {
        var name: String
        var kind: String
        var text: String
    }

    struct EventText: Decodable {
        var name: String
        var text: String
    }

    struct Request: Decodable, CustomTestStringConvertible {
        var name: String
        var request: String
        var body: String
        /// Nil for one that is taken.
        var error: String?
        var testDescription: String { name }
    }

    struct Position: Decodable, CustomTestStringConvertible {
        var name: String
        /// Nil before the first position.
        var previous: String?
        var opinions: [Voice]
        var position: String
        var strength: String
        var certainty: String
        var probability: Double
        var score: Double
        var weightSum: Double
        var effectiveSampleSize: Double
        var effectiveProviders: Double
        var expectation: Double
        var deviation: Double
        var shares: [String: Double]
        var disagreement: Double
        var providerFactors: [String: Double]
        /// A day; nil without a change in the window.
        var answersSince: Int?
        var testDescription: String { name }
    }

    /// `["for", 0.9, "a", 59]`
    struct Voice: Decodable {
        var stance: String
        var confidence: Double
        var provider: String
        var day: Int

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            stance = try list.decode(String.self)
            confidence = try list.decode(Double.self)
            provider = try list.decode(String.self)
            day = try list.decode(Int.self)
        }
    }

    struct Slope: Decodable, CustomTestStringConvertible {
        var name: String
        /// Days and scores.
        var scores: [[Double]]
        var perDay: Double
        var count: Int
        var variance: Double
        var pValue: Double
        var testDescription: String { name }
    }

    var forms: [Form]
    var events: [EventText]
    var requests: [Request]
    var positions: [Position]
    var slopes: [Slope]

    static let all: Self = {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "protocol/vectors/radar.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Self.self, from: Data(contentsOf: url))
        } catch {
            preconditionFailure("\(url.path): \(error)")
        }
    }()

    static func form(_ name: String) throws -> String {
        try require(all.forms.first { $0.name == name }, "no form \(name)").text
    }

    static func event(_ name: String) throws -> String {
        try require(all.events.first { $0.name == name }, "no event \(name)").text
    }
}

/// The radar and the opinions that the vectors show. Their instants have fractions, which no form may
/// show.
enum ExampleRadar {
    static let id = "019b7dd2-5e80-7000-8000-000000000001"

    static let opinions = [
        opinion(
            1,
            author: "Claude",
            model: "claude-example-20260101",
            content: "Four days are enough: \"less\" is more.\nTry it in Tromsø.",
            stance: .for,
            confidence: 0.9,
            reasoning: "Trials kept their output.",
            at: "2026-01-02T11:00:00.789Z"
        ),
        opinion(
            2,
            author: "An economist",
            model: "survey",
            content: "Wages would have to fall.",
            stance: .against,
            confidence: 0.55,
            at: "2026-01-02T10:30:00.001Z"
        ),
        opinion(
            3,
            author: "GPT",
            model: "gpt-example",
            content: "It depends on the trade. 🗓",
            stance: .neutral,
            confidence: 1,
            at: "2025-12-31T23:59:59.999Z"
        ),
    ]

    static let interpretation = Interpretation(
        text: "Whether full-time work should take four days a week.",
        category: "economy",
        subCategory: "labour",
        tags: ["work", "week"],
        sentiment: .mixed,
        source: "claude"
    )

    static let lexical = Interpretation(
        text: "four-day working week",
        category: "general",
        tags: [],
        sentiment: .neutral,
        source: Interpretation.lexicalSource,
        language: .english
    )

    static let polled = RadarState(
        id: id,
        userID: "user-1",
        topic: "four-day working week",
        interpretation: interpretation,
        position: .for,
        lastPolledAt: instant("2026-01-02T11:00:00.500Z"),
        refreshCount: 3,
        lastPoll: LastPoll(
            startedAt: instant("2026-01-02T11:00:00.500Z"),
            isFailed: false,
            failures: ["gpt": .unreachable]
        ),
        createdAt: instant("2026-01-02T10:00:00.250Z"),
        updatedAt: instant("2026-01-02T11:00:05.125Z"),
        isPublic: true,
        standing: standing
    )

    /// After the first of the opinions.
    private static let standing: PositionStanding = {
        let now = instant("2026-01-02T11:00:05.125Z")
        var standing = PositionStanding()
        let derivation = derivePosition([opinions[0]], previous: nil, now: now)
        standing.take(derivation, from: .neutral, now: now)
        return standing
    }()

    static let unpolled = RadarState(
        id: id,
        userID: "user-1",
        topic: "four-day working week",
        interpretation: lexical,
        createdAt: instant("2026-01-02T10:00:00.250Z"),
        updatedAt: instant("2026-01-02T10:00:00.250Z")
    )

    static func instant(_ text: String) -> Timestamp {
        guard let time = Timestamp(iso8601: text) else { preconditionFailure("no time: \(text)") }
        return time
    }

    private static func opinion(
        _ number: Int,
        author: String,
        model: String,
        content: String,
        stance: Stance,
        confidence: Double,
        reasoning: String? = nil,
        at time: String
    ) -> Opinion {
        Opinion(
            id: "019b7dd2-5e80-7000-8000-00000000010\(number)",
            radarID: id,
            author: author,
            model: model,
            content: content,
            stance: stance,
            confidence: confidence,
            reasoning: reasoning,
            createdAt: instant(time),
            provider: author
        )
    }
}

/// An opinion of which only the numbers matter, at noon of a day counted from 1970-01-01.
func plainOpinion(
    _ stance: Stance,
    _ confidence: Double = 0.9,
    provider: String,
    source: String? = nil,
    id: Int = 0,
    day: Int = PlainDays.last,
    segment: Int = 0
) -> Opinion {
    Opinion(
        id: String(id),
        radarID: ExampleRadar.id,
        author: source ?? provider,
        model: "model",
        content: "content",
        stance: stance,
        confidence: confidence,
        createdAt: PlainDays.midnight(day) + .seconds(43_200),
        source: source,
        provider: provider,
        segment: segment
    )
}

/// The days of plain opinions.
enum PlainDays {
    /// On which positions are derived that name no day.
    static let last = 59

    static func midnight(_ day: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(day) * 86_400_000)
    }

    /// The end of a day, when its position is derived.
    static func end(_ day: Int) -> Timestamp { midnight(day + 1) - .milliseconds(1) }
}

/// Opinions of one voice, one on each day.
func daily(
    _ stance: Stance,
    _ days: Range<Int>,
    provider: String = "a",
    source: String? = nil,
    segment: Int = 0
) -> [Opinion] {
    days.map {
        plainOpinion(stance, provider: provider, source: source, day: $0, segment: segment)
    }
}

/// What the opinions amount to at the end of a day.
func derived(
    _ opinions: [Opinion],
    previous: Stance? = nil,
    day: Int = PlainDays.last,
    trust: [String: Double] = [:],
    series: [String: Int] = [:],
    noOpinions: [String: Int] = [:]
) -> PositionDerivation {
    derivePosition(
        opinions,
        previous: previous,
        now: PlainDays.end(day),
        trust: trust,
        series: series,
        noOpinions: noOpinions
    )
}
