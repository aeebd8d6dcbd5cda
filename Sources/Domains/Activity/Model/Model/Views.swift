// The data that the routes of the film app show: values that the store fills from its tables, each
// for one user, and that Forms writes as JSON.

/// The requested part of a list.
package struct PageRange: Sendable, Equatable {
    /// At least 1.
    package var limit: Int
    package var offset: Int

    package init(limit: Int, offset: Int = 0) {
        self.limit = limit
        self.offset = offset
    }
}

/// One part of a list, and how long the whole list is.
package struct Page<Item: Sendable>: Sendable {
    package var items: [Item]
    package var totalCount: Int
    package var range: PageRange

    package init(items: [Item], totalCount: Int, range: PageRange) {
        self.items = items
        self.totalCount = totalCount
        self.range = range
    }

    package var hasMore: Bool { range.offset < totalCount - items.count }

    package func map<Other: Sendable>(_ change: (Item) throws -> Other) rethrows -> Page<Other> {
        Page<Other>(items: try items.map(change), totalCount: totalCount, range: range)
    }
}

extension Page: Equatable where Item: Equatable {}

/// The part of a feed that follows an activity: oldest first, while a page of the feed is newest first.
package struct ActivityCatchUp: Sendable, Equatable {
    package var entries: [ActivityEntry]
    /// The activity behind which the list starts.
    package var since: Int
    /// All behind `since`, also those over the limit.
    package var totalCount: Int
    package var limit: Int

    package init(entries: [ActivityEntry], since: Int, totalCount: Int, limit: Int) {
        self.entries = entries
        self.since = since
        self.totalCount = totalCount
        self.limit = limit
    }

    /// The `since` for the entries after these.
    package var cursor: Int { entries.last?.id ?? since }
    package var hasMore: Bool { entries.count < totalCount }
}

// MARK: Films

/// A film as one user sees it: the routes of one film, search, watchlist and recommendations.
package struct FilmView: Sendable, Equatable {
    package var film: Film
    package var ratings: RatingSummary
    package var userRating: HalfStars?
    package var inWatchlist: Bool
    package var watchStatus: WatchStatus?

    package init(
        film: Film,
        ratings: RatingSummary = .none,
        userRating: HalfStars? = nil,
        inWatchlist: Bool = false,
        watchStatus: WatchStatus? = nil
    ) {
        self.film = film
        self.ratings = ratings
        self.userRating = userRating
        self.inWatchlist = inWatchlist
        self.watchStatus = watchStatus
    }
}

/// The computed scores of a film for a user, each 0...100; nil if unknown.
package struct FilmScores: Sendable, Equatable {
    package var ai: Int?
    package var social: Int?

    package init(ai: Int? = nil, social: Int? = nil) {
        self.ai = ai
        self.social = social
    }

    package static let unknown = FilmScores()
}

/// A film on a person's list of films to see.
package struct WatchlistItem: Sendable, Equatable {
    package var film: FilmView
    package var addedAt: Timestamp

    package init(film: FilmView, addedAt: Timestamp) {
        self.film = film
        self.addedAt = addedAt
    }
}

/// A person's progress in a film.
package struct WatchState: Sendable, Equatable {
    package var filmID: Int
    package var status: WatchStatus
    /// 0...100; nil if the app never sent it.
    package var progressPercent: Int?
    /// Of the last event.
    package var at: Timestamp

    package init(filmID: Int, status: WatchStatus, progressPercent: Int?, at: Timestamp) {
        self.filmID = filmID
        self.status = status
        self.progressPercent = progressPercent
        self.at = at
    }
}

// MARK: Ratings of others

/// One friend's stars for a film.
package struct FriendRating: Sendable, Equatable {
    package var person: PersonCard
    package var stars: HalfStars

    package init(person: PersonCard, stars: HalfStars) {
        self.person = person
        self.stars = stars
    }
}

/// The ratings of a film by a user's friends: all counted, and the latest ones by name.
package struct FriendRatings: Sendable, Equatable {
    package var count: Int
    /// In half stars; zero without ratings.
    package var halvesSum: Int
    /// Whether all of them gave the same.
    package var isUnanimous: Bool
    /// Not necessarily all.
    package var latest: [FriendRating]

    package init(count: Int, halvesSum: Int, isUnanimous: Bool, latest: [FriendRating]) {
        self.count = count
        self.halvesSum = halvesSum
        self.isUnanimous = isUnanimous
        self.latest = latest
    }

    /// Counts all ratings, and keeps the first ones.
    package init(_ ratings: [FriendRating], shownMax: Int = FriendRatings.shownMax) {
        self.init(
            count: ratings.count,
            halvesSum: ratings.reduce(0) { $0 + $1.stars.halves },
            isUnanimous: Set(ratings.map(\.stars)).count == 1,
            latest: Array(ratings.prefix(shownMax))
        )
    }

    package static let none = FriendRatings([])

    /// More faces than an app has room for; the count gives the total.
    package static let shownMax = 20

    /// In stars; nil without ratings.
    package var average: Double? { count > 0 ? Double(halvesSum) / 2 / Double(count) : nil }
}

/// Everything a user's friends have done with a film.
package struct FriendSignals: Sendable, Equatable {
    package var ratings: FriendRatings
    /// Friends who have completed it.
    package var watchCount: Int
    /// Friends of friends, not friends themselves, who have completed it.
    package var mutualFriendsWatched: Int

    package init(ratings: FriendRatings, watchCount: Int = 0, mutualFriendsWatched: Int = 0) {
        self.ratings = ratings
        self.watchCount = watchCount
        self.mutualFriendsWatched = mutualFriendsWatched
    }

    package static let none = FriendSignals(ratings: .none)
}

