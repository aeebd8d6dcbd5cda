import Expectations

@testable import Aurora

@Suite("Reading of the solar wind", .timeLimit(.minutes(10)))
struct SolarWindReadingTests {
    private let now = at("2026-01-01T12:00:00Z")
    private let steady = newellCoupling(speed: 400, by: 0, bz: -5)

    private func reading(_ minutes: [SolarWindMinute]) -> SolarWindReading {
        SolarWindReading(minutes, now: now)
    }

    @Test func nothingIsKnownOfNothing() {
        let reading = reading([])
        expectNil(reading.head)
        expectNil(reading.speed)
        expectNil(reading.coupling)
        expect(!reading.isStale(now))
    }

    @Test func steadyWindHasItsOwnCouplingAndKp() throws {
        let reading = reading(steadyWind(through: now.minutes(-6), count: 300))
        let coupling = try require(reading.coupling)
        expect(abs(coupling.value - steady) < 1e-6)
        expectEqual(coupling.minuteCount, 240)
        expect(!coupling.isHeld)
        expectEqual(coupling.time, now.minutes(-6))
        try expect(abs(require(reading.kpEstimate) - 3.001) < 0.001)
        expectEqual(reading.speed, .init(value: 400, time: now.minutes(-6)))
    }

    /// Four hourly means, newest first.
    @Test(arguments: [(0, 1.0), (1, 0.65), (2, 0.4225), (3, 0.2746), (4, 0.0)])
    func anHourWeighsByItsAge(hour: Int, weight: Double) throws {
        let minutes = steadyWind(through: now, count: 300).enumerated().map { index, minute in
            var minute = minute
            if (299 - index) / 60 != hour { minute.bz = 5 }
            return minute
        }
        let coupling = try require(reading(minutes).coupling)
        let sum = 1 + 0.65 + 0.4225 + 0.2746
        // One minute in 60 may be held across the hour, never more.
        expect(abs(coupling.value - steady * weight / sum) < 1e-6)
    }

    @Test func hoursWithoutDataLeaveTheirWeightToTheOthers() throws {
        let coupling = try require(reading(steadyWind(through: now, count: 50)).coupling)
        expect(abs(coupling.value - steady) < 1e-6)
        expectEqual(coupling.minuteCount, 50)
        expect(coupling.isHeld, "fewer than half of the minutes are there")
    }

    @Test(arguments: [(119, true), (120, false)])
    func halfOfTheMinutesAreEnough(count: Int, isHeld: Bool) throws {
        let coupling = try require(reading(steadyWind(through: now, count: count)).coupling)
        expectEqual(coupling.isHeld, isHeld)
    }

    @Test(arguments: [(30, true), (31, false)])
    func speedIsHeldForHalfAnHour(gap: Int, isHeld: Bool) {
        var minutes = steadyWind(through: now.minutes(-gap), count: 200)
        minutes += steadyWind(through: now, count: gap, speed: nil, density: nil)
        let reading = reading(minutes)
        expectEqual((reading.speed != nil), isHeld)
        expectEqual((reading.density != nil), isHeld)
        expectEqual(reading.coupling?.time, now.minutes(isHeld ? 0 : -1))
        expectEqual(reading.coupling?.isHeld, true)
    }

    @Test(arguments: [(5, true), (6, false)])
    func fieldIsHeldForFiveMinutes(gap: Int, isHeld: Bool) {
        var minutes = steadyWind(through: now.minutes(-gap), count: 200)
        minutes += steadyWind(through: now, count: gap, by: nil, bz: nil)
        let reading = reading(minutes)
        expectEqual((reading.bz != nil), isHeld)
        expectEqual(reading.coupling?.time, now.minutes(isHeld ? 0 : -1))
        expectEqual(reading.coupling?.isHeld, false)
    }

