import Aurora
import Expectations
import HubTesting
import LoopTesting
import SeededRandom
import Store

@testable import AuroraApp

@Suite("Aurora pipeline: nights of the demo", .timeLimit(.minutes(10)))
struct AuroraPipelineNightTests {
    /// Over all nights, once for all tests.
    private static let wholeRun = Task {
        var run = PipelineRun()
        for input in try await DemoNights.inputs.value {
            run.take(input.payload, at: input.time)
            await Task.yield()
        }
        return run
    }

    @Test func eachNightRaisesAndClearsOneAlert() async throws {
        let run = try await AuroraPipelineNightTests.wholeRun.value
        let alerts = run.events(on: auroraAlertsTopic(.tromso))
        for night in 0..<DemoNights.count {
            let ofNight = alerts.filter { DemoNights.night(of: $0.time) == night }
            expectEqual(
                ofNight.map(\.type),
                ["aurora.alert.raised", "aurora.alert.cleared"],
                "night \(night)"
            )
            expectEqual(Set(ofNight.map { $0.dataText("alert_id") }).count, 1, "night \(night)")
        }
        expectEqual(alerts.count, 2 * DemoNights.count)
        expectEqual(Set(alerts.map { $0.dataText("alert_id") }).count, DemoNights.count)
        expect(alerts.allSatisfy { $0.dataText("rule") == "aurora-excellent" })
    }

    @Test func levelsRiseStepByStepAndFallAgain() async throws {
        let run = try await AuroraPipelineNightTests.wholeRun.value
        let events = run.events(on: auroraTopic(.tromso))
        for night in 0..<DemoNights.count {
            let levels = events.filter { DemoNights.night(of: $0.time) == night }
                .compactMap { $0.dataText("level").flatMap(Level.init(rawValue:)) }
                .withoutRepetition
            let rise = levels.prefix { $0 != .excellent }
            let fall = levels.reversed().prefix { $0 != .excellent }
            expect(levels.contains(.excellent), "night \(night): \(levels)")
            for step in [Level.low, .moderate, .good] {
                expect(rise.contains(step), "night \(night): \(levels)")
                expect(fall.contains(step), "night \(night): \(levels)")
            }
            expect(levels.last! <= .low, "night \(night): \(levels)")
        }
    }

    @Test func eventsAreInOrderAndTheirIdentifiersDiffer() async throws {
        let events = try await AuroraPipelineNightTests.wholeRun.value.events
        expectEqual(Set(events.map(\.event.id)).count, events.count)
        for (event, next) in zip(events, events.dropFirst()) {
            expect(event.event.time <= next.event.time)
        }
    }

    @Test func eachUpdateOfAPlaceDiffersFromTheOneBeforeInWhatReadersSee() async throws {
        let run = try await AuroraPipelineNightTests.wholeRun.value
        let seen = [
            "score", "level", "confidence", "headline", "kp_index", "cloud_coverage", "visibility",
            "recommendation",
        ]
        let updates = run.events(on: auroraTopic(.tromso)).map { event in
            seen.map { event.dataMember($0) }
        }
        expectEqual(updates.withoutRepetition.count, updates.count)
        // About one event in four minutes, so that subscribers are not flooded.
        expect(updates.count < DemoNights.count * 20 * 60 / 2)
    }

    /// Fifty restarts on one way through the nights: memory and rows never tell different stories.
    @Test func pipelineRestoredFromItsRowsGoesOnAsIfNothingHadHappened() async throws {
        let inputs = try await DemoNights.inputs.value
        let whole = try await AuroraPipelineNightTests.wholeRun.value
        let seed: UInt64 = 20_241_209
        var random = SeededGenerator(seed: seed)
        var restarts: Set<Int> = []
        while restarts.count < 50 {
            restarts.insert(Int.random(in: 1..<inputs.count, using: &random))
        }
        var run = PipelineRun()
        for (index, input) in inputs.enumerated() {
            if restarts.contains(index) {
                expectEqual(run.restart(), [], "seed \(seed), before input \(index)")
            }
            let output = run.take(input.payload, at: input.time)
            try require(
                output == whole.outputs[index],
                "seed \(seed), input \(index) at \(input.time.iso8601)"
            )
            await Task.yield()
        }
    }
}
