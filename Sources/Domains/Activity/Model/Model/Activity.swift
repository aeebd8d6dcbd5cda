// Activity: the film app: the acts of people, their recipients, and recommendations.

/// The acts that friends are notified of. One act is one activity.
package enum ActivityType: String, Sendable, Equatable, CaseIterable {
    case rating, review, watched, started, watchlist
}

/// One entry of the activity feed, the same for all people who may see it.
package struct ActivityEntry: Sendable, Equatable {
    /// Grows with every act of any person, in the order of their commits.
    package var id: Int
    package var actor: PersonCard
    package var filmID: Int
    package var filmTitle: String
    package var filmPosterURL: String?
    package var type: ActivityType
    /// Whole stars; nil where there are none.
    package var rating: Int?
    package var comment: String?
    package var at: Timestamp

    package init(
        id: Int,
        actor: PersonCard,
        filmID: Int,
        filmTitle: String,
        filmPosterURL: String?,
        type: ActivityType,
        rating: Int?,
        comment: String?,
        at: Timestamp
    ) {
        self.id = id
        self.actor = actor
        self.filmID = filmID
        self.filmTitle = filmTitle
        self.filmPosterURL = filmPosterURL
        self.type = type
        self.rating = rating
        self.comment = comment
        self.at = at
    }
}

/// A person's progress in a film.
package enum WatchStatus: String, Sendable, Equatable, CaseIterable {
    case started, completed, paused
}
