/// The slope of the daily score, and its significance.
///
/// The slope is Theil's and Sen's (Sen 1968, JASA 63, 1379): the median of the slopes between any two
/// days. A day without opinions is missing, not zero. The test is Mann's and Kendall's (`MannKendall`).
package struct TrendSlope: Sendable, Equatable {
    package enum Direction: String, Sendable {
        case rising, falling, steady
    }

    /// The change of the score in one day.
    package var perDay: Double
    package var direction: Direction
    package var pValue: Double
    /// The change of the score in seven days.
    package var change7d: Double
    /// Days with opinions that it was computed from.
    package var days: Int
    /// The first day of the segment within the days that were asked for.
    package var segmentStart: Timestamp

    /// Days with opinions that a slope needs.
    package static let daysMin = 7
    /// Older days have little information on the present trend.
    package static let windowDays = 30
    /// Of the test: above it a slope may be chance.
    package static let significance = 0.05
    /// In seven days: smaller changes are negligible, however certain.
    package static let changeMin = 0.15

    /// - Parameter series: the days of one segment, each once and none after today, oldest first.
    init?(_ series: [OpinionDay], today: Timestamp) {
        let windowStart = today - oneDay * (TrendSlope.windowDays - 1)
        let scores = series.filter { $0.day >= windowStart }.compactMap(DailyScore.init)
        guard let start = series.first?.day, scores.count >= TrendSlope.daysMin else { return nil }
        perDay = theilSenSlope(scores)
        change7d = perDay * 7
        pValue = MannKendall(scores.map(\.score)).pValue
        days = scores.count
        segmentStart = start
        let isTrend =
            pValue < TrendSlope.significance
            && PositionRule.reaches(abs(change7d), TrendSlope.changeMin)
        direction = !isTrend ? .steady : perDay > 0 ? .rising : .falling
    }
}

/// One point of the series that a slope is laid through.
struct DailyScore {
    /// Days since 1970-01-01.
    let dayNumber: Int
    let score: Double

    init(dayNumber: Int, score: Double) {
        self.dayNumber = dayNumber
        // Scores that differ by the error of their sums only are ties.
        let places = 1e9
        self.score = (score * places).rounded() / places
    }

    init?(_ day: OpinionDay) {
        guard let score = day.score else { return nil }
        self.init(dayNumber: Int(day.day.wholeSeconds / oneDay.components.seconds), score: score)
    }
}

/// The median of the slopes between every two days, of which there are two at least.
func theilSenSlope(_ scores: [DailyScore]) -> Double {
    precondition(scores.count >= 2)
    var slopes: [Double] = []
    for (index, right) in scores.enumerated() {
        for left in scores[..<index] {
            let distance = Double(right.dayNumber - left.dayNumber)
            slopes.append((right.score - left.score) / distance)
        }
    }
    slopes.sort()
    let middle = slopes.count / 2
    return slopes.count % 2 == 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2
}
