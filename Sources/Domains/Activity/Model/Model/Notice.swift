import Timekeeping

/// Something that one person did with another and that the other hears of: no act with a film, so friends do
/// not hear of it.
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

    /// Whose topic has it.
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

/// A review that somebody liked.
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

/// How much a user has not seen yet.
package struct UnreadCounts: Sendable, Equatable {
    /// What friends have done.
    package var activities: Int
    /// Requests to the user that still wait for an answer.
    package var friendRequests: Int
    /// Likes of the user's reviews.
    package var likes: Int
    /// What to ask with the next time.
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

/// How far a user has seen what `UnreadCounts` counts. Apps keep its text and send it as it is.
package struct UnreadCursor: Sendable, Equatable {
    /// The last activity, of anybody.
    package var activityID: Int
    /// The last request to the user.
    package var requestID: Int
    /// How many likes the user's reviews had got in all, those that were taken back included.
    package var likeNumber: Int

    package init(activityID: Int = 0, requestID: Int = 0, likeNumber: Int = 0) {
        self.activityID = activityID
        self.requestID = requestID
        self.likeNumber = likeNumber
    }

    package var text: String { "\(activityID).\(requestID).\(likeNumber)" }

    /// Nil for what `text` does not make.
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
