// swift-format-ignore-file: AlwaysUseLowerCamelCase

package enum FriendStatus: String, Codable, Equatable, Sendable {
    case accepted, pending, blocked
}

package struct FriendsResponse: Codable, Equatable, Sendable {
    package let friends: [Friend]
    package let suggestions: [Suggestion]

    package struct Friend: Codable, Equatable, Sendable {
        package let user_id: Int
        package let name: String
        package let avatar_url: String?
        package let favorite_genres: [String]?
        package let mutual_friends: Int
        package let status: FriendStatus
        package let watched_count: Int?
        package let last_active: String?
    }

    /// The document gives suggestions the fields of friends, too. Its sample of one has no status.
    package struct Suggestion: Codable, Equatable, Sendable {
        package let user_id: Int
        package let name: String
        package let avatar_url: String?
        package let favorite_genres: [String]?
        package let mutual_friends: Int
        package let status: FriendStatus?
        package let watched_count: Int?
        package let last_active: String?
        package let shared_genres: [String]
        package let match_score: Int
    }
}

package struct ActivitiesResponse: Codable, Equatable, Sendable {
    package let activities: [Activity]
    package let total_count: Int
}

package struct Activity: Codable, Equatable, Sendable {
    package let activity_id: Int
    package let user_id: Int
    package let user_name: String
    package let user_avatar: String?
    package let movie_id: Int
    package let movie_title: String
    package let movie_poster: String?
    package let type: Kind
    package let rating: Int?
    package let comment: String?
    package let timestamp: String

    package enum Kind: String, Codable, Equatable, Sendable {
        case rating, review, watched, started, watchlist
    }
}

/// The answer of `GET /users/{user_id}`.
package struct ProfileResponse: Codable, Equatable, Sendable {
    package let user_id: Int
    package let name: String
    package let avatar_url: String?
    package let bio: String?
    package let favorite_genres: [String]?
    package let watched_count: Int
    package let friends_count: Int
    package let ratings_count: Int?
    package let favorites_count: Int?
    package let stats: Stats?

    package struct Stats: Codable, Equatable, Sendable {
        package let average_rating_given: Double
        package let most_watched_genre: String
        package let total_watch_time: Int
    }
}

/// What every list has beside its items.
package struct ListPage: Codable, Equatable, Sendable {
    package let total_count: Int
    package let limit: Int
    package let offset: Int
    package let has_more: Bool
}

package struct ErrorResponse: Codable, Equatable, Sendable {
    package let error: Details

    package struct Details: Codable, Equatable, Sendable {
        package let code: String
        package let message: String
    }
}

/// A publication of the user's topic, to an app that knows of activities only: it leaves all others alone.
package struct FeedEvent: Codable, Equatable, Sendable {
    package let type: String
    package let data: Activity?

    private enum CodingKeys: String, CodingKey {
        case type, data
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = try values.decode(String.self, forKey: .type)
        data =
            type == "activity.created" ? try values.decode(Activity.self, forKey: .data) : nil
    }
}
