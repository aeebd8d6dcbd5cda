/// Where the opinions on a topic stand together, with every number that led there.
///
/// `derivePosition` makes it. The same opinions in another order make the same value, to the last bit.
package struct PositionDerivation: Sendable, Equatable {
    /// How far the score is from an even split. It speaks of the score alone: a position that is held
    /// may stand on a divided one.
    package enum Strength: String, Sendable {
        case divided, leaning, strong
    }

    package enum Certainty: String, Sendable {
        /// Too few independent opinions to call a position; it stays what it was.
        case insufficient
        /// The expectation is within one standard deviation of an even split.
        case uncertain
        case clear
    }

    /// Why the position is not what the score alone would make it.
    package enum Hold: String, Sendable {
        case insufficient, hysteresis
    }

    /// One share for each stance.
    package struct Shares: Sendable, Equatable {
        package var `for`: Double
        package var against: Double
        package var neutral: Double
    }

    /// How many opinions took each stance, whatever their weight.
    package struct Counts: Sendable, Equatable {
        package var `for` = 0
        package var against = 0
        package var neutral = 0

        package var total: Int { self.for + against + neutral }
    }

    /// The part of one provider in the sum of weights, before and after the cap.
    package struct ProviderShare: Sendable, Equatable {
        package var provider: String
        package var opinions: Int
        package var shareBefore: Double
        package var share: Double
        /// What its weights were multiplied with; 1 under the cap.
        package var factor: Double
    }

    package var position: Stance
    package var previous: Stance
    /// Nil when the score alone gives the position.
    package var hold: Hold?
    package var strength: Strength
    package var certainty: Certainty
    /// The weighted mean of the stances, −1 to 1; 0 without weight.
    package var score: Double
    package var weightSum: Double
    /// So many opinions of equal weight would say as much.
    package var effectiveSampleSize: Double
    /// The expected difference between the shares of `for` and `against`.
    package var expectation: Double
    /// The standard deviation of that difference.
    package var deviation: Double
    /// The expected share of each stance.
    package var shares: Shares
    /// The entropy of the shares: 0 when all agree, 1 when the three are equal.
    package var disagreement: Double
    /// Of the share of `for` among the opinions, each counted once; nil without opinions.
    package var forShareInterval: WilsonInterval?
    /// By name.
    package var providers: [ProviderShare]
    /// The greatest share that one provider may have.
    package var providerShareMax: Double
    package var counts: Counts
    /// Answers that held no opinion, by reason, as the caller counted them: they take no part in the
    /// numbers above.
    package var noOpinions: [String: Int]

    /// The part of the answers that held an opinion; nil when nobody answered.
    package var coverage: Double? {
        let asked = counts.total + noOpinions.values.reduce(0, +)
        return asked == 0 ? nil : Double(counts.total) / Double(asked)
    }
}

/// The bounds of a position. Scores go from −1 to 1.
package enum PositionRule {
    /// From here on a topic leans to one side.
    package static let leaningMin = 0.2
    package static let strongMin = 0.6
    /// A side that was taken is left below this only, so that a score near the bound does not flap.
    package static let leaveBelow = 0.15
    /// Models of one vendor err together: however many they are, they are no majority.
    package static let providerShareMax = 0.4
    /// Of the effective sample size; with fewer no position is called.
    package static let sampleSizeMin = 3.0

    /// Sums of decimal fractions miss a bound by some units of the last place: three of `for` and two
    /// of `against` with equal confidence are 0.2, whatever the confidence.
    private static let tolerance = 1e-9

    static func reaches(_ value: Double, _ bound: Double) -> Bool { value > bound - tolerance }

    static func strength(score: Double) -> PositionDerivation.Strength {
        if reaches(abs(score), strongMin) { return .strong }
        return reaches(abs(score), leaningMin) ? .leaning : .divided
    }

    /// What the score makes of a position: a side is taken from `leaningMin` on, and kept until the score
    /// falls below `leaveBelow` on that side.
    static func position(score: Double, previous: Stance) -> Stance {
        let side: Stance = score < 0 ? .against : .for
        if reaches(abs(score), leaningMin) { return side }
        return side == previous && reaches(abs(score), leaveBelow) ? side : .neutral
    }
}
