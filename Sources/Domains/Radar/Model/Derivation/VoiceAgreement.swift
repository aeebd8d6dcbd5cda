/// The agreement of each voice with later answers of other providers.
///
/// Models over-state their confidence (Xiong et al., ICLR 2024; Guo et al., ICML 2017), and some
/// state none. So the confidence of a voice is measured instead: an answer of one day is compared
/// with the mean of the other providers, one vote each, over the following days. It is 1 where both
/// are the same and 0 where they are opposite. A voice without anything to compare has the factor
/// 1.
struct VoiceAgreement {
    /// Days that were compared.
    var days = 0
    /// Nil without any.
    var mean: Double?

    /// The factor of the voice's weight.
    var factor: Double {
        let typical = AgreementRule.typical
        let compared = Double(days)
        let sum = AgreementRule.priorDays * typical + compared * (mean ?? typical)
        let factor = sum / ((AgreementRule.priorDays + compared) * typical)
        return min(max(factor, AgreementRule.factorMin), AgreementRule.factorMax)
    }

    /// In the order of the ballot's voices.
    static func all(_ ballot: Ballot) -> [VoiceAgreement] {
        var sums = [Double](repeating: 0, count: ballot.voices.count)
        var agreements = [VoiceAgreement](repeating: VoiceAgreement(), count: ballot.voices.count)
        for (index, day) in ballot.days.enumerated() {
            let later = ballot.days[(index + 1)...].prefix {
                $0.number <= day.number + AgreementRule.daysLater
            }
            let consensus = Consensus(later, of: ballot)
            for answer in day.answers {
                let provider = ballot.voices[answer.voice].providerIndex
                guard let others = consensus.score(without: provider) else { continue }
                agreements[answer.voice].days += 1
                sums[answer.voice] += 1 - abs(answer.tally.score - others) / 2
            }
        }
        for voice in agreements.indices where agreements[voice].days > 0 {
            agreements[voice].mean = sums[voice] / Double(agreements[voice].days)
        }
        return agreements
    }
}

/// The bounds of the measured confidence.
package enum AgreementRule {
    /// An answer is compared with those of so many following days.
    static let daysLater = 7
    /// The agreement of a voice of which nothing is known.
    static let typical = 0.75
    /// So many days of comparisons weigh as much as that assumption.
    static let priorDays = 10.0
    /// A voice that always contradicts may be the only one that is right.
    package static let factorMin = 0.5
    package static let factorMax = 1.25
}

/// The mean scores of providers over some days.
private struct Consensus {
    /// By the index of the provider; nil for one that has not answered.
    private var scores: [Double?]
    private var count = 0
    private var sum = 0.0

    init(_ days: some Sequence<Ballot.Day>, of ballot: Ballot) {
        var tallies = [StanceTally](repeating: StanceTally(), count: ballot.voicesByProvider.count)
        for day in days {
            for answer in day.answers {
                tallies[ballot.voices[answer.voice].providerIndex] += answer.tally
            }
        }
        scores = tallies.map { $0.sum > 0 ? $0.score : nil }
        for score in scores.compactMap({ $0 }) {
            count += 1
            sum += score
        }
    }

    /// Nil where no other provider has answered.
    func score(without provider: Int) -> Double? {
        let own = scores[provider]
        let others = count - (own == nil ? 0 : 1)
        guard others > 0 else { return nil }
        return min(max((sum - (own ?? 0)) / Double(others), -1), 1)
    }
}
