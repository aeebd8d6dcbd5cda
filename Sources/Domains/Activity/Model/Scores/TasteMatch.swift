/// The similarity of the tastes of two people, the same from either side.
package struct TasteMatch: Sendable, Equatable {
    /// 0...100; nil if one of them has rated nothing.
    ///
    /// On each film that both rated they agree by 1 − d / 2 for d stars between them, from two
    /// stars on not at all. The mean over these films is drawn to the agreement of their genres as
    /// if that were five more films, so that people without a film in common also have a score.
    package let score: Int?
    /// At most three of the favourite genres of both, those liked best by the two together first.
    package let sharedGenres: [String]

    package init(_ left: PersonalTaste, _ right: PersonalTaste) {
        sharedGenres = TasteMatch.sharedGenres(left, right)
        guard left.ratingsCount > 0, right.ratingsCount > 0 else {
            score = nil
            return
        }
        var agreement = 0.0
        var count = 0
        for film in left.halves.indices {
            guard let one = left.stars(of: film), let other = right.stars(of: film) else {
                continue
            }
            agreement += max(0, 1 - abs(one.value - other.value) / TasteMatch.distanceMax)
            count += 1
        }
        let prior = TasteMatch.priorCount
        let sum = agreement + prior * TasteMatch.genreAgreement(left, right)
        score = Int((100 * sum / (Double(count) + prior)).rounded())
    }

    /// 1 less twice the mean difference between how likely each is to like a genre, over all that
    /// either has rated; not below 0.
    private static func genreAgreement(_ left: PersonalTaste, _ right: PersonalTaste) -> Double {
        let names = Set(left.genres.keys).union(right.genres.keys).sorted()
        guard !names.isEmpty else { return 0.5 }
        let difference = names.reduce(0) {
            $0 + abs(left.shareOfLikes(genre: $1) - right.shareOfLikes(genre: $1))
        }
        return max(0, 1 - 2 * difference / Double(names.count))
    }

    private static func sharedGenres(_ left: PersonalTaste, _ right: PersonalTaste) -> [String] {
        let others = Dictionary(
            uniqueKeysWithValues: right.favorites(favoritesMax).map { ($0.name, $0.smoothedMean) }
        )
        let shared = left.favorites(favoritesMax).compactMap { genre in
            others[genre.name].map { (name: genre.name, mean: genre.smoothedMean + $0) }
        }
        return shared.sorted { ($1.mean, $0.name) < ($0.mean, $1.name) }
            .prefix(sharedMax).map(\.name)
    }

    private static let distanceMax = 2.0
    private static let priorCount = 5.0
    /// Of each of the two, the favourites that are compared.
    private static let favoritesMax = 5
    private static let sharedMax = 3
}
