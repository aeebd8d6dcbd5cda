import Activity
import DomainKit

extension ActivityTables {
    /// A film's reviews as a user sees them, newest first; nil when there is no such film.
    ///
    /// - Complexity: O(reviews of the film) for their number.
    package func reviews(
        of filmID: Int,
        for viewerID: Int,
        range: PageRange
    ) throws -> Page<ReviewView>? {
        guard try ratingSummary(ofFilm: filmID) != nil else { return nil }
        let arguments: SQLArguments = [filmID, viewerID, range.limit, range.offset]
        let reviews = try rows(ActivitySQL.selectReviews, arguments) { row in
            ReviewView(
                id: try row[0],
                author: try row.personCard(1),
                filmID: filmID,
                stars: try row.stars(4),
                comment: try row[5],
                at: try row.instant(6),
                likes: try row[7],
                userLiked: try row[8]
            )
        }
        let count = try integer(ActivitySQL.countReviews, [filmID, viewerID]) ?? 0
        return Page(items: reviews, totalCount: count, range: range)
    }

    /// Likes a review; a second time changes nothing.
    ///
    /// - Returns: nil when the film has no such review that the person may see.
    package func like(
        review id: Int,
        of filmID: Int,
        by personID: Int,
        at time: Timestamp
    ) throws -> ReviewLikes? {
        guard let authorID = try visibleAuthor(ofReview: id, filmID, for: personID) else {
            return nil
        }
        if try !likes(review: id, personID) {
            try run(ActivitySQL.countUpLikes, [authorID])
            try run(ActivitySQL.insertLike, [id, personID, time.milliseconds, authorID])
            try run(ActivitySQL.addLike, [id, 1])
        }
        return try likes(of: id, userLiked: true)
    }

    /// Whether a person likes a review.
    package func likes(review id: Int, _ personID: Int) throws -> Bool {
        try row(ActivitySQL.selectLike, [id, personID]) != nil
    }

    /// Takes a like back; one that was not given is no error.
    ///
    /// - Returns: nil when the film has no such review that the person may see.
    package func unlike(review id: Int, of filmID: Int, by personID: Int) throws -> ReviewLikes? {
        guard try visibleAuthor(ofReview: id, filmID, for: personID) != nil else { return nil }
        if try changes(ActivitySQL.deleteLike, [id, personID]) == 1 {
            try run(ActivitySQL.addLike, [id, -1])
        }
        return try likes(of: id, userLiked: false)
    }

    /// Returns the author of a review of a film; nil if the film has no such review that the person
    /// may see.
    package func visibleAuthor(
        ofReview id: Int,
        _ filmID: Int,
        for personID: Int
    ) throws -> Int? {
        guard let authorID = try integer(ActivitySQL.selectReviewAuthor, [id, filmID]),
            try card(authorID) != nil, try card(personID) != nil,
            try areUnblocked(personID, authorID)
        else { return nil }
        return authorID
    }

    private func likes(of reviewID: Int, userLiked: Bool) throws -> ReviewLikes {
        ReviewLikes(
            reviewID: reviewID,
            likes: try integer(ActivitySQL.selectLikeCount, [reviewID]) ?? 0,
            userLiked: userLiked
        )
    }
}