/// A review as one user sees it. Its id is the rating's.
package struct ReviewView: Sendable, Equatable {
    package var id: Int
    package var author: PersonCard
    package var filmID: Int
    package var stars: HalfStars
    package var comment: String?
    package var at: Timestamp
    package var likes: Int
    package var userLiked: Bool

    package init(
        id: Int,
        author: PersonCard,
        filmID: Int,
        stars: HalfStars,
        comment: String?,
        at: Timestamp,
        likes: Int,
        userLiked: Bool
    ) {
        self.id = id
        self.author = author
        self.filmID = filmID
        self.stars = stars
        self.comment = comment
        self.at = at
        self.likes = likes
        self.userLiked = userLiked
    }
}

/// The likes of a review after one was given or taken back.
package struct ReviewLikes: Sendable, Equatable {
    package var reviewID: Int
    package var likes: Int
    package var userLiked: Bool

    package init(reviewID: Int, likes: Int, userLiked: Bool) {
        self.reviewID = reviewID
        self.likes = likes
        self.userLiked = userLiked
    }
}

// MARK: People

/// A friend in a user's list.
package struct FriendView: Sendable, Equatable {
    package var person: PersonCard
    /// Filled from the person's ratings, not by the store.
    package var favoriteGenres: [String]
    package var mutualFriends: Int
    package var status: FriendStatus
    /// Films the friend has completed.
    package var watchedCount: Int
    package var lastActiveAt: Timestamp?

    package init(
        person: PersonCard,
        favoriteGenres: [String] = [],
        mutualFriends: Int,
        status: FriendStatus = .accepted,
        watchedCount: Int,
        lastActiveAt: Timestamp?
    ) {
        self.person = person
        self.favoriteGenres = favoriteGenres
        self.mutualFriends = mutualFriends
        self.status = status
        self.watchedCount = watchedCount
        self.lastActiveAt = lastActiveAt
    }
}

/// A person whom a user may know.
package struct SuggestionView: Sendable, Equatable {
    package var person: PersonCard
    /// Filled from the person's ratings, not by the store; so are the two below.
    package var favoriteGenres: [String]
    package var sharedGenres: [String]
    /// 0...100, how well the two agree about films.
    package var matchScore: Int
    package var mutualFriends: Int
    package var watchedCount: Int
    package var lastActiveAt: Timestamp?

    package init(
        person: PersonCard,
        favoriteGenres: [String] = [],
        sharedGenres: [String] = [],
        matchScore: Int = 0,
        mutualFriends: Int,
        watchedCount: Int,
        lastActiveAt: Timestamp?
    ) {
        self.person = person
        self.favoriteGenres = favoriteGenres
        self.sharedGenres = sharedGenres
        self.matchScore = matchScore
        self.mutualFriends = mutualFriends
        self.watchedCount = watchedCount
        self.lastActiveAt = lastActiveAt
    }
}

/// The direction of a request: to the user, or from the user.
package enum RequestDirection: String, Sendable, Equatable, CaseIterable {
    case incoming, outgoing
}

/// A friend request that waits for its answer, as one of the two sees it.
package struct FriendRequestView: Sendable, Equatable {
    package var id: Int
    package var direction: RequestDirection
    /// The other of the two.
    package var person: PersonCard
    package var mutualFriends: Int
    package var at: Timestamp

    package init(
        id: Int,
        direction: RequestDirection,
        person: PersonCard,
        mutualFriends: Int,
        at: Timestamp
    ) {
        self.id = id
        self.direction = direction
        self.person = person
        self.mutualFriends = mutualFriends
        self.at = at
    }
}

/// A person's page.
package struct ProfileView: Sendable, Equatable {
    package var person: Person
    /// Filled from the person's ratings, not by the store.
    package var favoriteGenres: [String]
    /// Films completed.
    package var watchedCount: Int
    package var friendsCount: Int
    package var ratingsCount: Int
    /// Films rated with five stars as the app shows them, so with nine halves or ten.
    package var favoritesCount: Int
    package var statistics: ProfileStatistics
    /// The relation of the person to the requesting user; nil for strangers and for oneself.
    package var friendStatus: FriendStatus?
    /// Whether the person is suggested to others by taste; only the person sees it.
    package var suggestsByTaste: Bool

    package init(
        person: Person,
        favoriteGenres: [String] = [],
        watchedCount: Int,
        friendsCount: Int,
        ratingsCount: Int,
        favoritesCount: Int,
        statistics: ProfileStatistics,
        friendStatus: FriendStatus? = nil,
        suggestsByTaste: Bool = false
    ) {
        self.person = person
        self.favoriteGenres = favoriteGenres
        self.watchedCount = watchedCount
        self.friendsCount = friendsCount
        self.ratingsCount = ratingsCount
        self.favoritesCount = favoritesCount
        self.statistics = statistics
        self.friendStatus = friendStatus
        self.suggestsByTaste = suggestsByTaste
    }
}

/// The statistics of a person's ratings and completed films.
package struct ProfileStatistics: Sendable, Equatable {
    /// In stars; nil without ratings.
    package var averageRatingGiven: Double?
    /// Of the films completed; nil without any.
    package var mostWatchedGenre: String?
    /// Of the films completed whose length is known.
    package var totalWatchMinutes: Int

    package init(averageRatingGiven: Double?, mostWatchedGenre: String?, totalWatchMinutes: Int) {
        self.averageRatingGiven = averageRatingGiven
        self.mostWatchedGenre = mostWatchedGenre
        self.totalWatchMinutes = totalWatchMinutes
    }

    package static let none = ProfileStatistics(
        averageRatingGiven: nil,
        mostWatchedGenre: nil,
        totalWatchMinutes: 0
    )
}
