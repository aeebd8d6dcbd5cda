import Expectations

@testable import Aurora

@Suite("Aurora state", .timeLimit(.minutes(10)))
struct AuroraStateTests {
    private let now = at("2026-01-01T12:00:00Z")

    private func wind(_ minutes: [SolarWindMinute]) -> AuroraPayload {
        .solarWind(SolarWind(minutes: minutes))
    }

    @Test func plasmaAndFieldOfOneMinuteAreJoined() {
        var state = AuroraState()
        let time = now.minutes(-5)
        expectEqual(
            state.apply(wind([SolarWindMinute(time: time, by: 1, bz: -2, bt: 3)]), now: now),
            true
        )
        expectEqual(
            state.apply(wind([SolarWindMinute(time: time, speed: 400, density: 5)]), now: now),
            true
        )
        expectEqual(
            state.solarWind,
            [
                SolarWindMinute(time: time, speed: 400, density: 5, by: 1, bz: -2, bt: 3)
            ]
        )
    }

    @Test func laterPayloadWinsAndSameAgainChangesNothing() {
        var state = AuroraState()
        let old = steadyWind(through: now, count: 10)
        let new = steadyWind(through: now.minutes(2), count: 6, speed: 500)
        expectEqual(state.apply(wind(old), now: now), true)
        expectEqual(state.apply(wind(old), now: now), false)
        expectEqual(state.apply(wind(new), now: now), true)
        expectEqual(state.apply(wind(new), now: now), false)
        expectEqual(state.solarWind.count, 12)
        expectEqual(state.solarWind.map(\.speed).filter { $0 == 500 }.count, 6)
        expectEqual(state.solarWind.map(\.time), state.solarWind.map(\.time).sorted())
    }

    @Test func minutesAreMergedFromBothSides() {
        var state = AuroraState()
        let all = steadyWind(through: now, count: 9)
        state.apply(wind(all.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)), now: now)
        state.apply(wind(all.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)), now: now)
        expectEqual(state.solarWind, all)
    }

    @Test func solarWindIsKeptForSixHours() {
        var state = AuroraState()
        state.apply(wind(steadyWind(through: now, count: 1440)), now: now)
        expectEqual(state.solarWind.count, 361)
        expectEqual(state.solarWind.first?.time, now.minutes(-360))
        state.apply(wind(steadyWind(through: now.minutes(1), count: 1)), now: now.minutes(1))
        expectEqual(state.solarWind.count, 361)
    }

    @Test func minutesOfAReplayThatRanAheadAreDropped() {
        var state = AuroraState()
        state.apply(wind(steadyWind(through: now.minutes(600), count: 60)), now: now.minutes(600))
        state.apply(wind(steadyWind(through: now, count: 60)), now: now)
        expectEqual(state.solarWind.last?.time, now)
    }

    @Test func kIntervalsAreMergedAndKeptForEightDays() {
        var state = AuroraState()
        let starts = (0..<100).map { now.minutes(-180 * (99 - $0)) }
        let first = PlanetaryK(intervals: starts.prefix(90).map { KInterval(start: $0, kp: 1) })
        let second = PlanetaryK(intervals: starts.suffix(15).map { KInterval(start: $0, kp: 2) })
        expectEqual(state.apply(.planetaryK(first), now: now), true)
        expectEqual(state.apply(.planetaryK(second), now: now), true)
        expectEqual(state.apply(.planetaryK(second), now: now), false)
        expectEqual(state.kIntervals.count, 65)
        expectEqual(state.kIntervals.filter { $0.kp == 2 }.count, 15)
    }

    @Test func forecastIsReplacedAsAWhole() {
        var state = AuroraState()
        let interval = KForecastInterval(start: now, kp: 3, status: .predicted)
        expectEqual(state.apply(.kForecast(KForecast(intervals: [interval])), now: now), true)
        expectEqual(state.apply(.kForecast(KForecast(intervals: [interval])), now: now), false)
        expectEqual(state.apply(.kForecast(KForecast(intervals: [])), now: now), true)
        expect(state.kForecast.isEmpty)
    }

    @Test func olderGridIsIgnoredUnlessTheHeldOneIsFromTheFuture() {
        var state = AuroraState()
        let newer = evenOvation(9, observation: now)
        let older = evenOvation(5, observation: now.minutes(-5))
        expectEqual(state.apply(.ovation(newer), now: now), true)
        expectEqual(state.apply(.ovation(newer), now: now), false)
        expectEqual(state.apply(.ovation(older), now: now), false)
        expectEqual(state.ovation?.value(longitude: 0, latitude: 0), 9)
        expectEqual(state.apply(.ovation(older), now: now.minutes(-6)), true)
        expectEqual(state.ovation?.value(longitude: 0, latitude: 0), 5)
    }

    @Test func correctedGridOfTheSameTimeIsTaken() {
        var state = AuroraState()
        state.apply(.ovation(evenOvation(9, observation: now)), now: now)
        expectEqual(state.apply(.ovation(evenOvation(8, observation: now)), now: now), true)
    }

    @Test func weatherIsKeptForEachPlace() {
        var state = AuroraState()
        let clear = evenWeather(cloud: 0, start: now)
        let older = evenWeather(cloud: 50, start: now, updated: now.minutes(-60))
        expectEqual(state.apply(.weather(place: "tromso", clear), now: now), true)
        expectEqual(state.apply(.weather(place: "tromso", clear), now: now), false)
        expectEqual(state.apply(.weather(place: "tromso", older), now: now), false)
        expectEqual(state.apply(.weather(place: "alta", older), now: now), true)
        expectEqual(state.weather["tromso"]?.steps.first?.cloud, 0)
        expectEqual(state.weather["alta"]?.steps.first?.cloud, 50)
        expectEqual(state.apply(.weather(place: "tromso", older), now: now.minutes(-6)), true)
    }

    @Test func placesAndStepsAreLimited() {
        var state = AuroraState()
        let countMax = AuroraLimits.placeCountMax
        for index in 0..<countMax {
            expectEqual(
                state.apply(
                    .weather(place: "\(index)", evenWeather(cloud: 0, start: now)),
                    now: now
                ),
                true
            )
        }
        expectEqual(
            state.apply(.weather(place: "more", evenWeather(cloud: 0, start: now)), now: now),
            false
        )
        let steps = (0...AuroraLimits.weatherStepCountMax).map {
            WeatherStep(time: now.minutes($0))
        }
        state.apply(
            .weather(place: "0", Locationforecast(updatedAt: now, steps: steps)),
            now: now
        )
        expectEqual(state.weather["0"]?.steps.count, AuroraLimits.weatherStepCountMax)
    }

    @Test func notesDoNotMakeAChange() {
        var state = AuroraState()
        var ovation = evenOvation(9, observation: now)
        state.apply(.ovation(ovation), now: now)
        ovation.notes.nonFiniteCount = 1
        expectEqual(state.apply(.ovation(ovation), now: now), false)
        var weather = evenWeather(cloud: 0, start: now)
        state.apply(.weather(place: "tromso", weather), now: now)
        weather.notes.rejectedNumberCount = 1
        expectEqual(state.apply(.weather(place: "tromso", weather), now: now), false)
    }
}

