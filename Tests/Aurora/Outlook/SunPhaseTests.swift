import Expectations

@testable import Aurora

@Suite("Polar night, midnight sun, and nights", .timeLimit(.minutes(10)))
struct SunPhaseTests {
    private func phase(_ date: String) -> SunPhase {
        SunPhase(of: at("\(date)T12:00:00Z"), at: .tromso)
    }

    /// The almanac's dates for 2025 at sea level: the sun does not rise from 27 November and is back on
    /// 15 January; it rises on 17 May to stay up, and 25 July is the last whole day of it.
    @Test(
        arguments: [
            ("2025-01-14", .polarNight), ("2025-01-15", .riseAndSet), ("2025-05-17", .riseAndSet),
            ("2025-05-18", .midnightSun), ("2025-06-21", .midnightSun),
            ("2025-07-25", .midnightSun), ("2025-07-26", .riseAndSet),
            ("2025-11-26", .riseAndSet), ("2025-11-27", .polarNight),
            ("2025-12-21", .polarNight),
        ] as [(String, SunPhase)]
    )
    func tromsoHasItsPolarNightAndMidnightSunToTheDay(date: String, phase: SunPhase) {
        expectEqual(self.phase(date), phase)
    }

    /// Every day of a year: two stretches without a gap, and nothing else.
    @Test func eachPhaseIsOneStretchOfTheYear() {
        var phases: [SunPhase] = []
        for day in 0..<365 {
            let phase = SunPhase(
                of: at("2025-03-01T12:00:00Z") + .seconds(86_400 * day),
                at: .tromso
            )
            if phase != phases.last { phases.append(phase) }
        }
        expectEqual(phases, [.riseAndSet, .midnightSun, .riseAndSet, .polarNight, .riseAndSet])
    }

    /// The sun rises on 17 May 2025 for the last time until it sets on 26 July.
    @Test func sunIsUpWithoutABreakFromTheSunriseOf17MayToTheSunsetOf26July() {
        func isUp(_ time: Timestamp) -> Bool {
            Place.tromso.sunElevation(at: time) > SunPhase.horizon
        }
        let start = at("2025-05-16T12:00:00Z")
        let down = (0..<(90 * 24 * 60)).map { start.minutes($0) }.filter { !isUp($0) }
        let (before, after) = (
            down.last { $0 < at("2025-06-21T00:00:00Z") },
            down.first { $0 > at("2025-06-21T00:00:00Z") }
        )
        let zone = Place.tromso.zone
        expectEqual(before.map(zone.dateText), "2025-05-17")
        expectEqual(after.map(zone.dateText), "2025-07-26")
    }

    @Test func nightIsWhatIsLeftOfItOrTheNextOne() throws {
        let place = Place.tromso
        // Sunset is before two in the afternoon; the sun is below -6° from about 15:45 to 07:45.
        let evening = try require(Night(after: at("2025-02-01T20:00:00Z"), at: place))
        expect(evening.start < at("2025-02-01T16:00:00Z"))
        expect(evening.end > at("2025-02-02T05:00:00Z"))
        expectEqual(Night(after: at("2025-02-01T11:30:00Z"), at: place), evening)
        expectEqual(Night(after: at("2025-02-02T03:00:00Z"), at: place), evening)
        let next = try require(Night(after: evening.end, at: place))
        expect(next.start > evening.end)
        for (time, isDark) in [
            (evening.start.minutes(-6), false), (evening.start.minutes(1), true),
            (evening.end.minutes(-6), true), (evening.end.minutes(1), false),
        ] {
            expectEqual((place.sunElevation(at: time) < -6), isDark, "\(time.iso8601)")
        }
    }

    /// The sun is never below -6° from 28 April to 14 August.
    @Test func brightSummerHasNoNight() {
        for date in ["2025-05-01", "2025-06-21", "2025-08-12"] {
            expectNil(Night(after: at("\(date)T12:00:00Z"), at: .tromso), "\(date)")
        }
        expect(Night(after: at("2025-04-20T12:00:00Z"), at: .tromso) != nil)
        expect(Night(after: at("2025-08-20T12:00:00Z"), at: .tromso) != nil)
    }

    @Test func nightInTheFarNorthLastsAllDay() throws {
        let place = try Place(id: "ny", name: "Ny-Ålesund", latitude: 78.9, longitude: 11.9)
        let night = try require(Night(after: at("2025-12-21T18:00:00Z"), at: place))
        expect(night.end - night.start >= .seconds(86_400))
    }
}
