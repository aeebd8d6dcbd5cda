import Aurora
import Expectations
import Foundation
import Repository

@testable import AuroraApp

/// Recorded days, from the bytes of the upstreams to the events that subscribers get.
@Suite("Aurora pipeline: recorded days at Tromsø", .timeLimit(.minutes(10)))
struct AuroraRecordedDaysTests {
    private func time(_ text: String) -> Timestamp { Timestamp(iso8601: text)! }

    private func decoded(_ product: AuroraProduct, _ file: String, now: String) throws
        -> AuroraPayload
    {
        let path = "\(repositoryRoot)/recordings/\(file)"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        return try product.decode(Array(bytes), now: time(now))
    }

    // MARK: 10 and 11 May 2024

    /// The strongest storm in twenty years, under a clear sky that never got dark.
    @Test func stormOfMay2024RaisesNothing() async throws {
        let end = "2024-05-12T00:00:00Z"
        let folder = "spaceweather"
        let wind = [
            try decoded(
                .rtswField,
                "\(folder)/rtsw_mag_1m.2024-05-10-g5.reformatted.json",
                now: end
            ),
            try decoded(
                .rtswPlasma,
                "\(folder)/rtsw_wind_1m.2024-05-10-g5.reformatted.json",
                now: end
            ),
            try decoded(
                .planetaryK,
                "\(folder)/noaa-planetary-k-index.2024-05-12-g5.reformatted.json",
                now: "2024-05-13T00:00:00Z"
            ),
        ]
        let grid = try decoded(
            .ovation,
            "\(folder)/ovation_aurora_latest.2024-03-03-storm.json",
            now: end
        )
        var run = PipelineRun()
        var greatestActivity = 0.0
        for step in 0...(36 * 6) {
            let now = time("2024-05-10T12:00:00Z") + .seconds(600 * step)
            for payload in wind { run.take(payload.said(by: now), at: now) }
            let moved: AuroraPayload = try require(grid.moved(to: now))
            run.take(moved, at: now)
            run.take(clearSky(at: now), at: now)
            expectEqual(run.level, Level.none, "\(now.iso8601)")
            let score = try require(run.pipeline.derivations["tromso"]).explanation.score
            greatestActivity = max(greatestActivity, score.activity ?? 0)
            await Task.yield()
        }
        expect(greatestActivity > 0.95, "the storm itself was seen")
        expectEqual(run.events(on: auroraAlertsTopic(.tromso)), [])
        let updates = run.events(on: auroraTopic(.tromso))
        expect(!updates.isEmpty)
        expect(updates.allSatisfy { $0.dataText("level") == "none" })
    }

    private func clearSky(at now: Timestamp) -> AuroraPayload {
        let steps = (-1..<11).map { WeatherStep(time: now + .seconds(3600 * $0), cloud: 0) }
        return .weather(place: "tromso", Locationforecast(updatedAt: now, steps: steps))
    }

    // MARK: 9 December 2024

    /// The synthetic evening of 1 January 2025, moved so that its second hour begins at 17:00.
    private func december(cloud: String) throws -> PipelineRun {
        let now = "2024-12-09T17:10:00Z"
        let weather = try decoded(
            .weather,
            "weather/metno-locationforecast-compact.tromso-\(cloud).synthetic.json",
            now: "2025-01-01T18:00:00Z"
        )
        guard case .weather(let place, var forecast) = weather else { throw NotWeather() }
        let shift = time("2025-01-01T19:00:00Z") - time("2024-12-09T17:00:00Z")
        forecast.updatedAt = forecast.updatedAt - shift
        forecast.steps = forecast.steps.map {
            var step = $0
            step.time = step.time - shift
            return step
        }
        var run = PipelineRun()
        run.take(.weather(place: place, forecast), at: time(now))
        let grid = try decoded(
            .ovation,
            "spaceweather/ovation_aurora_latest.2024-12-09-active.json",
            now: now
        )
        run.take(grid, at: time(now))
        return run
    }

    private struct NotWeather: Error {}

    @Test func activeDecemberEveningUnderAClearSkyIsGood() throws {
        let run = try december(cloud: "clear")
        try expect(require(run.level) >= .good)
        let told = try require(run.events(on: auroraTopic(.tromso)).last)
        let level = try require(told.dataText("level").flatMap(Level.init(rawValue:)))
        expect(level >= .good)
    }

    @Test func sameEveningUnderOvercastScoresNothing() throws {
        let run = try december(cloud: "overcast")
        expectEqual(run.level, Level.none)
        expectEqual(run.pipeline.derivations["tromso"]?.conditions.score, 0)
        let told = try require(run.events(on: auroraTopic(.tromso)).last)
        expectEqual(told.dataMember("score").map(Array.init), Array("0".utf8))
    }
}

extension AuroraPayload {
    /// What the upstream had said by `now`.
    fileprivate func said(by now: Timestamp) -> AuroraPayload {
        switch self {
        case .solarWind(var value):
            value.minutes.removeAll { $0.time > now }
            return .solarWind(value)
        case .planetaryK(var value):
            // An interval is published after it has ended.
            value.intervals.removeAll { $0.start + KInterval.length > now }
            return .planetaryK(value)
        case .kForecast, .kOutlook, .kMinutes, .ovation, .weather, .scales, .bulletins:
            return self
        }
    }

    /// The same grid, observed now.
    fileprivate func moved(to now: Timestamp) -> AuroraPayload? {
        guard case .ovation(let grid) = self else { return nil }
        return Ovation(observation: now, forecast: now + .seconds(3600), values: grid.values)
            .map(AuroraPayload.ovation)
    }
}
