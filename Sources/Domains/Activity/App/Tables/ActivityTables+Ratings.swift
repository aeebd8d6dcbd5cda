import Activity

/// The result of giving a rating.
package enum RatingOutcome: Sendable, Equatable {
    /// Or no such person: the account was deleted meanwhile.
    case noSuchFilm
    /// The same stars, comment and kind as before: nothing was done, a request came twice.
    case unchanged(Rating)
    case written(Rating, replaced: Rating?)
}

/// A deleted rating, and the activities of it and its earlier versions.
package struct DeletedRating: Sendable, Equatable {
    package var rating: Rating
    package var activityIDs: [Int]
    /// Whether there were more activities than go at once. Then the rating is still there.
    package var isPart = false
}

/// A rating as input of recommendations.
package struct RatingFact: Sendable, Equatable {
    package var id: Int
    package var personID: Int
    package var filmID: Int
    package var stars: HalfStars
    package var at: Timestamp
}

extension ActivityTables {
    /// From so many halves on the app shows five stars: a favourite.
    private static let favoriteHalves = 9

    package func rating(of filmID: Int, by personID: Int) throws -> Rating? {
        try row(ActivitySQL.selectRating, [personID, filmID]).map { try Rating($0) }
    }

    /// A person's ratings in the order of the films' ids.
    package func ratings(by personID: Int) throws -> [Rating] {
        try rows(ActivitySQL.selectRatingsOfPerson, [personID]) { try Rating($0) }
    }

    /// The number and the sum of a person's ratings, kept with every rating; nil if unknown.
    package func ratingTotals(of personID: Int) throws -> RatingTotals? {
        try row(ActivitySQL.selectRatingTotals, [personID]).map {
            RatingTotals(count: try $0[0], halves: try $0[1])
        }
    }

    /// The ratings behind an id, in the order of their ids: all of them, page by page, from 0 on. A
    /// change between two pages leaves a rating where it was.
    package func ratings(after id: Int, limit: Int) throws -> [RatingFact] {
        try rows(ActivitySQL.selectRatingPage, [id, limit]) { row in
            RatingFact(
                id: try row[0],
                personID: try row[1],
                filmID: try row[2],
                stars: try row.stars(3),
                at: try row.instant(4)
            )
        }
    }

    /// Writes a rating over the one that the person may have given the film before. Its id stays,
    /// and so do the likes, as long as it is a review.
    package func rate(
        _ filmID: Int,
        by personID: Int,
        _ stars: HalfStars,
        comment: String? = nil,
        isReview: Bool = false,
        at time: Timestamp
    ) throws -> RatingOutcome {
        try checked(comment)
        guard try canAct(personID, on: filmID) else { return .noSuchFilm }
        guard let old = try rating(of: filmID, by: personID) else {
            let id = try session.insert(
                ActivitySQL.insertRating,
                [personID, filmID, stars.halves, isReview, time.milliseconds, comment]
            )
            let new = Rating(
                id: id,
                personID: personID,
                filmID: filmID,
                stars: stars,
                comment: comment,
                isReview: isReview,
                at: time
            )
            try count(new, 1)
            return .written(new, replaced: nil)
        }
        var new = old
        new.stars = stars
        new.comment = comment
        new.isReview = isReview
        guard !isSame(new, old) else { return .unchanged(old) }
        new.at = time
        try run(
            ActivitySQL.updateRating,
            [old.id, stars.halves, isReview, time.milliseconds, comment]
        )
        try count(old, -1)
        try count(new, 1)
        if old.isReview, !isReview {
            try run(ActivitySQL.deleteLikes, [old.id])
            try run(ActivitySQL.clearLikes, [old.id])
        }
        return .written(new, replaced: old)
    }

