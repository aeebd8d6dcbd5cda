/// The sentence of a factor of an explanation, as data: `FilmLanguage` makes the text of it.
package enum ReasonSentence: Sendable, Equatable {
    /// A film that the person rated.
    package struct RatedFilm: Sendable, Equatable {
        package var title: String
        package var stars: HalfStars

        package init(title: String, stars: HalfStars) {
            self.title = title
            self.stars = stars
        }
    }

    // MARK: Similar films

    /// Films that the person liked; at least one.
    case ratedSimilar([RatedFilm])
    /// The most similar film that the person rated, and did not like.
    case ratedNearest(RatedFilm)
    case ratedNothingSimilar
    case ratedNoOther

    // MARK: Genres

    case noGenre
    case genreNotRated(String)
    /// - Parameters:
    ///   - count: at least 1.
    ///   - mean: in stars.
    case genreRated(String, count: Int, mean: Double)

    // MARK: Ratings of all people

    case ratedByNobody
    /// - Parameters:
    ///   - count: at least 1.
    ///   - mean: in stars.
    case ratedByPeople(count: Int, mean: Double)

    // MARK: Friends

    /// - Parameters:
    ///   - count: at least 1.
    ///   - mean: in stars.
    ///   - isUnanimous: whether all gave the same.
    case ratedByFriends(count: Int, mean: Double, isUnanimous: Bool)
    /// At least 1.
    case watchedByFriends(Int)
}
