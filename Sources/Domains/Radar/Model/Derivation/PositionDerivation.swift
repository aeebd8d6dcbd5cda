/// The common position of the opinions on a topic, with every number that led to it.
///
/// `derivePosition` makes it. The same opinions in another order make the same value, to the last bit.
package struct PositionDerivation: Sendable, Equatable {
    /// The distance of the score from an even split. It describes only the score: a position that
    /// is held may have a divided one.
    package enum Strength: String, Sendable {
        case divided, leaning, strong
    }

    package enum Certainty: String, Sendable {
        /// Fewer answers than three of one voice.
        case insufficient
        /// The position may be another one if more providers were asked; always for one provider.
        case uncertain
        case clear
    }

    /// Why the position is not the most probable one.
    package enum Hold: String, Sendable {
        case insufficient, hysteresis
    }

    /// The part of one provider in the sum of weights, before and after the cap.
    package struct ProviderShare: Sendable, Equatable {
        package var provider: String
        package var opinions: Int
        package var shareBefore: Double
        package var share: Double
        /// The factor of its weights; 1 under the cap.
        package var factor: Double
        /// The number of independent answers with the same information as its own.
        package var evidence: Double
    }

    /// The contribution of a source, or of an author of pushed opinions.
    package struct Voice: Sendable, Equatable {
        package var name: String
        package var isSource: Bool
        package var provider: String
        /// Opinions that count.
        package var opinions: Int
        /// Opinions that have left with an earlier model or question.
        package var replacedOpinions: Int
        /// In the sum of weights.
        package var share: Double
        /// The mean of the confidences that it stated.
        package var reportedConfidence: Double
        /// The agreement with later answers of other providers; nil if there are none to compare.
        package var agreement: Double?
        /// Days that were compared.
        package var comparedDays: Int
        /// The resulting factor of its weight.
        package var factor: Double
        package var trust: Double
    }

    package var position: Stance
    package var previous: Stance
    /// Nil when the position is the most probable one.
    package var hold: Hold?
    package var strength: Strength
    package var certainty: Certainty
    /// That further providers would confirm the position, 0 to 1; calibrated.
    package var probability: Double
    /// The weighted mean of the stances, −1 to 1; 0 without weight.
    package var score: Double
    /// The probabilities of the three positions for the sources that were asked.
    package var positions: StanceTally
    package var weightSum: Double
    /// The number of independent answers of equal weight with the same information.
    package var effectiveSampleSize: Double
    package var effectiveProviders: Double
    /// The expected difference between the shares of `for` and `against` among all providers.
    package var expectation: Double
    /// The standard deviation of that difference.
    package var deviation: Double
    /// The expected share of each stance among all providers.
    package var shares: StanceTally
    /// The entropy of the shares: 0 when all agree, 1 when the three are equal.
    package var disagreement: Double
    /// Of the share of `for` among the opinions, each counted once; nil without opinions.
    package var forShareInterval: WilsonInterval?
    /// By name.
    package var providers: [ProviderShare]
    /// The greatest share that one provider may have.
    package var providerShareMax: Double
    /// By provider and name.
    package var voices: [Voice]
    /// Since when the answers are as they are; nil while no change is in the window.
    package var changeSince: Change?
    package var counts: OpinionCounts
    /// Answers that held no opinion, by reason, as the caller counted them: they take no part in the
    /// numbers above.
    package var noOpinions: [String: Int]
    /// The reasons for the position.
    package var reason: PositionReason

    /// The day that most probably began the present answers.
    package struct Change: Sendable, Equatable {
        /// Days of UTC since 1970-01-01.
        package var dayNumber: Int
        package var probability: Double
    }

    /// Whether any opinion has weight: otherwise the position is the one before.
    package var hasEvidence: Bool { weightSum > 0 }

    /// The part of the answers that held an opinion; nil without any answer.
    package var coverage: Double? {
        let asked = counts.total + noOpinions.values.reduce(0, +)
        return asked == 0 ? nil : Double(counts.total) / Double(asked)
    }
}
