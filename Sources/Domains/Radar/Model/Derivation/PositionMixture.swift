/// The combined result of the regimes of a ballot, each with its probability.
struct PositionMixture {
    /// The mean score of the answers.
    private(set) var score = 0.0
    /// The probabilities of the positions for the voices that were asked.
    private(set) var asked = StanceTally()
    /// The probability that a position which was taken still holds for them.
    private(set) var stillHolds = StanceTally()
    /// The probabilities of the positions for all providers that could be asked, before calibration.
    private(set) var all = StanceTally()
    /// The expected part of each stance among those.
    private(set) var shares = StanceTally()
    private(set) var expectation = 0.0
    /// Of the expectation's square, and the mean variance.
    private var square = 0.0
    private(set) var weightSum = 0.0
    private(set) var effectiveSampleSize = 0.0
    private(set) var effectiveProviders = 0.0

    /// Of a provider's distribution over the stances, before anything was answered.
    static let prior = 1.0

    /// - Parameter pools: at least one with weight, with the probabilities of their regimes.
    init(_ pools: [(probability: Double, pool: EvidencePool)]) {
        let sum = pools.reduce(0) { $0 + $1.probability }
        for (probability, pool) in pools { add(pool, probability / sum) }
    }

    private mutating func add(_ pool: EvidencePool, _ probability: Double) {
        let own = pool.score
        let chances = PositionChances(mean: own.mean, deviation: own.deviation)
        let size = pool.effectiveSampleSize
        score += probability * pool.shares.score
        asked += chances.positions * probability
        for stance in Stance.allCases {
            stillHolds[stance] += probability * chances.stillHolds(stance)
        }
        let counts = pool.shares * size
        let (mean, variance) = counts.moments(prior: PositionMixture.prior)
        let everyone = PositionChances(mean: mean, deviation: variance.squareRoot())
        all += everyone.positions * probability
        let concentration = size + 3 * PositionMixture.prior
        for stance in Stance.allCases {
            shares[stance] +=
                probability * (counts[stance] + PositionMixture.prior) / concentration
        }
        expectation += probability * mean
        square += probability * (variance + mean * mean)
        weightSum += probability * pool.weightSum
        effectiveSampleSize += probability * size
        effectiveProviders += probability * pool.effectiveProviders
    }

    var deviation: Double { max(0, square - expectation * expectation).squareRoot() }

    /// The position: the one that was taken while it may still hold, or the most probable one.
    func position(after previous: Stance?) -> Stance {
        guard let previous else { return asked.leading }
        let bound =
            previous == .neutral ? PositionRule.neutralLeftBelow : PositionRule.sideLeftBelow
        return stillHolds[previous] > bound ? previous : asked.leading
    }
}
