/// Derives the position from `opinions`, for a radar whose position was `previous`.
///
/// `Ballot` sorts opinions into voices and days, `RegimeFilter` finds the beginning of the present
/// regime, `EvidencePool` weighs voices and providers, and `PositionMixture` puts the regimes
/// together.
///
/// - Parameters:
///   - opinions: of the last `RadarLimits.positionWindowDays`, in any order.
///   - previous: nil before the first position.
///   - trust: weights by the name of the configured source; 1 for those that are not listed and for
///     opinions that were pushed.
///   - series: by the name of the source, the segment with which its present model and question began;
///     its opinions of earlier segments do not count.
///   - noOpinions: answers without an opinion, by reason. They are reported, and not counted.
/// - Complexity: O(days · opinions), days being those with opinions.
package func derivePosition(
    _ opinions: [Opinion],
    previous: Stance?,
    now: Timestamp,
    trust: [String: Double] = [:],
    series: [String: Int] = [:],
    noOpinions: [String: Int] = [:]
) -> PositionDerivation {
    let ballot = Ballot(opinions, trust: trust, series: series)
    let agreements = VoiceAgreement.all(ballot)
    let filter = RegimeFilter(ballot)
    let today = now.dayNumber
    func pool(_ regime: RegimeFilter.Regime) -> EvidencePool {
        EvidencePool(
            regime.tallies,
            of: ballot,
            voiceFactors: agreements.map(\.factor),
            today: today
        )
    }
    let pools = filter.regimes.map { (probability: $0.probability, pool: pool($0)) }
        .filter { $0.pool.weightSum > 0 }
    guard let likeliest = filter.mostProbable, !pools.isEmpty else {
        return PositionDerivation(held: previous ?? .neutral, ballot, noOpinions)
    }
    let mixture = PositionMixture(pools)
    let position = mixture.position(after: previous)
    var derivation = PositionDerivation(held: previous ?? .neutral, ballot, noOpinions)
    derivation.take(mixture, position: position)
    derivation.take(pool(likeliest), ballot, agreements)
    if likeliest.start > 0 {
        derivation.changeSince = PositionDerivation.Change(
            dayNumber: ballot.days[likeliest.start].number,
            probability: likeliest.probability
        )
    }
    derivation.reason = PositionReason(position, ballot, since: likeliest.start)
    return derivation
}

extension PositionDerivation {
    /// Without anything that counts: the position does not change.
    fileprivate init(held position: Stance, _ ballot: Ballot, _ noOpinions: [String: Int]) {
        let third = 1.0 / 3
        let shares = StanceTally(for: third, against: third, neutral: third)
        self.init(
            position: position,
            previous: position,
            hold: position == .neutral ? nil : .insufficient,
            strength: .divided,
            certainty: .insufficient,
            probability: CertaintyScale.calibrated(third),
            score: 0,
            positions: shares,
            weightSum: 0,
            effectiveSampleSize: 0,
            effectiveProviders: 0,
            expectation: 0,
            deviation: StanceTally().moments(prior: PositionMixture.prior).variance.squareRoot(),
            shares: shares,
            disagreement: entropy(of: shares),
            forShareInterval: WilsonInterval(
                successes: ballot.counts.for,
                trials: ballot.counts.total
            ),
            providers: [],
            providerShareMax: 1,
            voices: [],
            changeSince: nil,
            counts: ballot.counts,
            noOpinions: noOpinions,
            reason: PositionReason(position)
        )
    }

    fileprivate mutating func take(_ mixture: PositionMixture, position: Stance) {
        self.position = position
        hold = position == mixture.asked.leading ? nil : .hysteresis
        strength = PositionRule.strength(score: mixture.score)
        probability = CertaintyScale.calibrated(mixture.all[position])
        certainty = PositionRule.certainty(
            probability: probability,
            sampleSize: mixture.effectiveSampleSize,
            providers: mixture.effectiveProviders
        )
        score = min(max(mixture.score, -1), 1)
        positions = mixture.asked
        weightSum = mixture.weightSum
        effectiveSampleSize = mixture.effectiveSampleSize
        effectiveProviders = mixture.effectiveProviders
        expectation = mixture.expectation
        deviation = mixture.deviation
        shares = mixture.shares
        disagreement = entropy(of: mixture.shares)
    }

    fileprivate mutating func take(
        _ pool: EvidencePool,
        _ ballot: Ballot,
        _ agreements: [VoiceAgreement]
    ) {
        providerShareMax = pool.shareMax
        let before = pool.providers.reduce(0) { $0 + $1.weightBefore }
        var shown: [String: EvidencePool.Provider] = [:]
        for provider in pool.providers { shown[provider.name] = provider }
        let sum = pool.weightSum
        providers = ballot.voicesByProvider.map { voices in
            let name = ballot.voices[voices.lowerBound].provider
            let own = shown[name]
            return ProviderShare(
                provider: name,
                opinions: voices.reduce(0) { $0 + ballot.voices[$1].opinions },
                shareBefore: before > 0 ? (own?.weightBefore ?? 0) / before : 0,
                share: sum > 0 ? (own?.weight ?? 0) / sum : 0,
                factor: own?.factor ?? 1,
                evidence: own?.evidence ?? 0
            )
        }
        voices = ballot.voices.indices.map { index in
            let voice = ballot.voices[index]
            return Voice(
                name: voice.name,
                isSource: voice.isSource,
                provider: voice.provider,
                opinions: voice.opinions,
                replacedOpinions: voice.replacedOpinions,
                share: pool.voiceShares[index],
                reportedConfidence: voice.reportedConfidence,
                agreement: agreements[index].mean,
                comparedDays: agreements[index].days,
                factor: agreements[index].factor,
                trust: voice.trust
            )
        }
    }
}

/// −Σ p ln p, as a part of its greatest value. Every share is above 0, thanks to the prior.
private func entropy(of shares: StanceTally) -> Double {
    let entropy = orderedSum(
        [shares.for, shares.against, shares.neutral].map { -$0 * naturalLogarithm($0) }
    )
    return min(1, entropy / naturalLogarithm(3))
}
