/// An act of one person towards another, who is notified of it: not an act with a film, so friends
/// are not notified.
package struct Notice: Sendable, Equatable {
    package enum Occasion: Sendable, Equatable {
        /// The actor asked to be friends.
        case friendRequested(requestID: Int)
        /// The actor took the request back.
        case requestWithdrawn(requestID: Int)
        /// The actor accepted the recipient's request.
        case friendAccepted
        case reviewLiked(LikedReview)
        /// The actor took the like back.
        case likeWithdrawn(reviewID: Int, filmID: Int)
    }

    /// The person whose topic has it.
    package var recipientID: Int
    package var actor: PersonCard
    package var occasion: Occasion
    package var at: Timestamp

    package init(to recipientID: Int, from actor: PersonCard, _ occasion: Occasion, at: Timestamp) {
        self.recipientID = recipientID
        self.actor = actor
        self.occasion = occasion
        self.at = at
    }
}

/// A review with a like.
package struct LikedReview: Sendable, Equatable {
    /// The review's id.
    package var id: Int
    package var filmID: Int
    package var filmTitle: String
    package var filmPosterURL: String?
    /// All likes that the review has by then.
    package var likes: Int

    package init(
        id: Int,
        filmID: Int,
        filmTitle: String,
        filmPosterURL: String?,
        likes: Int
    ) {
        self.id = id
        self.filmID = filmID
        self.filmTitle = filmTitle
        self.filmPosterURL = filmPosterURL
        self.likes = likes
    }
}

/// The numbers of a user's unseen items.
package struct UnreadCounts: Sendable, Equatable {
    /// The acts of friends.
    package var activities: Int
    /// Requests to the user that still wait for an answer.
    package var friendRequests: Int
    /// Likes of the user's reviews.
    package var likes: Int
    /// The cursor for the next request.
    package var cursor: UnreadCursor

    package init(activities: Int, friendRequests: Int, likes: Int, cursor: UnreadCursor) {
        self.activities = activities
        self.friendRequests = friendRequests
        self.likes = likes
        self.cursor = cursor
    }

    /// Counts of each kind go up to here, so that their cost is bounded.
    package static let countMax = 1000
}

/// The position up to which a user has seen the items that `UnreadCounts` counts. Apps store its
/// text and send it unchanged.
package struct UnreadCursor: Sendable, Equatable {
    /// The last activity, of any person.
    package var activityID: Int
    /// The last request to the user.
    package var requestID: Int
    /// The number of likes that the user's reviews had received in all, including those taken back.
    package var likeNumber: Int

    package init(activityID: Int = 0, requestID: Int = 0, likeNumber: Int = 0) {
        self.activityID = activityID
        self.requestID = requestID
        self.likeNumber = likeNumber
    }

    package var text: String { "\(activityID).\(requestID).\(likeNumber)" }

    /// Nil for text that is not a result of `text`.
    package init?(_ text: some StringProtocol) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
            .map { part -> Int? in
                guard let number = Int(part), String(number).utf8.elementsEqual(part.utf8) else {
                    return nil
                }
                return number >= 0 ? number : nil
            }
        guard numbers.count == 3, let activity = numbers[0], let request = numbers[1],
            let like = numbers[2]
        else { return nil }
        self.init(activityID: activity, requestID: request, likeNumber: like)
    }
}
