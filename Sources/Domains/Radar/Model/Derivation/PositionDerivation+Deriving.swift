/// What `opinions` add up to, for a radar whose position was `previous`.
///
/// The score is the mean of the stances, weighted by confidence and by the trust in the source: the
/// linear opinion pool (Stone 1961, Ann. Math. Stat. 32, 1339). The effective sample size is Kish's
/// (1965), the expected shares and their deviation are those of a Dirichlet distribution with a prior of
/// ⅓ for each stance (Gelman et al., Bayesian Data Analysis, 3rd ed., §3.4), and the disagreement is the
/// entropy of these shares. No provider counts for more than `PositionRule.providerShareMax`.
///
/// - Parameters:
///   - opinions: of the last `RadarLimits.positionWindow`, in any order.
///   - trust: weights by the name of the configured source; 1 for those that are not listed and for
///     opinions that were pushed.
///   - noOpinions: answers that held no opinion, by reason. They are told, and not counted.
package func derivePosition(
    _ opinions: [Opinion],
    previous: Stance,
    trust: [String: Double] = [:],
    noOpinions: [String: Int] = [:]
) -> PositionDerivation {
    let votes = opinions.map { Vote($0, trust: trust) }
    let totals = Dictionary(grouping: votes, by: \.provider)
        .mapValues { orderedSum($0.map(\.weight)) }
    let cap = ProviderCap(totals: totals)
    let pool = WeightPool(votes, cap: cap)
    let shares = pool.expectedShares
    let expectation = shares.for - shares.against
    let deviation = pool.deviation(expectation: expectation, shares: shares)

    let isSufficient = PositionRule.reaches(
        pool.effectiveSampleSize,
        PositionRule.sampleSizeMin
    )
    let position =
        isSufficient ? PositionRule.position(score: pool.score, previous: previous) : previous
    let unheld =
        isSufficient ? PositionRule.position(score: pool.score, previous: .neutral) : .neutral
    let counts = PositionDerivation.Counts(votes)

    return PositionDerivation(
        position: position,
        previous: previous,
        hold: position == unheld ? nil : isSufficient ? .hysteresis : .insufficient,
        strength: PositionRule.strength(score: pool.score),
        certainty: !isSufficient
            ? .insufficient : abs(expectation) <= deviation ? .uncertain : .clear,
        score: pool.score,
        weightSum: pool.sum,
        effectiveSampleSize: pool.effectiveSampleSize,
        expectation: expectation,
        deviation: deviation,
        shares: shares,
        disagreement: disagreement(shares),
        forShareInterval: WilsonInterval(successes: counts.for, trials: counts.total),
        providers: providerShares(of: votes, totals: totals, cap: cap, sum: pool.sum),
        providerShareMax: cap.shareMax,
        counts: counts,
        noOpinions: noOpinions
    )
}

/// An opinion, as far as the numbers go.
private struct Vote {
    let stance: Stance
    let provider: String
    let weight: Double

    init(_ opinion: Opinion, trust: [String: Double]) {
        stance = opinion.stance
        provider = opinion.provider
        let weight = opinion.confidence * (opinion.source.flatMap { trust[$0] } ?? 1)
        self.weight = weight.isFinite ? max(0, weight) : 0
    }
}

/// The weights by stance, after the cap.
///
/// Every sum goes from the smallest summand to the greatest: it depends on the weights and not on their
/// order, and equal weights for and against cancel exactly.
private struct WeightPool {
    let `for`: Double
    let against: Double
    let neutral: Double
    let squareSum: Double

    init(_ votes: [Vote], cap: ProviderCap) {
        func weights(_ stance: Stance) -> [Double] {
            votes.filter { $0.stance == stance }.map { $0.weight * cap.factor($0.provider) }
        }
        let byStance = (weights(.for), weights(.against), weights(.neutral))
        self.for = orderedSum(byStance.0)
        against = orderedSum(byStance.1)
        neutral = orderedSum(byStance.2)
        squareSum = orderedSum((byStance.0 + byStance.1 + byStance.2).map { $0 * $0 })
    }

    var sum: Double { self.for + against + neutral }
    var score: Double { sum > 0 ? (self.for - against) / sum : 0 }
    var effectiveSampleSize: Double { squareSum > 0 ? sum * sum / squareSum : 0 }

    /// The mean of the Dirichlet distribution.
    var expectedShares: PositionDerivation.Shares {
        let prior = 1.0 / 3
        return PositionDerivation.Shares(
            for: (prior + self.for) / (1 + sum),
            against: (prior + against) / (1 + sum),
            neutral: (prior + neutral) / (1 + sum)
        )
    }

    func deviation(expectation: Double, shares: PositionDerivation.Shares) -> Double {
        // α₀ + 1, where α₀ is the sum of the weights and of the three priors.
        let concentration = sum + 2
        let variance = (shares.for + shares.against - expectation * expectation) / concentration
        return variance.squareRoot()
    }
}

extension PositionDerivation.Counts {
    fileprivate init(_ votes: [Vote]) {
        for vote in votes {
            switch vote.stance {
            case .for: self.for += 1
            case .against: against += 1
            case .neutral: neutral += 1
            }
        }
    }
}

private func providerShares(
    of votes: [Vote],
    totals: [String: Double],
    cap: ProviderCap,
    sum: Double
) -> [PositionDerivation.ProviderShare] {
    let sumBefore = orderedSum(Array(totals.values))
    let counts = votes.reduce(into: [:]) { $0[$1.provider, default: 0] += 1 }
    return totals.sorted { $0.key < $1.key }.map { provider, total in
        let factor = cap.factor(provider)
        return PositionDerivation.ProviderShare(
            provider: provider,
            opinions: counts[provider] ?? 0,
            shareBefore: sumBefore > 0 ? total / sumBefore : 0,
            share: sum > 0 ? total * factor / sum : 0,
            factor: factor
        )
    }
}

/// −Σ p ln p, as a part of its greatest value. Every share is above 0, thanks to the prior.
private func disagreement(_ shares: PositionDerivation.Shares) -> Double {
    let entropy = orderedSum(
        [shares.for, shares.against, shares.neutral].map { -$0 * naturalLogarithm($0) }
    )
    return entropy / naturalLogarithm(3)
}
