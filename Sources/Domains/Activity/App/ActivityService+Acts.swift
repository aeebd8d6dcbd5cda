import Activity
import DomainKit

/// The acts of people with films. An exact repetition of an act does nothing: apps resend requests
/// without an answer.
extension ActivityService {
    /// Gives a film stars, with or without a review.
    ///
    /// - Throws: `ActivityError`, `StoreError`; so do all below.
    package func rate(_ filmID: Int, _ request: RateRequest, by personID: Int) async throws
        -> Rating
    {
        let now = clock.now
        let rating: Rating = try await commit { [self] tables in
            let outcome = try tables.rate(
                filmID,
                by: personID,
                request.stars,
                comment: request.comment,
                isReview: request.isReview,
                at: now
            )
            switch outcome {
            case .noSuchFilm: throw try refusal(filmID, personID, tables)
            case .unchanged(let rating): return (.nothing, rating)
            case .written(let rating, let replaced):
                let entry = try tables.insertActivity(
                    request.activityType,
                    of: filmID,
                    by: personID,
                    rating: rating.stars.wholeStars,
                    comment: rating.comment,
                    at: now
                )
                var told = try entry.map { try tell($0, tables) } ?? .nothing
                if replaced?.isReview ?? false, !rating.isReview {
                    told.change.erasures += forgetLikes(ofReview: rating.id, by: personID)
                }
                return (told, rating)
            }
        }
        taste.noteChange()
        return rating
    }

    /// Deletes stars and review, and the activities for them: with many of those in several
    /// transactions, of which the last one deletes the rating.
    package func unrate(_ filmID: Int, by personID: Int) async throws {
        while try await unratePart(filmID, by: personID) {}
        taste.noteChange()
    }

    /// - Returns: whether there is more.
    private func unratePart(_ filmID: Int, by personID: Int) async throws -> Bool {
        let now = clock.now
        return try await commit { [self] tables in
            guard let deleted = try tables.deleteRating(of: filmID, by: personID) else {
                guard try tables.film(filmID) != nil else {
                    throw ActivityError.movieNotFound(filmID)
                }
                throw ActivityError.ratingNotFound(movieID: filmID)
            }
            var told = try tellDeletion(
                of: deleted.activityIDs,
                by: personID,
                at: now,
                tables
            )
            if deleted.rating.isReview, !deleted.isPart {
                told.change.erasures += forgetLikes(ofReview: deleted.rating.id, by: personID)
            }
            return (told, deleted.isPart)
        }
    }

    package func watch(_ filmID: Int, _ request: WatchRequest, by personID: Int) async throws
        -> WatchState
    {
        let now = clock.now
        return try await commit { [self] tables in
            let before = try tables.watchState(of: filmID, by: personID)?.status
            let (status, activity) = request.event.outcome(after: before)
            let outcome = try tables.setWatch(
                status,
                of: filmID,
                by: personID,
                progressPercent: request.progressPercent
                    ?? (request.event == .completed
                        ? ActivityLimits.progressPercent.upperBound : nil),
                at: now
            )
            guard case .written(let state, _) = outcome else {
                throw try refusal(filmID, personID, tables)
            }
            let told = try act(activity, filmID, personID, at: now, tables)
            return (told, state)
        }
    }

    /// - Returns: whether the film is on the list now.
    package func setWatchlist(
        _ filmID: Int,
        _ action: WatchlistRequest.Action,
        by personID: Int
    ) async throws -> Bool {
        let now = clock.now
        return try await commit { [self] tables in
            switch action {
            case .remove:
                guard try tables.film(filmID) != nil else {
                    throw ActivityError.movieNotFound(filmID)
                }
                _ = try tables.removeFromWatchlist(filmID, of: personID)
                return (.nothing, false)
            case .add:
                switch try tables.addToWatchlist(filmID, of: personID, at: now) {
                case .noSuchFilm: throw try refusal(filmID, personID, tables)
                case .full: throw ActivityError.watchlistFull
                case .alreadyThere: return (.nothing, true)
                case .added:
                    return (try act(.watchlist, filmID, personID, at: now, tables), true)
                }
            }
        }
    }

    /// Notes that a person does not want to have a film recommended, or takes it back. Friends do not
    /// see it.
    package func setNotInterested(
        _ isNotInterested: Bool,
        in filmID: Int,
        of personID: Int
    ) async throws {
        let now = clock.now
        try await commit { [self] tables in
            guard isNotInterested else {
                guard try tables.film(filmID) != nil else {
                    throw ActivityError.movieNotFound(filmID)
                }
                try tables.removeNotInterested(filmID, of: personID)
                return (.nothing, ())
            }
            switch try tables.addNotInterested(filmID, of: personID, at: now) {
            case .noSuchFilm: throw try refusal(filmID, personID, tables)
            case .full: throw ActivityError.tooManyNotInterested
            case .noted: return (.nothing, ())
            }
        }
    }

    package func like(
        _ isLiked: Bool,
        review id: Int,
        of filmID: Int,
        by personID: Int
    ) async throws -> ReviewLikes {
        let now = clock.now
        return try await commit { [self] tables in
            guard let film = try tables.film(filmID) else {
                throw ActivityError.movieNotFound(filmID)
            }
            let isChange = try tables.likes(review: id, personID) != isLiked
            let likes =
                isLiked
                ? try tables.like(review: id, of: filmID, by: personID, at: now)
                : try tables.unlike(review: id, of: filmID, by: personID)
            guard let likes,
                let authorID = try tables.visibleAuthor(ofReview: id, filmID, for: personID)
            else { throw ActivityError.reviewNotFound(id) }
            guard isChange, authorID != personID else { return (.nothing, likes) }
            let occasion: Notice.Occasion =
                isLiked
                ? .reviewLiked(LikedReview(id: id, film, likes: likes.likes))
                : .likeWithdrawn(reviewID: id, filmID: filmID)
            return (try notify(authorID, from: personID, occasion, at: now, tables), likes)
        }
    }

    private func act(
        _ type: ActivityType?,
        _ filmID: Int,
        _ personID: Int,
        at time: Timestamp,
        _ tables: ActivityTables
    ) throws -> Told {
        guard let type,
            let entry = try tables.insertActivity(type, of: filmID, by: personID, at: time)
        else { return .nothing }
        return try tell(entry, tables)
    }

    /// Returns the error for the missing one of the two.
    private func refusal(
        _ filmID: Int,
        _ personID: Int,
        _ tables: ActivityTables
    ) throws -> ActivityError {
        try tables.film(filmID) == nil
            ? .movieNotFound(filmID) : .authenticationRequired(.invalid)
    }
}

extension LikedReview {
    fileprivate init(id: Int, _ film: Film, likes: Int) {
        self.init(
            id: id,
            filmID: film.id,
            filmTitle: film.title,
            filmPosterURL: film.posterURL,
            likes: likes
        )
    }
}

extension ActivityError {
    fileprivate static let watchlistFull = ActivityError(
        .invalidRequest,
        "the watchlist is full",
        status: 409
    )
    fileprivate static let tooManyNotInterested = ActivityError(
        .invalidRequest,
        "\(ActivityLimits.notInterestedMax) films are marked as not interesting, which is the most allowed",
        status: 409
    )
    package static let tooManyFriends = ActivityError(
        .invalidRequest,
        "one of the two has as many friends or open requests as there may be",
        status: 409
    )
}
