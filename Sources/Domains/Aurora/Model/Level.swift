/// The five words for a score, in ascending order.
package enum Level: String, CaseIterable, Codable, Comparable, Sendable {
    case none, low, moderate, good, excellent

    package static func < (left: Level, right: Level) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .low: 1
        case .moderate: 2
        case .good: 3
        case .excellent: 4
        }
    }
}

/// Where the levels begin. A level is entered at its bound and left `leaveMargin` points below it.
package struct LevelBounds: Hashable, Sendable {
    package let low: Double
    package let moderate: Double
    package let good: Double
    package let excellent: Double
    package let leaveMargin: Double

    package static let standard = LevelBounds(
        low: 10,
        moderate: 25,
        good: 50,
        excellent: 75,
        leaveMargin: 3
    )!

    /// Nil unless the bounds ascend within 0…100, and the margin is smaller than every step of
    /// theirs.
    package init?(
        low: Double,
        moderate: Double,
        good: Double,
        excellent: Double,
        leaveMargin: Double = 3
    ) {
        let bounds = [0, low, moderate, good, excellent]
        let steps = zip(bounds, bounds.dropFirst()).map { $1 - $0 }
        guard leaveMargin >= 0, excellent <= 100, steps.allSatisfy({ $0 > leaveMargin })
        else { return nil }
        self.low = low
        self.moderate = moderate
        self.good = good
        self.excellent = excellent
        self.leaveMargin = leaveMargin
    }

    /// The score that a level begins at.
    package func bound(of level: Level) -> Double {
        switch level {
        case .none: 0
        case .low: low
        case .moderate: moderate
        case .good: good
        case .excellent: excellent
        }
    }

    /// The level of a score that is not rounded.
    ///
    /// - Parameter previous: the level before, which holds down to `leaveMargin` below its bound.
    package func level(of score: Double, previous: Level?) -> Level {
        let entered = level(of: score)
        guard let previous, entered < previous else { return entered }
        return min(previous, level(of: score + leaveMargin))
    }

    /// The score as it is shown: the nearest integer that has the level of the score itself, so
    /// that 49.6 below a bound of 50 is shown as 49.
    package func shownScore(_ score: Double, previous: Level?) -> Int {
        let level = level(of: score, previous: previous)
        let candidates = [score.rounded(), score.rounded(.down), score.rounded(.up)]
        let faithful = candidates.first { self.level(of: $0, previous: previous) == level }
        return Int(faithful ?? candidates[0])
    }

    private func level(of score: Double) -> Level {
        switch score {
        case excellent...: .excellent
        case good...: .good
        case moderate...: .moderate
        case low...: .low
        default: .none
        }
    }
}
