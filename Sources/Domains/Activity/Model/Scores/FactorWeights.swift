/// The weight of each factor in a person's scores, in hundredths that add up to one hundred.
///
/// The same for all films, so that they order nothing by themselves. With the number n of the
/// person's ratings the two personal ones grow as n / (n + 5), to 85 and 10; the rest is the weight
/// of popularity, which is 100 for a person without ratings.
package struct FactorWeights: Sendable, Equatable {
    package let similar: Int
    package let genre: Int
    package let popular: Int

    package init(ratingsCount: Int) {
        let known = Double(ratingsCount) / (Double(ratingsCount) + FactorWeights.ratingsToHalf)
        similar = Int((FactorWeights.similarMax * known).rounded())
        genre = Int((FactorWeights.genreMax * known).rounded())
        popular = 100 - similar - genre
    }

    /// Measured: docs/RECOMMENDATIONS.md. Less for similar films costs the ranking; a little for
    /// genres and popularity costs nothing, and makes the scores truer.
    private static let similarMax = 85.0
    private static let genreMax = 10.0
    private static let ratingsToHalf = 5.0
}
