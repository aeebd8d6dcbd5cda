import Expectations

@testable import Aurora

/// Recorded days, from the bytes of the upstreams to the words on the screen.
@Suite("Recorded days at Tromsø", .timeLimit(.minutes(10)))
struct AcceptanceTests {
    private func payload(_ product: AuroraProduct, _ file: String, now: String) throws
        -> AuroraPayload
    {
        try product.decode(recording(file), now: at(now))
    }

    /// 10 and 11 May 2024: the sun stayed above -2.5° all night.
    @Test func strongestStormOfTheCycleWasInvisibleUnderTheBrightSky() throws {
        let end = "2024-05-12T00:00:00Z"
        let field = try payload(
            .rtswField,
            "spaceweather/rtsw_mag_1m.2024-05-10-g5.reformatted.json",
            now: end
        )
        let plasma = try payload(
            .rtswPlasma,
            "spaceweather/rtsw_wind_1m.2024-05-10-g5.reformatted.json",
            now: end
        )
        let index = try payload(
            .planetaryK,
            "spaceweather/noaa-planetary-k-index.2024-05-12-g5.reformatted.json",
            now: "2024-05-13T00:00:00Z"
        )
        var state = AuroraState()
        var level: Level?
        var greatestActivity = 0.0
        var isSpeedHeld = false
        var isSpeedMissing = false
        for step in 0...288 {
            let now = at("2024-05-10T12:00:00Z").minutes(5 * step)
            state.apply(.ovation(evenOvation(100, observation: now)), now: now)
            state.apply(
                .weather(place: "tromso", evenWeather(cloud: 0, start: now)),
                now: now
            )
            for payload in [field, plasma, index] { state.apply(payload.through(now), now: now) }
            let derivation = deriveConditions(
                place: .tromso,
                state: state,
                now: now,
                previousLevel: level
            )
            level = derivation.conditions.level
            expect(derivation.explanation.score.value < 1)
            expectEqual(level, Level.none)
            expectEqual(derivation.conditions.limitingFactor, .darkness)
            expectEqual(derivation.conditions.confidence, .high)
            greatestActivity = max(greatestActivity, derivation.explanation.score.activity ?? 0)
            let speed = derivation.explanation.input("solar_wind.speed")
            isSpeedHeld = isSpeedHeld || speed?.isHeld == true
            isSpeedMissing = isSpeedMissing || speed?.value == nil
        }
        expect(greatestActivity > 0.99, "the storm itself was seen")
        expect(isSpeedHeld, "the recording has gaps shorter than the hold")
        expect(isSpeedMissing, "the recording has gaps longer than the hold")
    }

    private func december(cloud: String) throws -> (AuroraState, Timestamp) {
        let now = at("2024-12-09T17:10:00Z")
        var state = AuroraState()
        state.apply(
            try payload(
                .ovation,
                "spaceweather/ovation_aurora_latest.2024-12-09-active.json",
                now: "2024-12-09T17:10:00Z"
            ),
            now: now
        )
        let weather = try payload(
            .weather,
            "weather/metno-locationforecast-compact.tromso-\(cloud).synthetic.json",
            now: "2025-01-01T18:00:00Z"
        )
        guard case .weather(let place, var forecast) = weather else { return (state, now) }
        // The synthetic evening is moved onto the recorded one: its second hour begins at 17:00.
        let shift = at("2025-01-01T19:00:00Z") - at("2024-12-09T17:00:00Z")
        forecast.updatedAt = forecast.updatedAt - shift
        forecast.steps = forecast.steps.map {
            var step = $0
            step.time = step.time - shift
            return step
        }
        state.apply(.weather(place: place, forecast), now: now)
        return (state, now)
    }

    /// The solar wind of 2026-09-26, moved onto the evening: Bz near -4 nT at 457 km/s.
    private func addWindAndKp(to state: inout AuroraState, now: Timestamp) {
        let wind = steadyWind(
            through: now.minutes(-6),
            count: 240,
            speed: 456.7,
            density: 5.22,
            by: -0.2,
            bz: -3.9
        )
        state.apply(.solarWind(SolarWind(minutes: wind)), now: now)
        state.apply(
            .kMinutes(KMinutes(minutes: [KMinute(time: now.minutes(-6), kp: 3.33)])),
            now: now
        )
    }

