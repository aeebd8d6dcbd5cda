/// The result of the answers of one regime: the score of the voices that were asked, and the amount
/// of evidence in it for all voices that could be asked.
///
/// Evidence is counted over three levels. Repeated answers of a voice, and voices of one provider, are
/// not independent: n of them count as n / (1 + (n − 1) ρ), Kish's design effect (1965) with the
/// correlation ρ of the level. The pool of providers is a linear opinion pool (Stone 1961), in which no
/// provider has more than `PositionRule.providerShareMax`, as long as all are fresh: one that stops
/// answering leaves its share to the others.
struct EvidencePool {
    struct Provider {
        var name: String
        /// The number of independent answers with the same information.
        var evidence = 0.0
        /// The part of each stance.
        var shares = StanceTally()
        /// The mean stance with the filter's prior, and the variance of that mean.
        var mean = 0.0
        var variance = 0.0
        /// Before the cap, and as if all answers were fresh.
        var weightBefore = 0.0
        /// The mean of its voices, 0 to 1.
        var freshness = 0.0
        var weight = 0.0
        var factor = 1.0
    }

    /// By name.
    private(set) var providers: [Provider] = []
    /// The greatest share that one provider may have.
    private(set) var shareMax = 1.0
    /// The part of each voice of the ballot in the sum of weights.
    private(set) var voiceShares: [Double]

    /// - Parameters:
    ///   - voiceFactors: of the weights of the ballot's voices, in addition to their trust.
    ///   - today: the UTC day at which the age of a voice's newest answer is counted.
    init(
        _ tallies: [StanceTally],
        of ballot: Ballot,
        voiceFactors: [Double],
        today: Int
    ) {
        voiceShares = ballot.voices.indices.map { voice in
            let own = ballot.voices[voice]
            return EvidenceRule.evidence(tallies[voice]) * own.trust * voiceFactors[voice]
        }
        let weights = voiceShares
        // The voices of a provider follow each other.
        for voices in ballot.voicesByProvider {
            let counting = voices.filter { weights[$0] > 0 }
            guard let first = counting.first else { continue }
            var provider = Provider(name: ballot.voices[first].provider)
            let sum = counting.reduce(0) { $0 + weights[$1] }
            for voice in counting {
                let part = weights[voice] / sum
                let tally = tallies[voice]
                let (mean, variance) = tally.moments(prior: RegimeFilter.prior)
                provider.shares += tally * (part / tally.sum)
                provider.mean += part * mean
                provider.variance += part * part * variance
                let age = today - ballot.voices[voice].lastDay
                let freshness = EvidenceRule.freshness(ageInDays: age)
                provider.freshness += part * freshness
                provider.evidence += EvidenceRule.evidence(tally) * freshness
            }
            let design = EvidenceRule.designEffect(counting.count, EvidenceRule.voiceCorrelation)
            provider.evidence /= design
            provider.weightBefore = sum / design
            providers.append(provider)
        }
        applyCap()
        shareVoices(ballot, weights)
    }

    private mutating func applyCap() {
        let totals = providers.map { ($0.name, $0.weightBefore) }
        let cap = ProviderCap(totals: Dictionary(uniqueKeysWithValues: totals))
        shareMax = cap.shareMax
        for index in providers.indices {
            providers[index].factor = cap.factor(providers[index].name)
            let own = providers[index]
            providers[index].weight = own.weightBefore * own.factor * own.freshness
        }
    }

    private mutating func shareVoices(_ ballot: Ballot, _ weights: [Double]) {
        let whole = weightSum
        var provider = providers.startIndex
        for voices in ballot.voicesByProvider {
            let sum = voices.reduce(0) { $0 + weights[$1] }
            guard sum > 0 else { continue }
            for voice in voices {
                voiceShares[voice] = weights[voice] / sum * providers[provider].weight / whole
            }
            provider += 1
        }
    }

    var weightSum: Double { providers.reduce(0) { $0 + $1.weight } }

    /// Of the answers that were given, weighted; without any prior.
    var shares: StanceTally {
        let sum = weightSum
        return providers.reduce(into: StanceTally()) { $0 += $1.shares * ($1.weight / sum) }
    }

    /// The mean stance of the voices, and the standard deviation of this estimate.
    var score: (mean: Double, deviation: Double) {
        let sum = weightSum
        let mean = providers.reduce(0) { $0 + $1.weight / sum * $1.mean }
        let variance = providers.reduce(0) {
            $0 + $1.weight / sum * $1.weight / sum * $1.variance
        }
        return (mean, variance.squareRoot())
    }

    /// The number of independent answers with the same information: unequal weights waste some of
    /// them (Kish 1965).
    var effectiveSampleSize: Double {
        let spread = providers.reduce(0) { $0 + $1.weight * $1.weight / $1.evidence }
        return spread > 0 ? weightSum * weightSum / spread : 0
    }

    /// The number of providers of equal weight with the same information.
    var effectiveProviders: Double {
        let squares = providers.reduce(0) { $0 + $1.weight * $1.weight }
        return squares > 0 ? weightSum * weightSum / squares : 0
    }
}

/// The information in answers that are not independent of each other, or not of today.
package enum EvidenceRule {
    /// Of two answers of one voice: another day of the same model has little new information.
    package static let answerCorrelation = 0.7
    /// Of two voices of one provider.
    package static let voiceCorrelation = 0.7
    /// A voice that has not answered for so many days counts half.
    package static let halfLifeDays = 7
    /// A day without an answer may be the interval of the polls.
    static let freshDays = 1

    static func designEffect(_ count: Int, _ correlation: Double) -> Double {
        1 + Double(count - 1) * correlation
    }

    /// Returns the number of independent answers with the same information as those of one voice.
    static func evidence(_ tally: StanceTally) -> Double {
        tally.sum / (1 + max(0, tally.sum - 1) * answerCorrelation)
    }

    /// Returns the weight of answers when the newest one has this age.
    static func freshness(ageInDays age: Int) -> Double {
        let halvings = Double(max(0, age - freshDays)) / Double(halfLifeDays)
        return exponential(-halvings * naturalLogarithm(2))
    }
}
