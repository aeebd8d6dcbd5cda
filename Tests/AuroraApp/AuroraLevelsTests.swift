import Aurora
import Configuration
import Duties
import Expectations
import HubTesting
import LoopTesting

@testable import AuroraApp

@Suite("Aurora pipeline: levels that the operator has moved", .timeLimit(.minutes(10)))
struct AuroraLevelsTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    /// A pipeline that knows of a grid of that value over a clear sky.
    private func pipeline(
        _ bounds: LevelBounds,
        ovation value: UInt8,
        rules: [AlertRule] = []
    ) throws -> (pipeline: AuroraPipeline, events: [AuroraPipeline.PublishedEvent]) {
        var pipeline = AuroraPipeline(places: [.tromso], bounds: bounds, rules: rules)
        let values = [UInt8](repeating: value, count: Ovation.valueCount)
        let grid = try require(
            Ovation(observation: now, forecast: now + .seconds(3600), values: values)
        )
        let steps = (0..<24).map { WeatherStep(time: now + .seconds(3600 * $0), cloud: 0) }
        let sky = Locationforecast(updatedAt: now, steps: steps)
        let kp = (-8..<16).map { index in
            let start = now.roundedDown(to: .seconds(10_800)) + .seconds(10_800 * index)
            return #"{"time_tag":"\#(start.iso8601Seconds)","kp":3,"observed":"predicted"}"#
        }
        let forecast = "[" + kp.joined(separator: ",") + "]"
        let payloads: [AuroraPayload] = [
            .weather(place: "tromso", sky),
            try AuroraProduct.kForecast.decode(Array(forecast.utf8), now: now), .ovation(grid),
        ]
        let events = payloads.flatMap { pipeline.take($0, now: now) { "an-id" }.events }
        return (pipeline, events)
    }

    private func member(_ path: String..., of body: [UInt8]) throws -> String {
        var value = body[...]
        for key in path {
            let fields = try JSONReader.fields(of: value)
            value = try require(fields.first { $0.key == key }?.value)
        }
        return String(decoding: value, as: UTF8.self)
    }

    private func body(
        _ question: AuroraQuestion,
        _ pipeline: AuroraPipeline
    ) throws -> [UInt8] {
        try require(pipeline.body(of: question, place: .tromso))
    }

    @Test func allFormsTextsAndRulesAgreeOnThem() throws {
        let moved = try require(
            LevelBounds(low: 5, moderate: 10, good: 20, excellent: 40, leaveMargin: 2)
        )
        var rule = Configuration.Alert()
        rule.name = "top"
        rule.topics = "aurora:*"
        rule.when = #"level == "excellent""#
        let rules = [try require(AlertRule(rule, vocabulary: AlertVocabulary()) { _, _ in })]
        // 59 of 100: good by default.
        let usual = try pipeline(.standard, ovation: 32, rules: rules)
        let other = try pipeline(moved, ovation: 32, rules: rules)
        for (made, level, headline) in [
            (usual, "\"good\"", "\"Gode sjanser for nordlys nå\""),
            (other, "\"excellent\"", "\"Svært gode sjanser for nordlys nå\""),
        ] {
            let now = try body(.now(.norwegian), made.pipeline)
            try expectEqual(member("level", of: now), level)
            try expectEqual(member("headline", of: now), headline)
            let tonight = try body(.tonight(.norwegian), made.pipeline)
            try expectEqual(member("level", of: tonight), level)
            // Tonight's best hour is this one or a better one.
            let scores = try [tonight, now].map { Double(try member("score", of: $0)) ?? -1 }
            expect(scores[0] >= scores[1] && scores[1] >= 0)
            let explanation = try require(made.pipeline.derivations["tromso"]).explanation.json()
            try expectEqual(member("level", "value", of: explanation), level)
            let days = try JSONReader.elements(
                of: member("days", of: body(.forecast(days: 1), made.pipeline)).utf8.map { $0 }[...]
            )
            try expectEqual(member("rating", of: Array(require(days.first))), level)
            let raised = made.events.filter { $0.topic == auroraAlertsTopic(.tromso) }
            expectEqual(raised.count, (level == "\"excellent\"" ? 1 : 0))
        }
        let bounds = try require(other.pipeline.derivations["tromso"]).explanation.bounds
        expectEqual(bounds, moved)
    }

    @Test func levelIsLeftByTheConfiguredMargin() throws {
        let wide = try require(
            LevelBounds(low: 16, moderate: 33, good: 50, excellent: 75, leaveMargin: 15)
        )
        for (bounds, expected) in [(LevelBounds.standard, Level.moderate), (wide, .good)] {
            var (pipeline, _) = try self.pipeline(bounds, ovation: 32)
            expectEqual(pipeline.derivations["tromso"]?.conditions.level, .good)
            let values = [UInt8](repeating: 22, count: Ovation.valueCount)
            let later = now + .seconds(600)
            let grid = try require(
                Ovation(observation: later, forecast: later + .seconds(3600), values: values)
            )
            _ = pipeline.take(.ovation(grid), now: later) { "an-id" }
            expectEqual(pipeline.derivations["tromso"]?.conditions.level, expected)
        }
    }
}