    /// Writes a rating that is imported, unless the person has given the film a later one.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    package func importRating(
        of filmID: Int,
        by personID: Int,
        _ stars: HalfStars,
        at time: Timestamp
    ) throws -> Bool {
        if let old = try rating(of: filmID, by: personID), old.at >= time { return false }
        if case .written = try rate(filmID, by: personID, stars, at: time) { return true }
        return false
    }

    /// Deletes a rating with its likes and its activities.
    ///
    /// A rating that was changed very often has as many activities, each with a publication: then
    /// the oldest are deleted first and the rating with the last ones, so that an interrupted
    /// deletion can be repeated.
    ///
    /// - Parameter activitiesMax: bounds the publications of the caller in one transaction.
    /// - Returns: the deleted rows; nil if there was no rating.
    package func deleteRating(
        of filmID: Int,
        by personID: Int,
        activitiesMax: Int = 100
    ) throws -> DeletedRating? {
        guard let rating = try rating(of: filmID, by: personID) else { return nil }
        let activityIDs = try deleteActivities(
            ofRating: filmID,
            by: personID,
            limit: activitiesMax
        )
        // Exactly so many may have been all: then the next call has none of them, and the rating.
        let isPart = activityIDs.count == activitiesMax
        if !isPart { try delete(rating) }
        return DeletedRating(rating: rating, activityIDs: activityIDs, isPart: isPart)
    }

    func delete(_ rating: Rating) throws {
        try run(ActivitySQL.deleteLikes, [rating.id])
        try run(ActivitySQL.deleteRating, [rating.id])
        try count(rating, -1)
    }

    /// By bytes: Swift's `==` treats some texts as equal that a reader may distinguish.
    private func isSame(_ left: Rating, _ right: Rating) -> Bool {
        left.stars == right.stars && left.isReview == right.isReview
            && left.comment.map { Array($0.utf8) } == right.comment.map { Array($0.utf8) }
    }

    private func count(_ rating: Rating, _ sign: Int) throws {
        let halves = sign * rating.stars.halves
        let favorites = rating.stars.halves >= Self.favoriteHalves ? sign : 0
        try run(ActivitySQL.addToFilmRatings, [rating.filmID, sign, halves])
        try run(ActivitySQL.addToPersonRatings, [rating.personID, sign, halves, favorites])
    }

    // MARK: Friends

    /// Returns the ratings of a film by a person's friends: the number and the mean of all, and the
    /// latest few.
    ///
    /// - Complexity: O(friends) or O(ratings of the film), whichever are fewer.
    package func friendRatings(
        of filmID: Int,
        for personID: Int,
        latest limit: Int
    ) throws -> FriendRatings {
        guard let counts = try row(ActivitySQL.selectFilmCounts, [filmID]) else { return .none }
        let isByFriend = try friendCount(of: personID) <= counts[0]
        let select =
            isByFriend ? ActivitySQL.selectRatingsByFriend : ActivitySQL.selectFriendsByRating
        var halves = 0
        var given: Set<HalfStars> = []
        var latest: [FriendRating] = []
        let count = try rows(select, [personID, filmID]) { row in
            let stars = try row.stars(3)
            halves += stars.halves
            given.insert(stars)
            guard latest.count < limit else { return }
            latest.append(FriendRating(person: try row.personCard(), stars: stars))
        }.count
        return FriendRatings(
            count: count,
            halvesSum: halves,
            isUnanimous: given.count == 1,
            latest: latest
        )
    }

    /// Returns all interactions of a person's friends with a film. A friend who paused it has
    /// started it.
    package func friendSignals(
        of filmID: Int,
        for personID: Int,
        latest limit: Int
    ) throws -> FriendSignals {
        guard let counts = try row(ActivitySQL.selectFilmCounts, [filmID]) else { return .none }
        let isByFriend = try friendCount(of: personID) <= counts[1]
        let count =
            isByFriend ? ActivitySQL.countWatchesByFriend : ActivitySQL.countFriendsByWatch
        return FriendSignals(
            ratings: try friendRatings(of: filmID, for: personID, latest: limit),
            watchCount: try integer(count, [personID, filmID]) ?? 0,
            mutualFriendsWatched: try mutualFriendsWatched(filmID, for: personID)
        )
    }
}

/// The totals of a person's ratings: while they are equal, the ratings are the same, except for
/// changes that cancel each other out.
package struct RatingTotals: Sendable, Hashable {
    package var count: Int
    /// In half stars.
    package var halves: Int

    package init(count: Int, halves: Int) {
        self.count = count
        self.halves = halves
    }
}
