import Expectations

@testable import Radar

@Suite("Trend: a point for every UTC day", .timeLimit(.minutes(10)))
struct TrendTests {
    private let noon = ExampleRadar.instant("2026-03-29T12:00:00Z")
    private let today = ExampleRadar.instant("2026-03-29T00:00:00Z")

    private func day(
        _ index: Int,
        segment: Int = 0,
        for forConfidence: Double = 0,
        against againstConfidence: Double = 0
    ) -> OpinionDay {
        var day = OpinionDay(day: today + oneDay * index, segment: segment)
        if forConfidence > 0 { day.add(.for, count: 1, confidenceSum: forConfidence) }
        if againstConfidence > 0 { day.add(.against, count: 1, confidenceSum: againstConfidence) }
        return day
    }

    private func trend(_ days: Int, _ rows: [OpinionDay]) -> Trend {
        Radar.trend(radarID: "r", days: days, rows: rows, now: noon)
    }

    @Test(arguments: [1, 2, 7, 30, 365])
    func thereAreExactlyTheDaysAskedFor(days: Int) {
        let points = trend(days, []).points
        expectEqual(points.count, days)
        expectEqual(points.last?.date, today)
        expectEqual(points.first?.date, today - oneDay * (days - 1))
        for (left, right) in zip(points, points.dropFirst()) {
            expectEqual(right.date - left.date, oneDay)
        }
        expect(points.allSatisfy { $0.totalOpinions == 0 && $0.averageConfidence == 0 })
    }

    /// Clocks in Europe go forward on this day; a UTC day has its 24 hours.
    @Test(arguments: [
        ("2026-03-29T00:00:00Z", "2026-03-29T00:00:00Z"),
        ("2026-03-29T23:59:59.999Z", "2026-03-29T00:00:00Z"),
        ("2026-03-30T00:00:00Z", "2026-03-30T00:00:00Z"),
        ("2024-02-29T13:00:00Z", "2024-02-29T00:00:00Z"),
    ])
    func todayBeginsAtMidnightUTC(now: String, midnight: String) {
        let trend = Radar.trend(
            radarID: "r",
            days: 1,
            rows: [],
            now: ExampleRadar.instant(now)
        )
        expectEqual(trend.points.map(\.date), [ExampleRadar.instant(midnight)])
    }

    @Test func opinionsAreCountedOnTheirDay() {
        var busy = day(-1, for: 0.9, against: 0.3)
        busy.add(.neutral, count: 2, confidenceSum: 0.6)
        let points = trend(3, [day(0, for: 0.5), busy]).points
        expectEqual(points.map(\.totalOpinions), [0, 4, 1])
        expectEqual(points.map(\.forCount), [0, 1, 1])
        expectEqual(points.map(\.againstCount), [0, 1, 0])
        expectEqual(points.map(\.neutralCount), [0, 2, 0])
        expect(abs(points[1].averageConfidence - 0.45) < 1e-12)
        expectEqual(points[2].averageConfidence, 0.5)
    }

    @Test func rowsOfOneDayAreAddedUpWhateverTheirSegments() {
        let number = Int(today.wholeSeconds / 86_400)
        let rows = [
            OpinionDay(dayNumber: number, segment: 0, stance: .for, count: 2, confidenceSum: 1),
            OpinionDay(dayNumber: number, segment: 1, stance: .for, count: 1, confidenceSum: 0.5),
            OpinionDay(dayNumber: number, segment: 1, stance: .neutral, count: 1, confidenceSum: 1),
        ]
        let point = trend(1, rows).points[0]
        expectEqual(point.forCount, 3)
        expectEqual(point.totalOpinions, 4)
        expectEqual(point.averageConfidence, 0.625)
    }

    @Test func daysBeforeAndAfterThoseAskedForArePassedOver() {
        let rows = [day(-7, for: 1), day(-6, for: 1), day(1, for: 1)]
        expectEqual(trend(7, rows).points.map(\.totalOpinions), [1, 0, 0, 0, 0, 0, 0])
    }

    // MARK: Slope

    /// From 0.5 against to 0.5 for within `count` days.
    private func climb(_ count: Int, through last: Int = 0, segment: Int = 0) -> [OpinionDay] {
        (0..<count).map { index in
            let share = Double(index) / Double(count - 1)
            return day(
                last - (count - 1) + index,
                segment: segment,
                for: 0.25 + share / 2,
                against: 0.75 - share / 2
            )
        }
    }

    @Test func sevenDaysThatClimbAreRising() throws {
        let slope = try require(trend(7, climb(7)).slope)
        expectEqual(slope.direction, .rising)
        expect(abs(slope.perDay - 1.0 / 6) < 1e-8)
        expect(abs(slope.change7d - 7.0 / 6) < 1e-7)
        expect(abs(slope.pValue - 0.002667) < 1e-6)
        expectEqual(slope.days, 7)
        expectEqual(slope.segmentStart, today - oneDay * 6)
    }

    @Test func sixDaysTellNothing() {
        expectNil(trend(7, climb(6)).slope)
        expectNil(trend(6, climb(7)).slope)
        expectNil(trend(7, []).slope)
    }

    @Test func missingDaysAreMissingAndNotZero() throws {
        let rows = (0..<7).map {
            day(-2 * $0, for: 1 - 0.1 * Double($0), against: 0.1 * Double($0))
        }
        let slope = try require(trend(30, rows).slope)
        expectEqual(slope.days, 7)
        expect(abs(slope.perDay - 0.1) < 1e-8)
        expectEqual(slope.direction, .rising)
    }

    @Test func dayWithoutConfidenceIsMissing() {
        var silent = OpinionDay(day: today, segment: 0)
        silent.add(.for, count: 3, confidenceSum: 0)
        let trend = trend(7, climb(6, through: -1) + [silent])
        expectNil(trend.slope)
        expectEqual(trend.points.last?.totalOpinions, 3)
    }

    @Test func slopeIsThatOfTheNewestSegment() throws {
        let old = (10..<25).map { day(-$0, segment: 3, against: 0.9) }
        let newest = climb(8, segment: 4)
        let slope = try require(trend(30, old + newest).slope)
        expectEqual(slope.days, 8)
        expectEqual(slope.segmentStart, today - oneDay * 7)
        expectEqual(slope.direction, .rising)
        expectNil(trend(30, old + [day(0, segment: 4, for: 1)]).slope, "a segment of one day")
    }

    @Test func slopeLooksBackThirtyDays() throws {
        let rows = (0..<60).map { day(-$0, for: 0.5, against: 0.5) }
        let slope = try require(trend(365, rows).slope)
        expectEqual(slope.days, 30)
        expectEqual(slope.direction, .steady)
        expectEqual(slope.segmentStart, today - oneDay * 59)
    }

    @Test func smallChangeIsSteadyHoweverCertain() throws {
        // 0.02 a day are 0.14 in seven.
        let rows = (0..<10).map {
            day($0 - 9, for: 0.5 + 0.01 * Double($0), against: 0.5 - 0.01 * Double($0))
        }
        let slope = try require(trend(30, rows).slope)
        expect(slope.pValue < TrendSlope.significance)
        expect(abs(slope.change7d - 0.14) < 1e-7)
        expectEqual(slope.direction, .steady)
    }

    @Test func orderOfRowsDoesNotMatter() {
        let rows = climb(9, segment: 2) + climb(5, through: -12, segment: 1)
        expectEqual(trend(30, rows.reversed()), trend(30, rows))
    }
}