@Suite("Parts of the state", .timeLimit(.minutes(10)))
struct AuroraStatePartTests {
    private let now = at("2026-01-01T12:00:00Z")

    private func fullState() -> AuroraState {
        var state = AuroraState()
        var minutes = steadyWind(through: now, count: 30)
        minutes[3].speed = nil
        minutes[4].by = nil
        minutes[5].bt = 7.25
        state.apply(.solarWind(SolarWind(minutes: minutes)), now: now)
        let intervals = [KInterval(start: now.minutes(-180), kp: 2.33)]
        state.apply(.planetaryK(PlanetaryK(intervals: intervals)), now: now)
        state.apply(.kMinutes(KMinutes(minutes: [KMinute(time: now, kp: 0)])), now: now)
        let forecast = KForecastInterval.Status.allCases.enumerated().map {
            KForecastInterval(start: now.minutes(180 * $0), kp: Double($0), status: $1)
        }
        state.apply(.kForecast(KForecast(intervals: forecast)), now: now)
        state.apply(.ovation(evenOvation(42, observation: now)), now: now)
        let steps = [
            WeatherStep(time: now, cloud: 12.5, temperature: -3, windSpeed: 4, symbol: "fog"),
            WeatherStep(time: now.minutes(60)),
        ]
        state.apply(
            .weather(place: "tromso", Locationforecast(updatedAt: now, steps: steps)),
            now: now
        )
        state.apply(.weather(place: "alta", evenWeather(cloud: 3, start: now)), now: now)
        return state
    }

    @Test func partsHaveNames() {
        let parts: [AuroraStatePart] = [
            .solarWind, .kp, .ovation, .weather(place: "alta"), .weather(place: "tromso"),
        ]
        expectEqual(fullState().parts, parts)
        expect(AuroraState().parts.isEmpty)
        let names = ["solar_wind", "kp", "ovation", "weather:alta", "weather:tromso"]
        expectEqual(parts.map(\.name), names)
        expectEqual(names.map { AuroraStatePart(name: $0) }, parts)
        for name in ["", "wind", "weather", "weather:", "KP"] {
            expectNil(AuroraStatePart(name: name))
        }
    }

