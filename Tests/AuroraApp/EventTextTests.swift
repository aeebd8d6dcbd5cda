import Aurora
import Expectations
import SeededRandom

@testable import AuroraApp

@Suite("Aurora events: texts in every language agree with their numbers", .timeLimit(.minutes(10)))
struct EventTextTests {
    private static let start = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    /// The words that claim a level, each in the texts of one level only.
    private static let claims: [String: [Level: String]] = [
        "nb": [
            .low: "Små sjanser", .moderate: "Middels sjanser", .good: "Gode sjanser",
            .excellent: "Svært gode sjanser",
        ],
        "en": [
            .low: "Small chance", .moderate: "Fair chance", .good: "Good chance",
            .excellent: "Very good chance",
        ],
    ]

    private func claimed(_ text: String, _ language: String) -> [Level] {
        Level.allCases.filter { level in
            EventTextTests.claims[language]?[level].map(text.hasPrefix) ?? false
        }
    }

    private func texts(_ event: Event, _ member: String) throws -> [String: String] {
        let bytes = try require(event.dataMember(member))
        let fields = try JSONReader.fields(of: bytes)
        return Dictionary(
            uniqueKeysWithValues: try fields.map {
                ($0.key, try require(JSONReader.string($0.value)))
            }
        )
    }

    /// Skies at random. Rules raise and clear alerts all the time; one asks for English.
    @Test func everyEventClaimsTheLevelOfItsConditions() throws {
        let seed: UInt64 = 20_241_209
        var random = SeededGenerator(seed: seed)
        var run = PipelineRun(rules: [
            try AlertRule(
                name: "default",
                topics: "aurora:*",
                when: AlertExpression("score >= 30"),
                severity: .info
            ),
            try AlertRule(
                name: "english",
                topics: "aurora:*",
                when: AlertExpression("score >= 30"),
                severity: .info,
                language: "en"
            ),
        ])
        var seen: Set<Level> = []
        var alertCount = 0
        for round in 0..<250 {
            let now = EventTextTests.start + .seconds(600 * round)
            let value = UInt8.random(in: 0...100, using: &random)
            let cloud = Double.random(in: 0...100, using: &random)
            let steps = (-1..<3).map {
                WeatherStep(time: now + .seconds(3600 * $0), cloud: cloud)
            }
            let forecast = Locationforecast(updatedAt: now, steps: steps)
            run.take(.weather(place: "tromso", forecast), at: now)
            let values = [UInt8](repeating: value, count: Ovation.valueCount)
            let grid = try require(Ovation(observation: now, forecast: now, values: values))
            let output = run.take(.ovation(grid), at: now)
            let conditions = try require(run.pipeline.derivations["tromso"]?.conditions)
            seen.insert(conditions.level)
            let context = Comment(rawValue: "seed \(seed), round \(round)")
            let known = conditions.limitingFactor != .data && conditions.level > .none
            for published in output.events where published.topic != auroraOvalTopic {
                let headlines = try texts(published.event, "headlines")
                expectEqual(Set(headlines.keys), ["nb", "en"], context)
                for (language, line) in headlines {
                    let expected = known ? [conditions.level] : []
                    expectEqual(claimed(line, language), expected, context)
                }
                let isEnglish = published.event.dataText("rule") == "english"
                let line = headlines[isEnglish ? "en" : "nb"]
                expectEqual(published.event.dataText("headline"), line, context)
                if published.topic != auroraTopic(.tromso) { alertCount += 1 }
            }
        }
        expectEqual(seen, Set(Level.allCases), "all levels came up")
        expect(alertCount > 40, "alerts were raised and cleared")
    }
}
