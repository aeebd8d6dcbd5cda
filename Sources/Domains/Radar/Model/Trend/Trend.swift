/// A radar's opinions day by day, and where they go.
package struct Trend: Sendable, Equatable {
    /// One UTC day; all numbers are 0 on a day without opinions.
    package struct Point: Sendable, Equatable {
        /// Midnight UTC.
        package var date: Timestamp
        package var forCount: Int
        package var againstCount: Int
        package var neutralCount: Int
        package var averageConfidence: Double

        package var totalOpinions: Int { forCount + againstCount + neutralCount }

        init(_ day: OpinionDay) {
            date = day.day
            forCount = day.forCount
            againstCount = day.againstCount
            neutralCount = day.neutralCount
            averageConfidence = day.count > 0 ? day.confidenceSum / Double(day.count) : 0
        }
    }

    package var radarID: String
    /// One for every day that was asked for, oldest first, today last.
    package var points: [Point]
    /// Nil if the newest segment has too few days.
    package var slope: TrendSlope?
}

/// The trend of the `days` days up to that of `now`, in UTC.
///
/// Points count the opinions of all segments. The slope is that of the newest segment among them:
/// an answer to another question, or of another model, is not a change of opinion.
///
/// - Parameters:
///   - days: in `RadarLimits.trendDays`.
///   - rows: in any order, at most some a day; those of other days are skipped.
package func trend(radarID: String, days: Int, rows: [OpinionDay], now: Timestamp) -> Trend {
    precondition(RadarLimits.trendDays.contains(days))
    let today = now.roundedDown(to: oneDay)
    let first = today - oneDay * (days - 1)
    let shown = rows.map { row in
        var row = row
        row.day = row.day.roundedDown(to: oneDay)
        return row
    }.filter { first <= $0.day && $0.day <= today }

    let byDay = merged(shown)
    let points = (0..<days).map { index in
        let day = first + oneDay * index
        return Trend.Point(byDay[day] ?? OpinionDay(day: day, segment: 0))
    }
    let newest = shown.map(\.segment).max()
    let series = merged(shown.filter { $0.segment == newest }).values.sorted { $0.day < $1.day }
    return Trend(radarID: radarID, points: points, slope: TrendSlope(series, today: today))
}

/// One row for each day, whatever the segments.
private func merged(_ rows: [OpinionDay]) -> [Timestamp: OpinionDay] {
    rows.reduce(into: [:]) { days, row in
        days[row.day, default: OpinionDay(day: row.day, segment: row.segment)].add(row)
    }
}
