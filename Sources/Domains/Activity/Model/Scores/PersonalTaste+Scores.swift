/// A page of a person's recommendations.
package struct Recommendations: Sendable, Equatable {
    /// Whether the order is the person's own, or that of all people because the person has no
    /// ratings.
    package enum Basis: Sendable, Equatable { case taste, popular }

    package var films: [FilmScore]
    /// Over all pages.
    package var totalCount: Int
    package var basis: Basis
}

extension PersonalTaste {
    /// Returns the probability that the person likes a film, which may be newer than the model. A
    /// film is not evidence for itself; if the person has rated it, that rating counts for its
    /// genres like any other.
    package func score(of film: Film, now: Timestamp) -> FilmScore {
        if let index = model.films.index(of: film.id) {
            return score(of: index, decay: model.trend.decay(until: now))
        }
        let figures = model.popularFigures(count: 0, starsSum: 0, recent: 0)
        return FilmScore(
            filmID: film.id,
            similar: similarProbability(evidence: 0),
            genre: shareOfLikes(genres: film.distinctGenres),
            popular: model.popularCurve.probability(figures),
            weights: weights
        )
    }

    /// Returns films to see next: those that the person is most likely to like, in an order that
    /// puts films of other genres in between; none that the person has rated. Films of genres that
    /// the person has rated and does not like come after all others.
    ///
    /// Reads every film of the model: about 2 ms for 10,000. For the same ratings and the same
    /// moment every page is a part of one list.
    ///
    /// - Parameter excluded: film ids to leave out, such as those that the person has watched or does
    ///   not want to see.
    package func recommendations(
        excluding excluded: Set<Int> = [],
        limit: Int,
        offset: Int = 0,
        variety: Double = FilmVariety.recommended,
        now: Timestamp
    ) -> Recommendations {
        let decay = model.trend.decay(until: now)
        var feed = BestFirst<Candidate>(
            capacity: model.limits.recommendationsMax,
            isBefore: Candidate.inFeedOrder
        )
        for film in 0..<model.films.count {
            if halves[film] > 0 || excluded.contains(model.films.ids[film]) { continue }
            feed.insert(
                Candidate(
                    score: score(of: film, decay: decay),
                    isDisliked: dislikesGenres(ofFilm: film)
                )
            )
        }
        let sorted = feed.sorted()
        let first = sorted.prefix { !$0.isDisliked }
        let scores = [Array(first), Array(sorted.dropFirst(first.count))].flatMap {
            varied($0.map(\.score), variety)
        }
        return Recommendations(
            films: Array(scores.dropFirst(max(0, offset)).prefix(max(0, limit))),
            totalCount: scores.count,
            basis: ratingsCount > 0 ? .taste : .popular
        )
    }

    private struct Candidate {
        let score: FilmScore
        let isDisliked: Bool

        static func inFeedOrder(_ left: Candidate, _ right: Candidate) -> Bool {
            guard left.isDisliked == right.isDisliked else { return right.isDisliked }
            return FilmScore.inFeedOrder(left.score, right.score)
        }
    }

    private func varied(_ scores: [FilmScore], _ variety: Double) -> [FilmScore] {
        let first = scores.prefix(model.limits.variedFilmsMax)
        let genres = first.map { score in
            model.films.index(of: score.filmID).map { model.films.genreSets[$0] } ?? GenreSet()
        }
        let order = FilmVariety.order(first.map(\.probability), genres, variety: variety)
        return order.map { scores[$0] } + scores.dropFirst(first.count)
    }

    private func score(of film: Int, decay: Double) -> FilmScore {
        let figures = model.popularFigures(of: film, decay: decay)
        return FilmScore(
            filmID: model.films.ids[film],
            similar: similarProbability(evidence: evidence(for: film)),
            genre: shareOfLikes(film: film),
            popular: model.popularCurve.probability(figures),
            weights: weights
        )
    }

    private func similarProbability(evidence: Double) -> Double {
        let figures = TasteModel.similarFigures(evidence: evidence, likedShare: likedShare)
        return model.similarCurve.probability(figures)
    }
}
