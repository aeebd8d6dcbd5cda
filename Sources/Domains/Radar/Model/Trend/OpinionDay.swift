/// The opinions of one segment on one UTC day, counted and summed.
package struct OpinionDay: Sendable, Equatable {
    /// Midnight UTC.
    package var day: Timestamp
    package var segment: Int
    package var forCount = 0
    package var againstCount = 0
    package var neutralCount = 0
    /// The sums of the confidences of each stance.
    package var forConfidence = 0.0
    package var againstConfidence = 0.0
    package var neutralConfidence = 0.0

    /// A day without opinions.
    package init(day: Timestamp, segment: Int) {
        self.day = day
        self.segment = segment
    }

    /// The opinions of one stance on one day, as a database groups them.
    ///
    /// - Parameter dayNumber: days since 1970-01-01.
    package init(
        dayNumber: Int,
        segment: Int,
        stance: Stance,
        count: Int,
        confidenceSum: Double
    ) {
        let dayMilliseconds = oneDay.wholeMilliseconds
        day = Timestamp(milliseconds: Int64(dayNumber) * dayMilliseconds)
        self.segment = segment
        add(stance, count: count, confidenceSum: confidenceSum)
    }

    package mutating func add(_ stance: Stance, count: Int, confidenceSum: Double) {
        switch stance {
        case .for:
            forCount += count
            forConfidence += confidenceSum
        case .against:
            againstCount += count
            againstConfidence += confidenceSum
        case .neutral:
            neutralCount += count
            neutralConfidence += confidenceSum
        }
    }

    /// Adds the counts of another row of the same day.
    mutating func add(_ other: OpinionDay) {
        add(.for, count: other.forCount, confidenceSum: other.forConfidence)
        add(.against, count: other.againstCount, confidenceSum: other.againstConfidence)
        add(.neutral, count: other.neutralCount, confidenceSum: other.neutralConfidence)
    }

    package var count: Int { forCount + againstCount + neutralCount }
    package var confidenceSum: Double { forConfidence + againstConfidence + neutralConfidence }

    /// The mean stance weighted by confidence, −1 to 1; nil without weight.
    package var score: Double? {
        confidenceSum > 0 ? (forConfidence - againstConfidence) / confidenceSum : nil
    }
}

let oneDay = Duration.seconds(86_400)
