import Expectations

@testable import Aurora

@Suite("The expected Kp: forecast, outlook, climate", .timeLimit(.minutes(10)))
struct KCourseTests {
    private static let now = at("2025-12-21T12:00:00Z")

    private func forecast(_ kps: [Double]) -> [KForecastInterval] {
        kps.enumerated().map { index, kp in
            let start = KCourseTests.now.minutes(180 * index)
            return KForecastInterval(start: start, kp: kp, status: .predicted)
        }
    }

    private func outlook(from date: String, _ values: [Double]) -> [OutlookDay] {
        values.enumerated().map { index, a in
            OutlookDay(
                start: at("\(date)T00:00:00Z") + OutlookDay.length * index,
                a: a,
                kpMax: 9
            )
        }
    }

    @Test func kpIsThatOfTheIntervalAtItsMiddleAndEvenInBetween() {
        let course = KCourse(forecast: forecast([1, 3, 3]), outlook: [])
        expect(course.expected(at: KCourseTests.now.minutes(90)) == (1, .forecast))
        expect(course.expected(at: KCourseTests.now.minutes(180)) == (2, .forecast))
        expect(course.expected(at: KCourseTests.now.minutes(270)) == (3, .forecast))
    }

    @Test func outlookFollowsTheForecastAndTheClimateFollowsTheOutlook() {
        let course = KCourse(
            forecast: forecast([2, 2]),
            outlook: outlook(from: "2025-12-20", [4, 4, 27, 27])
        )
        expectEqual(course.expected(at: KCourseTests.now.minutes(60 * 5)).source, .forecast)
        // The outlook's own number for a day that the forecast reaches is not used.
        expect(course.expected(at: at("2025-12-22T12:00:00Z")) == (4, .outlook))
        expect(course.expected(at: at("2025-12-23T12:00:00Z")) == (4, .outlook))
        let later = at("2025-12-28T12:00:00Z")
        expect(course.expected(at: later) == (KClimate.kp(at: later), .climate))
    }

    @Test func withoutAnythingItIsTheClimate() {
        let course = KCourse(AuroraState())
        let (kp, source) = course.expected(at: KCourseTests.now)
        expectEqual(kp, KClimate.kp(at: KCourseTests.now))
        expectEqual(source, .climate)
    }

    @Test func kpNeverJumps() {
        let course = KCourse(
            forecast: forecast([1, 6, 3, 2]),
            outlook: outlook(from: "2025-12-22", [4, 48, 4])
        )
        var last = course.expected(at: KCourseTests.now.minutes(-3000)).kp
        for minute in stride(from: -2999, to: 20_000, by: 1) {
            let kp = course.expected(at: KCourseTests.now.minutes(minute)).kp
            expect(abs(kp - last) < 0.05, "\(minute)")
            last = kp
        }
    }

    /// Of the formula: an equinox after the maximum of the solar cycle, and a solstice.
    @Test(
        arguments: [
            ("2025-03-21", 2.2821), ("2025-06-21", 2.0111), ("2025-12-21", 2.0450),
            ("2026-04-01", 2.3435),
        ]
    )
    func climateGoesBySeasonAndSolarCycle(date: String, kp: Double) {
        expect(abs(KClimate.kp(at: at("\(date)T00:00:00Z")) - kp) < 0.001)
    }

    @Test func climateIsAKpInEveryYear() {
        for month in 0..<2400 {
            let time = at("1900-01-01T00:00:00Z") + .seconds(2_629_746 * month)
            expect((1.2...2.4).contains(KClimate.kp(at: time)))
        }
    }

    @Test(
        arguments: [
            (0, 1), (3, 0.79), (6, 0.65), (12, 0.49), (24, 0.34), (48, 0.20), (72, 0.12),
        ] as [(Int, Double)]
    )
    func departureFallsAsTheAutocorrelationOfKp(hours: Int, left: Double) {
        let lead = Duration.seconds(3600 * hours)
        expect(abs(KClimate.persistence(after: lead) - left) < 0.005)
        expect(KClimate.deviation(after: lead) <= 1.3)
        expectEqual((KClimate.deviation(after: lead) == 0), (hours == 0))
    }
}

private func == (
    left: (kp: Double, source: KCourse.Source),
    right: (kp: Double, source: KCourse.Source)
) -> Bool {
    abs(left.kp - right.kp) < 1e-9 && left.source == right.source
}