    @Test func holdingBridgesMinutesWithoutARow() throws {
        let full = steadyWind(through: now, count: 240)
        let every5 = full.enumerated().filter { $0.offset % 5 == 4 }.map(\.element)
        let coupling = try require(reading(every5).coupling)
        expectEqual(coupling.minuteCount, 236, "all but the four before the first row")
        let every10 = full.enumerated().filter { $0.offset % 10 == 9 }.map(\.element)
        expectEqual(reading(every10).coupling?.minuteCount, 24 * 6 - 5)
    }

    @Test func speedAloneGivesNoCoupling() {
        let reading = reading(steadyWind(through: now, count: 60, by: nil, bz: nil))
        expectEqual(reading.speed?.value, 400)
        expectNil(reading.coupling)
        expectNil(reading.kpEstimate)
    }

    @Test func wholeReadingGoesStaleAfterTwentyMinutes() {
        expect(!reading(steadyWind(through: now.minutes(-20), count: 9)).isStale(now))
        expect(reading(steadyWind(through: now.minutes(-21), count: 9)).isStale(now))
    }

    @Test func minutesFromTheFutureAreNotLookedAt() {
        let reading = reading(steadyWind(through: now.minutes(30), count: 60))
        expectEqual(reading.head, now.minutes(5))
    }

    /// 12 to 15 UT, before the shock; SWPC stated 2.67.
    @Test(arguments: [("2024-05-10T15:00:00Z", 1.8)])
    func kpOfTheQuietHoursBeforeTheStorm(end: String, kp: Double) throws {
        let now = at("2024-05-11T12:00:00Z")
        var state = AuroraState()
        let base = "2024-05-10-g5.reformatted.json"
        let field = try RTSWField.decode(
            recording("spaceweather/rtsw_mag_1m.\(base)"),
            now: now
        )
        let plasma = try RTSWPlasma.decode(
            recording("spaceweather/rtsw_wind_1m.\(base)"),
            now: now
        )
        for var wind in [field, plasma] {
            wind.minutes.removeAll { $0.time >= at(end) }
            state.apply(.solarWind(wind), now: at(end))
        }
        let reading = SolarWindReading(state.solarWind, now: at(end))
        try expect(abs(require(reading.kpEstimate) - kp) < 0.1)
    }
}

@Suite("Reading of Kp", .timeLimit(.minutes(10)))
struct KReadingTests {
    private let now = at("2026-07-09T09:10:00Z")

    private func state(
        minutes: [(Int, Double)] = [],
        intervals: [(String, Double)] = [],
        forecast: [(String, Double, KForecastInterval.Status)] = []
    ) -> AuroraState {
        var state = AuroraState()
        state.apply(
            .kMinutes(KMinutes(minutes: minutes.map { KMinute(time: now.minutes($0), kp: $1) })),
            now: now
        )
        state.apply(
            .planetaryK(
                PlanetaryK(intervals: intervals.map { KInterval(start: at($0), kp: $1) })
            ),
            now: now
        )
        state.apply(
            .kForecast(
                KForecast(
                    intervals: forecast.map {
                        KForecastInterval(start: at($0), kp: $1, status: $2)
                    }
                )
            ),
            now: now
        )
        return state
    }

    @Test func nothingIsKnownOfNothing() {
        expectNil(KReading(AuroraState(), now: now))
    }

    @Test func windowBeforeStandsBesideTheOneThatJustBegan() throws {
        let reading = try require(KReading(state(minutes: [(-20, 2), (-5, 0.33)]), now: now))
        expectEqual(reading.kp, 2)
        expectEqual(reading.time, now.minutes(-5))
        expectEqual(reading.source, .minuteEstimate)
    }

    @Test func currentWindowWinsWhenItIsHigher() throws {
        let reading = try require(KReading(state(minutes: [(-20, 2), (-5, 4.67)]), now: now))
        expectEqual(reading.kp, 4.67)
    }

    @Test func lastEstimateOfTheWindowBeforeCountsNotItsPeak() throws {
        let state = state(minutes: [(-100, 5), (-20, 2), (-5, 1)])
        expectEqual(KReading(state, now: now)?.kp, 2)
    }

