/// The bounds of a position. Scores go from −1 to 1.
package enum PositionRule {
    /// From here on a topic leans to one side.
    package static let leaningMin = 0.2
    package static let strongMin = 0.6
    /// Models of one vendor err together: however many they are, they are no majority.
    package static let providerShareMax = 0.4
    /// A side that was taken is kept while the probability that the score still is on that side of 0 is
    /// above this.
    package static let sideLeftBelow = 0.05
    /// The same for `neutral` and scores within `leaningMin`.
    package static let neutralLeftBelow = 0.1
    /// Of the effective sample size: three answers of one voice.
    package static let sampleSizeMin = 1.2
    /// From this probability on a position is clear.
    package static let clearMin = 0.85
    /// Of the effective number of providers: one provider is never clear.
    package static let clearProvidersMin = 1.5

    /// Sums of decimal fractions miss a bound by some units of the last place: three of `for` and two
    /// of `against` with equal confidence are 0.2, whatever the confidence.
    private static let tolerance = 1e-9

    static func reaches(_ value: Double, _ bound: Double) -> Bool { value > bound - tolerance }

    static func strength(score: Double) -> PositionDerivation.Strength {
        if reaches(abs(score), strongMin) { return .strong }
        return reaches(abs(score), leaningMin) ? .leaning : .divided
    }

    /// - Parameter probability: that the position is right.
    static func certainty(
        probability: Double,
        sampleSize: Double,
        providers: Double
    ) -> PositionDerivation.Certainty {
        guard reaches(sampleSize, sampleSizeMin) else { return .insufficient }
        return probability >= clearMin && providers >= clearProvidersMin ? .clear : .uncertain
    }
}

/// The probability of each position for a normally distributed score.
struct PositionChances {
    private let mean: Double
    private let deviation: Double

    /// - Parameter deviation: above 0.
    init(mean: Double, deviation: Double) {
        self.mean = mean
        // Avoids a division by 0 for a certain score.
        self.deviation = max(deviation, 1e-9)
    }

    /// Returns the probability of a score of at least `bound` on this side.
    private func side(_ stance: Stance, from bound: Double) -> Double {
        normalBelow((Double(stance.value) * mean - bound) / deviation)
    }

    /// Of the three positions; the sum is 1.
    var positions: StanceTally {
        let sides = StanceTally(
            for: side(.for, from: PositionRule.leaningMin),
            against: side(.against, from: PositionRule.leaningMin)
        )
        let neutral = max(0, 1 - (sides.for + sides.against))
        return StanceTally(for: sides.for, against: sides.against, neutral: neutral)
    }

    /// Returns the probability that an adopted position still holds.
    func stillHolds(_ position: Stance) -> Double {
        switch position {
        case .for, .against: side(position, from: 0)
        case .neutral: positions.neutral
        }
    }
}
