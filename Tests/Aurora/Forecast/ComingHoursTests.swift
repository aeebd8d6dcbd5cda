import Expectations
import SeededRandom

@testable import Aurora

@Suite("Coming hours: continuity with what is measured", .timeLimit(.minutes(10)))
struct ComingHoursTests {
    private func sky(seed: UInt64) -> Sky {
        var random = SeededGenerator(seed: seed)
        var sky = Sky()
        // A second before a full hour, in the dark half of the year.
        let hours = Int.random(in: 0..<4000, using: &random)
        sky.now = at("2025-10-01T00:00:00Z").minutes(60 * hours) - .seconds(1)
        if Int.random(in: 0..<4, using: &random) == 0 {
            sky.kp = nil
        } else {
            sky.kp = Double.random(in: 0...9, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            sky.cloud = nil
        } else {
            sky.cloud = Double.random(in: 0...100, using: &random)
        }
        if Bool.random(using: &random) { sky.ovation = UInt8.random(in: 0...100, using: &random) }
        return sky
    }

    /// Skies at random, with as much and as little as can be known.
    @Test func hourThatBeginsHasTheScoreThatIsMeasured() throws {
        for seed in 0..<300 as Range<UInt64> {
            let sky = sky(seed: seed)
            let outlook = sky.outlook
            let hour = try require(outlook.nextHours.first)
            expectEqual(hour.time - sky.now, .seconds(1))
            let derivation = sky.derivation
            let measured = derivation.explanation.score
            guard measured.activity != nil else { continue }
            expect(abs(hour.factors.value - measured.value) < 0.1, "seed \(seed)")
            expect(abs((hour.factors.activity ?? 0) - (measured.activity ?? 0)) < 0.001)
            expect(abs(hour.score - derivation.conditions.score) <= 1, "seed \(seed)")
            if let kp = derivation.conditions.kp { expect(abs(hour.kp - kp) <= 0.1) }
        }
    }

    /// An active grid of this moment says little of tomorrow.
    @Test func departureOfTheMeasuredActivityFadesWithinHours() throws {
        var sky = Sky(now: at("2025-12-21T17:59:59Z"), kp: 2, cloud: 0, ovation: 100)
        let active = sky.outlook.nextHours
        sky.ovation = 0
        let quiet = sky.outlook.nextHours
        let differences = zip(active, quiet).map { $0.factors.value - $1.factors.value }
        expect(differences[0] > 40)
        expect(zip(differences, differences.dropFirst(1)).prefix(6).allSatisfy { $0 > $1 })
        expect(differences[12] < 2)
    }

    @Test func everyHourHasNumbersWithoutAnyForecast() {
        let outlook = Outlook(
            deriveConditions(
                place: .tromso,
                state: AuroraState(),
                now: at("2025-12-21T20:20:00Z"),
                previousLevel: nil
            ),
            state: AuroraState()
        )
        expect(outlook.hours.allSatisfy { $0.kpSource == .climate })
        expect(outlook.hours.allSatisfy { (1.5...2.5).contains($0.kp) })
        expect(outlook.hours.contains { $0.score > 0 })
        // What the dusk rules out is certain.
        let dark = outlook.nightHours.filter { $0.factors.darkness == 1 }
        expect(dark.count > 8)
        expect(dark.allSatisfy { $0.confidence == .low })
        expect(outlook.nightHours.allSatisfy { $0.visibility == .unknown })
    }

    @Test func confidenceFallsFromTheForecastToTheOutlookToTheClimate() throws {
        let now = at("2025-12-21T11:20:00Z")
        var state = Sky(now: now).state
        let days = (0..<5).map {
            OutlookDay(start: at("2025-12-21T00:00:00Z") + .seconds(86_400 * $0), a: 15, kpMax: 4)
        }
        state.apply(.kOutlook(KOutlook(days: days)), now: now)
        let derivation = deriveConditions(
            place: .tromso,
            state: state,
            now: now,
            previousLevel: nil
        )
        let night = Outlook(derivation, state: state).hours.filter {
            CivilTime($0.time).hour == 22
        }
        expectEqual(
            night.compactMap(\.kpSource),
            [
                .forecast, .forecast, .forecast, .outlook, .outlook, .climate, .climate,
            ]
        )
        let values = night.map(\.confidenceValue)
        expect(zip(values, values.dropFirst()).allSatisfy { $0 > $1 })
    }

    @Test func cloudsBeyondTheForecastGoFromTheLastKnownToTheMean() throws {
        var sky = Sky(now: at("2025-12-21T11:59:59Z"), cloud: 0)
        sky.weatherHours = 2
        let hours = sky.outlook.hours
        expectEqual(hours[1].weather.cloud, 0)
        let clouds = hours.dropFirst(2).compactMap(\.weather.cloud)
        expectEqual(clouds.count, hours.count - 2)
        expect(zip(clouds, clouds.dropFirst()).allSatisfy { $0 < $1 })
        try expect(require(clouds.last) > 66)
        expect(hours.dropFirst(2).allSatisfy { $0.weather.shownConditions == "unknown" })
        expect(hours.dropFirst(2).allSatisfy { $0.weather.shownTemperature == -4 })
    }

    // MARK: Chances

    /// The chance falls with the bound, is certain at the moment itself, and spreads with the lead.
    @Test func chanceIsAProbability() throws {
        let outlook = Sky(now: at("2025-12-21T18:30:00Z"), kp: 3.5, cloud: 0, ovation: 40).outlook
        let levels: [Level] = [.low, .moderate, .good, .excellent]
        for hour in outlook.hours {
            let chances = levels.map { outlook.chance(of: $0, in: hour) }
            expect(chances.allSatisfy { (0...1).contains($0) })
            expect(zip(chances, chances.dropFirst()).allSatisfy { $0 >= $1 })
            if !hour.isDark { expect(chances.allSatisfy { $0 == 0 }) }
        }
        let sure = outlook.chance(of: outlook.hours[0].level, in: outlook.hours[0])
        expectEqual(sure, 1)
        let soon = outlook.hours[1]
        let late = try require(outlook.hours.last { CivilTime($0.time).hour == 19 })
        let (atOnce, inDays) = (
            outlook.chance(of: .good, in: soon), outlook.chance(of: .good, in: late)
        )
        expect(atOnce > 0.9)
        expect((0.02...0.6).contains(inDays))
    }
}
