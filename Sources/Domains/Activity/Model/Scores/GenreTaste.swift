/// A person's taste in one genre.
package struct GenreTaste: Sendable, Equatable {
    package let name: String
    package fileprivate(set) var count = 0
    package fileprivate(set) var likes = 0
    package fileprivate(set) var halvesSum = 0

    init(name: String) { self.name = name }

    /// In stars; nil without ratings.
    package var mean: Double? { count > 0 ? Double(halvesSum) / 2 / Double(count) : nil }

    /// Bayesian: as if five more films had been rated in the middle of the scale, so that a genre
    /// must be liked often to be a favourite.
    package var smoothedMean: Double {
        let prior = GenreTaste.priorCount
        return (Double(halvesSum) / 2 + prior * FilmStatistics.middleOfScale)
            / (Double(count) + prior)
    }

    private static let priorCount = 5.0

    mutating func add(_ stars: HalfStars) {
        count += 1
        likes += stars.isLiked ? 1 : 0
        halvesSum += stars.halves
    }

    /// Favourites first; between equals the one with more ratings, then by name.
    static func inOrder(_ left: GenreTaste, _ right: GenreTaste) -> Bool {
        (right.smoothedMean, right.count, left.name) < (left.smoothedMean, left.count, right.name)
    }
}
