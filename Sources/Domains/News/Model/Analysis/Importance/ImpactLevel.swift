/// The impact of a story, in the words of story groups.
package enum ImpactLevel: String, CaseIterable, Comparable, Sendable {
    case veryLow = "Very Low"
    case low = "Low"
    case moderate = "Moderate"
    case high = "High"

    /// A level is left only when the score is as many points below it, so that it does not flap.
    package static let hysteresis = 5

    package init(score: Int) {
        self = ImpactLevel.allCases.last { score >= $0.scoreMin } ?? .veryLow
    }

    package var scoreMin: Int {
        switch self {
        case .veryLow: 0
        case .low: 25
        case .moderate: 50
        case .high: 75
        }
    }

    /// The level after a new score.
    package func next(score: Int) -> ImpactLevel {
        let level = ImpactLevel(score: score)
        guard level < self else { return level }
        return ImpactLevel.allCases.last {
            $0 <= self && score >= $0.scoreMin - ImpactLevel.hysteresis
        } ?? .veryLow
    }

    package static func < (one: ImpactLevel, other: ImpactLevel) -> Bool {
        one.scoreMin < other.scoreMin
    }
}