    @Test func activeDecemberEveningUnderAClearSkyIsGood() throws {
        var (state, now) = try december(cloud: "clear")
        addWindAndKp(to: &state, now: now)
        let derivation = deriveConditions(
            place: .tromso,
            state: state,
            now: now,
            previousLevel: nil
        )
        expect(derivation.conditions.level >= .good)
        expect(derivation.conditions.score >= 70)
        // Data 6 and 13 minutes old are as fresh as they get, and worth 0.70.
        expectEqual(derivation.conditions.confidence, .medium)
        expectEqual(derivation.conditions.visibility, .excellent)
        expectEqual(derivation.explanation.missing, ["solar_wind.bt"])
    }

    @Test func sameEveningIsGoodWithTheGridAlone() throws {
        let (state, now) = try december(cloud: "clear")
        let derivation = deriveConditions(
            place: .tromso,
            state: state,
            now: now,
            previousLevel: nil
        )
        expect(derivation.conditions.level >= .good)
        expect(derivation.conditions.confidence != .high, "two of three inputs are missing")
        expectEqual(derivation.explanation.score.weight, 0.5)
    }

    @Test func sameEveningUnderOvercastIsNothing() throws {
        var (state, now) = try december(cloud: "overcast")
        addWindAndKp(to: &state, now: now)
        let conditions = deriveConditions(
            place: .tromso,
            state: state,
            now: now,
            previousLevel: nil
        ).conditions
        expectEqual(conditions.score, 0)
        expectEqual(conditions.level, .none)
        expectEqual(conditions.cloud, 100)
        expectEqual(conditions.limitingFactor, .cloud)
        expectEqual(conditions.headline(.norwegian), "Skyer skjuler himmelen nå")
        expectEqual(conditions.confidence, .high)
    }

    @Test func summerEveningOfTheQuietGridIsTooBright() throws {
        let now = at("2026-08-01T18:30:00Z")
        var state = AuroraState()
        state.apply(
            try payload(
                .ovation,
                "spaceweather/ovation_aurora_latest.2026-08-01-quiet.json",
                now: "2026-08-01T18:30:00Z"
            ),
            now: now
        )
        state.apply(
            try payload(
                .kForecast,
                "spaceweather/noaa-planetary-k-index-forecast.2026-08-01.objects.json",
                now: "2026-08-01T18:30:00Z"
            ),
            now: now
        )
        let derivation = deriveConditions(
            place: .tromso,
            state: state,
            now: now,
            previousLevel: .low
        )
        expectEqual(derivation.conditions.score, 0)
        expectEqual(derivation.conditions.level, .none)
        expectEqual(derivation.conditions.limitingFactor, .darkness)
        expectEqual(derivation.explanation.input("kp")?.isHeld, true)
        expectEqual(derivation.explanation.input("kp")?.time, at("2026-08-01T18:00:00Z"))
    }

    @Test func propagatedAndBackfilledWindOfOneDayAgree() throws {
        let now = at("2026-09-26T18:55:00Z")
        let text = "2026-09-26T18:55:00Z"
        let files: [(AuroraProduct, String)] = [
            (.rtswField, "rtsw_mag_1m"), (.rtswPlasma, "rtsw_wind_1m"),
            (.propagatedSolarWind, "propagated-solar-wind-1-hour"),
        ]
        var state = AuroraState()
        for (product, file) in files {
            let path = "spaceweather/\(file).2026-09-26.excerpt.json"
            let payload = try payload(product, path, now: text)
            expectEqual(state.apply(payload, now: now), true)
        }
        let reading = SolarWindReading(state.solarWind, now: now)
        expectEqual(reading.speed, .init(value: 457.7, time: at("2026-09-26T18:51:00Z")))
        expectEqual(reading.bz, .init(value: -4, time: at("2026-09-26T18:48:00Z")))
        let coupling = try require(reading.coupling)
        expect((7000...9500).contains(coupling.value), "\(coupling.value)")
    }
}

extension AuroraPayload {
    /// What the upstream had said by `now`.
    fileprivate func through(_ now: Timestamp) -> AuroraPayload {
        switch self {
        case .solarWind(var value):
            value.minutes.removeAll { $0.time > now }
            return .solarWind(value)
        case .planetaryK(var value):
            // An interval is published after it has ended.
            value.intervals.removeAll { $0.start + KInterval.length > now }
            return .planetaryK(value)
        default:
            return self
        }
    }
}
