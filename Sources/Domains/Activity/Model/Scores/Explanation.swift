/// Why a film has its score: factors whose weighted values add up to it, each with a sentence that
/// is true of the data.
package struct Explanation: Sendable, Equatable {
    package enum FactorType: String, Sendable, Equatable, CaseIterable {
        case similarFilms = "similar_films"
        case genreMatch = "genre_match"
        case popular
        /// In place of `popular` for a film that no one has rated.
        case unrated
        /// Friends' ratings are no part of the score, which is of the person's own taste: they make
        /// the social score. So the weight is zero, and the value counts friends.
        case friendActivity = "friend_activity"
    }

    package struct Factor: Sendable, Equatable {
        package var type: FactorType
        /// In hundredths; those of all factors together are one hundred.
        package var weightHundredths: Int
        /// 0...100, the probability of a like by only this factor; for `friendActivity`, the number
        /// of friends.
        package var value: Int
        package var sentence: ReasonSentence
    }

    package var score: FilmScore
    /// Of the factors in favour of the film, the one that raises the score most above the share
    /// of likes among all people's ratings.
    package var primaryReason: FactorType
    /// 0...100, in hundredths: the share of the possible evidence of all factors that is available.
    package var confidenceHundredths: Int
    /// Those with the greater weight first.
    package var factors: [Factor]
    package var friends: FriendSignals

    package var aiScore: Int { score.aiScore }
}

extension PersonalTaste {
    /// Returns the reasons for the film's `score(of:now:)`.
    ///
    /// - Parameter ratings: the current ones of all people for the film; nil for those of the
    ///   model.
    package func explanation(
        of film: Film,
        ratings: RatingSummary? = nil,
        friends: FriendSignals = .none,
        now: Timestamp
    ) -> Explanation {
        let score = score(of: film, now: now)
        return explanation(of: film, score: score, ratings: ratings, friends: friends)
    }

    /// Says why a film has a score that is at hand already, one that this taste gave it.
    package func explanation(
        of film: Film,
        score: FilmScore,
        ratings: RatingSummary? = nil,
        friends: FriendSignals = .none
    ) -> Explanation {
        assert(score.filmID == film.id && score.weights == weights)
        let evidence = evidence(for: film, ratings: ratings)
        var factors: [Explanation.Factor] = []
        func add(
            _ type: Explanation.FactorType,
            _ weight: Int,
            _ value: Int,
            _ sentence: ReasonSentence
        ) {
            let factor = Explanation.Factor(
                type: type,
                weightHundredths: weight,
                value: value,
                sentence: sentence
            )
            factors.append(factor)
        }
        if weights.similar > 0 {
            add(.similarFilms, weights.similar, score.similarValue, evidence.similarSentence)
        }
        if weights.genre > 0 {
            add(.genreMatch, weights.genre, score.genreValue, evidence.genreSentence)
        }
        if weights.popular > 0 {
            let type = evidence.popularType
            add(type, weights.popular, score.popularValue, evidence.popularSentence)
        }
        factors.sort { $0.weightHundredths > $1.weightHundredths }
        if let sentence = friends.sentence {
            let count = friends.ratings.count > 0 ? friends.ratings.count : friends.watchCount
            add(.friendActivity, 0, count, sentence)
        }
        return Explanation(
            score: score,
            primaryReason: primaryReason(of: score, evidence: evidence),
            confidenceHundredths: confidence(in: evidence),
            factors: factors,
            friends: friends
        )
    }

    /// A factor without evidence is not a reason, however high its value: then it only reflects
    /// that the person likes most films. Nor is a factor against the film, unless all are.
    private func primaryReason(
        of score: FilmScore,
        evidence: FilmEvidence
    ) -> Explanation.FactorType {
        let usual = 100 * model.statistics.likedShare
        let all: [(type: Explanation.FactorType, side: FilmEvidence.Side, lift: Double)] = [
            (
                .similarFilms, weights.similar > 0 ? evidence.similarSide : .against,
                Double(weights.similar) * (Double(score.similarValue) - usual)
            ),
            (
                .genreMatch, weights.genre > 0 ? evidence.genreSide : .against,
                Double(weights.genre) * (Double(score.genreValue) - usual)
            ),
            (
                evidence.popularType, evidence.popularSide,
                Double(weights.popular) * (Double(score.popularValue) - usual)
            ),
        ]
        // The first of equals: the person's own factors come before those of all people.
        var best: (type: Explanation.FactorType, lift: Double)?
        for factor in all where factor.side == .for && factor.lift > best?.lift ?? -.infinity {
            best = (factor.type, factor.lift)
        }
        if let best { return best.type }
        // No factor is in favour of the film.
        return all.last { $0.side == .unknown }?.type ?? evidence.popularType
    }

    /// The weighted mean of the evidence relative to complete evidence: with k similar films that
    /// the person rated, k / (k + 3); with g films of its genre that the person rated, g / (g + 5);
    /// with v ratings of the film by all people, v / (v + m), with the m of the Bayesian mean.
    private func confidence(in evidence: FilmEvidence) -> Int {
        func known(_ count: Int, half: Double) -> Double { Double(count) / (Double(count) + half) }
        let sum =
            Double(weights.similar) * known(evidence.similarCount, half: 3)
            + Double(weights.genre) * known(evidence.genre?.count ?? 0, half: 5)
            + Double(weights.popular)
            * known(evidence.ratings.count, half: model.statistics.priorCount)
        return Int(sum.rounded())
    }
}
