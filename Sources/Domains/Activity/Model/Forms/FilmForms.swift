// The contract's forms of films: names of keys as documented, null only for keys that it marks as
// optional, instants in whole seconds, averages as `averageShown` has them.

extension FilmView {
    /// The answer of `GET /movies/{id}`.
    package func json(scores: FilmScores) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("movie_id", film.id)
            json.field("title", film.title)
            film.writeGenres(to: &json)
            json.field("poster_url", film.poster?.w500)
            json.field("overview", film.overview)
            json.field("release_date", film.releaseDateShown)
            json.field("tmdb_id", film.tmdbID ?? 0)
            json.field("rating", ratings.average.map(averageShown))
            json.field("rating_count", ratings.count)
            json.field("user_rating", userRating?.wholeStars)
            json.field("ai_score", scores.ai)
            json.field("social_score", scores.social)
            writeStanding(to: &json)
        }
        return json.bytes
    }

    /// The fields of a film in a list: the ones that the contract shows first, then the others.
    func write(scores: FilmScores, to json: inout JSONWriter) {
        json.field("movie_id", film.id)
        json.field("title", film.title)
        json.field("poster_url", film.poster?.w500)
        film.writeGenres(to: &json)
        json.field("release_date", film.releaseDateShown)
        json.field("rating", ratings.average.map(averageShown))
        json.field("ai_score", scores.ai)
        json.field("social_score", scores.social)
        json.field("overview", film.overview)
        json.field("tmdb_id", film.tmdbID ?? 0)
        json.field("rating_count", ratings.count)
        json.field("user_rating", userRating?.wholeStars)
        writeStanding(to: &json)
    }

    private func writeStanding(to json: inout JSONWriter) {
        json.field("in_watchlist", inWatchlist)
        json.field("watch_status", watchStatus?.rawValue)
        film.writePosters(to: &json)
        json.strings("directors", film.directors)
        json.strings("actors", film.actors)
    }
}

extension Film {
    /// A day that exists, `YYYY-MM-DD`: January 1st where only the year is known, nil where not even that is.
    package var releaseDateShown: String? {
        if let releaseDate, let date = FieldValue.date(releaseDate) { return date }
        guard let year, (1...9999).contains(year) else { return nil }
        let digits = String(year)
        return String(repeating: "0", count: 4 - digits.count) + digits + "-01-01"
    }

    fileprivate func writeGenres(to json: inout JSONWriter) {
        json.strings("genres", genres)
    }

    fileprivate func writePosters(to json: inout JSONWriter) {
        guard let poster else { return json.null("poster_urls") }
        json.object("poster_urls") { json in
            json.field("w200", poster.w200)
            json.field("w500", poster.w500)
            json.field("original", poster.original)
        }
    }
}

/// A film that is recommended, and why.
package struct Recommendation: Sendable, Equatable {
    package var film: FilmView
    package var scores: FilmScores
    /// A JSON object, `primary_reason` and `factors`, as the scores' side writes it.
    package var explanation: [UInt8]
    package var friendRatings: FriendRatings

    package init(
        film: FilmView,
        scores: FilmScores,
        explanation: [UInt8],
        friendRatings: FriendRatings
    ) {
        self.film = film
        self.scores = scores
        self.explanation = explanation
        self.friendRatings = friendRatings
    }

    fileprivate func write(to json: inout JSONWriter) {
        film.write(scores: scores, to: &json)
        json.raw("explanation", explanation)
        json.object("friend_ratings") { friendRatings.write(to: &$0) }
    }
}

extension FriendRatings {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("count", count)
        // A number also where no friend has rated the film: the app's type has no null here.
        json.field("average", average.map(averageShown) ?? 0)
        json.array("friends") { json in
            for rating in latest {
                json.object { json in
                    rating.person.write(to: &json)
                    json.field("rating", rating.stars.wholeStars)
                }
            }
        }
    }
}

extension Page where Item == Recommendation {
    /// The answer of `GET /feed/recommendations`.
    ///
    /// - Parameter updatedAt: the time at which the model of the scores was last computed.
    package func json(updatedAt: Timestamp) -> [UInt8] {
        json("recommendations") { json, recommendation in
            recommendation.write(to: &json)
        } beside: { json in
            json.field("last_updated", updatedAt.iso8601Seconds)
        }
    }
}

extension Page where Item == FilmView {
    /// The answer of `GET /movies/search`.
    ///
    /// - Parameter scores: of the films by their ids; a film that is not there has none.
    package func json(scores: [Int: FilmScores]) -> [UInt8] {
        json("movies") { json, film in
            film.write(scores: scores[film.film.id] ?? .unknown, to: &json)
        }
    }
}

extension Page where Item == WatchlistItem {
    /// The answer of `GET /watchlist`.
    ///
    /// - Parameter scores: as for a search.
    package func json(scores: [Int: FilmScores]) -> [UInt8] {
        json("movies") { json, item in
            item.film.write(scores: scores[item.film.film.id] ?? .unknown, to: &json)
            json.field("added_at", item.addedAt.iso8601Seconds)
        }
    }
}

/// The answer of `POST /movies/{id}/watchlist`.
package func watchlistAnswer(filmID: Int, isInWatchlist: Bool) -> [UInt8] {
    successJSON { json in
        json.field("movie_id", filmID)
        json.field("in_watchlist", isInWatchlist)
    }
}

/// The answer of `POST` and `DELETE /movies/{id}/not_interested`.
package func notInterestedAnswer(filmID: Int, isNotInterested: Bool) -> [UInt8] {
    successJSON { json in
        json.field("movie_id", filmID)
        json.field("not_interested", isNotInterested)
    }
}

extension WatchState {
    /// The answer of `POST /movies/{id}/watch`.
    package func json() -> [UInt8] {
        successJSON { json in
            json.field("movie_id", filmID)
            json.field("watch_status", status.rawValue)
            json.field("progress_percent", progressPercent)
            json.field("timestamp", at.iso8601Seconds)
        }
    }
}
