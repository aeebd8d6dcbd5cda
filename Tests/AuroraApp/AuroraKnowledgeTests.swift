import Aurora
import Expectations

@testable import AuroraApp

@Suite("Aurora: no answer from no data", .timeLimit(.minutes(10)))
struct AuroraKnowledgeTests {
    private static let products: [AuroraProduct] = [
        .propagatedSolarWind, .kMinutes, .planetaryK, .kForecast, .ovation, .weather,
    ]
    /// Those that the activity can rest on.
    private static let activity: Set<AuroraProduct> = [
        .propagatedSolarWind, .kMinutes, .planetaryK, .kForecast, .ovation,
    ]
    private static let questions: [AuroraQuestion] = [
        .now(.norwegian), .tonight(.english), .hourly, .forecast(days: 3),
    ]

    /// Day, night and bright night; without data from outside, only the sun is known.
    @Test(arguments: ["2025-12-20T23:00:00Z", "2025-03-20T11:00:00Z", "2025-06-20T23:00:00Z"])
    func everyAnswerOfEverySubsetOfTheInputsRestsOnData(time: String) throws {
        let now = try require(Timestamp(iso8601: time))
        for bits in 0..<(1 << AuroraKnowledgeTests.products.count) {
            let known = AuroraKnowledgeTests.products.indices.filter { bits & 1 << $0 != 0 }
                .map { AuroraKnowledgeTests.products[$0] }
            var run = PipelineRun(places: [UnchangingStorm.place], rules: [])
            run.take(nil, at: now)
            for product in known {
                run.take(UnchangingStorm.payload(product, at: now), at: now)
            }
            for later in [Duration.zero, .seconds(60), .seconds(2 * 86_400)] {
                run.take(nil, at: now + later)
                check(run.pipeline, known: known, "\(time) + \(later): \(known)")
            }
            run.restart(places: [UnchangingStorm.place], rules: [])
            run.take(nil, at: now + .seconds(2 * 86_400))
            check(run.pipeline, known: known, "restarted, \(known)")
        }
    }

    private func check(_ pipeline: AuroraPipeline, known: [AuroraProduct], _ context: Comment) {
        let place = UnchangingStorm.place
        let inputs = pipeline.derivations[place.id]?.explanation
        let isBased = ["ovation", "coupling", "kp"].contains { inputs?.input($0)?.value != nil }
        for question in AuroraKnowledgeTests.questions {
            expectEqual((pipeline.body(of: question, place: place) != nil), isBased, context)
        }
        expectEqual(
            (pipeline.body(of: .oval, place: place) != nil),
            known.contains(.ovation),
            context
        )
        if AuroraKnowledgeTests.activity.isDisjoint(with: known) { expect(!isBased, context) }
    }

    @Test func firstDataMakeThePlaceKnownByDayToo() throws {
        let now = try require(Timestamp(iso8601: "2025-06-20T11:00:00Z"))
        var run = PipelineRun(places: [UnchangingStorm.place], rules: [])
        run.take(UnchangingStorm.payload(.weather, at: now), at: now)
        expect(!run.pipeline.isKnown(UnchangingStorm.place.id))
        expect(run.events.isEmpty)
        run.take(UnchangingStorm.payload(.kMinutes, at: now), at: now)
        expect(run.pipeline.isKnown(UnchangingStorm.place.id))
    }
}