    @Test func intervalStandsInForTheWindowBefore() throws {
        let state = state(minutes: [(-5, 0.33)], intervals: [("2026-07-09T06:00:00Z", 3)])
        expectEqual(KReading(state, now: now)?.kp, 3)
    }

    @Test func estimateOlderThanAnHourGivesWayToTheInterval() throws {
        let intervals = [("2026-07-09T03:00:00Z", 1.33), ("2026-07-09T06:00:00Z", 3)]
        let fresh = state(minutes: [(-60, 5)], intervals: intervals)
        expectEqual(KReading(fresh, now: now)?.source, .minuteEstimate)
        let old = state(minutes: [(-61, 5)], intervals: intervals)
        let reading = try require(KReading(old, now: now))
        expectEqual(reading.source, .interval)
        expectEqual(reading.kp, 3)
        expectEqual(reading.time, at("2026-07-09T06:00:00Z"))
    }

    @Test func intervalOlderThanSevenHoursGivesWayToTheForecast() throws {
        let forecast: [(String, Double, KForecastInterval.Status)] = [
            ("2026-07-09T06:00:00Z", 1, .estimated), ("2026-07-09T09:00:00Z", 4.67, .predicted),
            ("2026-07-09T12:00:00Z", 7, .predicted),
        ]
        let state = state(intervals: [("2026-07-09T03:00:00Z", 3)], forecast: forecast)
        expectEqual(KReading(state, now: at("2026-07-09T10:00:00Z"))?.source, .interval)
        let reading = try require(KReading(state, now: at("2026-07-09T10:00:01Z")))
        expectEqual(reading.source, .forecast)
        expectEqual(reading.kp, 4.67)
        expect(!reading.isStale)
    }

    @Test func forecastThatEndedIsNotUsed() throws {
        let state = state(
            intervals: [("2026-07-09T00:00:00Z", 3)],
            forecast: [("2026-07-09T06:00:00Z", 1, .estimated)]
        )
        let reading = try require(KReading(state, now: now))
        expect(reading.isStale)
        expectEqual(reading.kp, 3)
    }

    /// SWPC's estimate stands at 0 for hours of some storms.
    @Test func estimateThatTheIntervalContradictsDoesNotCount() throws {
        let zeros = (0..<300).reversed().map { (-$0, 0.0) }
        let storm = state(minutes: zeros, intervals: [("2026-07-09T03:00:00Z", 6.67)])
        let reading = try require(KReading(storm, now: now))
        expectEqual(reading.kp, 6.67)
        expectEqual(reading.source, .interval)
        expectEqual(reading.time, at("2026-07-09T03:00:00Z"))
        let low = state(
            minutes: [(-20, 1), (-5, 0.33)],
            intervals: [("2026-07-09T03:00:00Z", 5.33)]
        )
        expectEqual(KReading(low, now: now)?.kp, 5.33)
    }

    @Test(arguments: [(0, 1.67, 0), (0.33, 4.33, 0.33), (2.67, 6.67, 2.67), (7, 2, 7)])
    func estimateThatCanBeTrueCounts(estimate: Double, interval: Double, kp: Double) {
        let state = state(
            minutes: [(-20, estimate), (-5, estimate)],
            intervals: [("2026-07-09T03:00:00Z", interval)]
        )
        expectEqual(KReading(state, now: now)?.kp, kp)
        expectEqual(KReading(state, now: now)?.source, .minuteEstimate)
    }

    @Test func intervalThatIsTooOldContradictsNothing() {
        let state = state(minutes: [(-5, 0)], intervals: [("2026-07-09T00:00:00Z", 6.67)])
        expectEqual(KReading(state, now: now)?.kp, 0)
    }

    @Test func recordedEstimateDoesNotFallAtTheWindowsStart() throws {
        let bytes = try recording("spaceweather/planetary_k_index_1m.2026-07-09.json")
        var state = AuroraState()
        state.apply(.kMinutes(try KMinutes.decode(bytes, now: now)), now: now)
        // 08:59 ended at 2.33, 09:00 began at 0.
        expectEqual(KReading(state, now: now)?.kp, 2.33)
    }
}