    @Test func payloadNamesThePartItChanges() throws {
        let payloads: [(AuroraPayload, AuroraStatePart)] = [
            (.solarWind(SolarWind(minutes: [])), .solarWind),
            (.planetaryK(PlanetaryK(intervals: [])), .kp),
            (.kMinutes(KMinutes(minutes: [])), .kp),
            (.kForecast(KForecast(intervals: [])), .kp),
            (.ovation(evenOvation(1, observation: now)), .ovation),
            (
                .weather(place: "x", evenWeather(cloud: 0, start: now)), .weather(place: "x")
            ),
        ]
        for (payload, part) in payloads { expectEqual(payload.part, part) }
    }

    @Test func restartBringsTheStateBack() throws {
        let state = fullState()
        var restored = AuroraState()
        for part in state.parts { try restored.restore(part, bytes: state.encodedPart(part)) }
        expectEqual(restored, state)
    }

    @Test func emptyPartsRestoreToNothing() throws {
        let empty = AuroraState()
        var state = fullState()
        for part in [AuroraStatePart.solarWind, .kp, .ovation] {
            try state.restore(part, bytes: empty.encodedPart(part))
        }
        expectEqual(state.parts, [.weather(place: "alta"), .weather(place: "tromso")])
        try state.restore(.weather(place: "alta"), bytes: empty.encodedPart(.weather(place: "x")))
        expectEqual(state.parts, [.weather(place: "tromso")])
    }

    @Test func recordedGridIsRestored() throws {
        let bytes = try recording("spaceweather/ovation_aurora_latest.2024-12-09-active.json")
        var state = AuroraState()
        let now = at("2024-12-09T17:00:00Z")
        state.apply(.ovation(try Ovation.decode(bytes, now: now)), now: now)
        let encoded = state.encodedPart(.ovation)
        expect(encoded.count < 65_200)
        var restored = AuroraState()
        try restored.restore(.ovation, bytes: encoded)
        expectEqual(restored, state)
    }

    @Test func damagedBytesLeaveThePartAsItWas() throws {
        let state = fullState()
        for part in state.parts where part != .ovation {
            let bytes = state.encodedPart(part)
            var target = state
            for length in 0..<bytes.count {
                #expect(throws: PartError.self, "\(part.name), \(length)") {
                    try target.restore(part, bytes: Array(bytes.prefix(length)))
                }
            }
            #expect(throws: PartError.damaged(part: part.name)) {
                try target.restore(part, bytes: bytes + [0])
            }
            expectEqual(target, state)
        }
    }

    @Test func otherVersionAndOtherKindAreRefused() {
        var state = fullState()
        var bytes = state.encodedPart(.kp)
        #expect(throws: PartError.damaged(part: "solar_wind")) {
            try state.restore(.solarWind, bytes: bytes)
        }
        bytes[0] = 2
        #expect(throws: PartError.unknownVersion(2)) { try state.restore(.kp, bytes: bytes) }
    }

    @Test(arguments: [Int64.min, -62_167_219_200_001, 253_402_300_800_000, .max])
    func instantOutsideTheYearsOfFourDigitsIsDamage(milliseconds: Int64) {
        var state = AuroraState()
        var bytes: [UInt8] = [1, 1, 1, 0, 0, 0]
        withUnsafeBytes(of: milliseconds.littleEndian) { bytes.append(contentsOf: $0) }
        bytes += [UInt8](repeating: 0, count: 5 * 8)
        #expect(throws: PartError.damaged(part: "solar_wind")) {
            try state.restore(.solarWind, bytes: bytes)
        }
    }

    @Test(arguments: [Double.infinity, 1e300, 3000.1, 149.9])
    func numberOutsideItsRangeIsDamage(speed: Double) {
        var state = AuroraState()
        var bytes: [UInt8] = [1, 1, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
        withUnsafeBytes(of: speed.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        bytes += [UInt8](repeating: 0, count: 4 * 8)
        #expect(throws: PartError.damaged(part: "solar_wind")) {
            try state.restore(.solarWind, bytes: bytes)
        }
    }

    @Test func absurdCountIsRefusedWithoutAskingForItsMemory() {
        var state = AuroraState()
        let bytes: [UInt8] = [1, 1, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(throws: PartError.damaged(part: "solar_wind")) {
            try state.restore(.solarWind, bytes: bytes)
        }
    }

    @Test func gridOverItsRangeIsRefused() {
        let state = fullState()
        var bytes = state.encodedPart(.ovation)
        bytes[bytes.count - 1] = 101
        var target = AuroraState()
        #expect(throws: PartError.damaged(part: "ovation")) {
            try target.restore(.ovation, bytes: bytes)
        }
    }

    @Test func partErrorsSayWhatIsWrong() {
        expectEqual(PartError.unknownVersion(7).description, "part has version 7, wanted 1")
        expectEqual(PartError.damaged(part: "kp").description, "part kp is damaged")
    }
}
