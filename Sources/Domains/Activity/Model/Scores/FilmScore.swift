/// The probability that a person likes one film.
///
/// 94 means: of the films that were given such a score and that the person then rated, 94 in a
/// hundred got four stars or more. The score is *defined* by the figures that are shown next to it:
/// whole values of 0 to 100 and weights in hundredths, their sum of products rounded. It can be
/// recomputed from them.
package struct FilmScore: Sendable, Equatable {
    package let filmID: Int
    /// The probabilities of a like by each single factor.
    let similar: Double
    let genre: Double
    let popular: Double
    let weights: FactorWeights
    /// 0...100; a half is rounded up.
    package let aiScore: Int

    init(filmID: Int, similar: Double, genre: Double, popular: Double, weights: FactorWeights) {
        self.filmID = filmID
        self.similar = similar
        self.genre = genre
        self.popular = popular
        self.weights = weights
        let hundredths =
            weights.similar * FilmScore.percent(similar) + weights.genre * FilmScore.percent(genre)
            + weights.popular * FilmScore.percent(popular)
        aiScore = (hundredths + 50) / 100
    }

    package var similarValue: Int { FilmScore.percent(similar) }
    package var genreValue: Int { FilmScore.percent(genre) }
    package var popularValue: Int { FilmScore.percent(popular) }

    /// Before any rounding: decides between films of the same score.
    var exact: Double {
        Double(weights.similar) * similar + Double(weights.genre) * genre
            + Double(weights.popular) * popular
    }

    /// `exact` as 0...1.
    package var probability: Double { exact / 100 }

    private static func percent(_ probability: Double) -> Int {
        Int((100 * min(max(probability, 0), 1)).rounded())
    }

    /// By the score that is shown, then by the score before rounding, then by id. A feed has this
    /// order before `FilmVariety`.
    static func inFeedOrder(_ left: FilmScore, _ right: FilmScore) -> Bool {
        (right.aiScore, right.exact, left.filmID) < (left.aiScore, left.exact, right.filmID)
    }
}
