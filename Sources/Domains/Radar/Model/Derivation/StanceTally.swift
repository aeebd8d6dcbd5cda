/// An amount for each stance: votes, weights or shares.
package struct StanceTally: Sendable, Equatable {
    package var `for`: Double
    package var against: Double
    package var neutral: Double

    package init(for: Double = 0, against: Double = 0, neutral: Double = 0) {
        self.for = `for`
        self.against = against
        self.neutral = neutral
    }

    /// `for` and `against` are added first, so that swapping them changes no bit.
    package var sum: Double { self.for + against + neutral }

    /// The mean stance, −1 to 1; 0 for an empty tally.
    package var score: Double { sum > 0 ? (self.for - against) / sum : 0 }

    package subscript(stance: Stance) -> Double {
        get {
            switch stance {
            case .for: self.for
            case .against: against
            case .neutral: neutral
            }
        }
        set {
            switch stance {
            case .for: self.for = newValue
            case .against: against = newValue
            case .neutral: neutral = newValue
            }
        }
    }

    package static func + (left: StanceTally, right: StanceTally) -> StanceTally {
        StanceTally(
            for: left.for + right.for,
            against: left.against + right.against,
            neutral: left.neutral + right.neutral
        )
    }

    package static func += (left: inout StanceTally, right: StanceTally) { left = left + right }

    package static func * (tally: StanceTally, factor: Double) -> StanceTally {
        StanceTally(
            for: tally.for * factor,
            against: tally.against * factor,
            neutral: tally.neutral * factor
        )
    }

    /// The side with the largest amount; neutral where none is ahead of both others by more than the
    /// rounding of sums.
    package var leading: Stance {
        let tolerance = 1e-9
        if self.for > max(against, neutral) + tolerance { return .for }
        if against > max(self.for, neutral) + tolerance { return .against }
        return .neutral
    }

    /// The mean stance when each stance has `prior` more, and its variance: those of a Dirichlet
    /// distribution (Gelman et al., Bayesian Data Analysis, 3rd ed., §3.4).
    func moments(prior: Double) -> (mean: Double, variance: Double) {
        let concentration = sum + 3 * prior
        let mean = (self.for - against) / concentration
        let spread = (self.for + against + 2 * prior) / concentration - mean * mean
        return (mean, max(0, spread) / (concentration + 1))
    }
}
