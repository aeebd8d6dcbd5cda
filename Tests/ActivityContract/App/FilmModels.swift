// ActivityContractApp: what the film app decodes, as the types of its document.
//
// It shares nothing with the hub, with which it has to be able to disagree: its coding is the one that
// the compiler makes of the properties' names, which are therefore spelled as on the wire. A property is
// optional only where the document says so.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

package struct LoginResponse: Codable, Equatable, Sendable {
    package let access_token: String
    package let user: User

    package struct User: Codable, Equatable, Sendable {
        package let user_id: Int
        package let name: String
        package let avatar_url: String?
        package let email: String
    }
}

package enum WatchStatus: String, Codable, Equatable, Sendable {
    case started, completed, paused
}

/// The answer of `GET /movies/{movie_id}`.
package struct Movie: Codable, Equatable, Sendable {
    package let movie_id: Int
    package let title: String
    package let genres: [String]
    package let poster_url: String?
    package let overview: String?
    /// The document has a string. A film whose date no catalogue knows has none: protocol/activity.md.
    package let release_date: String?
    package let tmdb_id: Int
    package let rating: Double?
    package let rating_count: Int?
    package let user_rating: Int?
    package let ai_score: Int?
    package let social_score: Int?
    package let in_watchlist: Bool
    package let watch_status: WatchStatus?
}

package struct SearchResponse: Codable, Equatable, Sendable {
    package let movies: [Movie]
    package let total_count: Int
}

package struct RecommendationsResponse: Codable, Equatable, Sendable {
    package let recommendations: [Recommendation]
    package let last_updated: String
    package let total_count: Int
}

/// All fields of a movie, and why it is recommended.
package struct Recommendation: Codable, Equatable, Sendable {
    package let movie_id: Int
    package let title: String
    package let genres: [String]
    package let poster_url: String?
    package let overview: String?
    package let release_date: String?
    package let tmdb_id: Int
    package let rating: Double?
    package let rating_count: Int?
    package let user_rating: Int?
    package let ai_score: Int?
    package let social_score: Int?
    package let in_watchlist: Bool
    package let watch_status: WatchStatus?
    package let explanation: Reason
    package let friend_ratings: FriendRatings

    package struct Reason: Codable, Equatable, Sendable {
        package let primary_reason: String
        package let factors: [Factor]
    }

    package struct Factor: Codable, Equatable, Sendable {
        package let type: String
        package let value: Double
        package let description: String
    }

    package struct FriendRatings: Codable, Equatable, Sendable {
        package let count: Int
        package let average: Double
        package let friends: [Friend]
    }

    package struct Friend: Codable, Equatable, Sendable {
        package let user_id: Int
        package let name: String
        package let avatar_url: String?
        package let rating: Int
    }
}

/// The answer of `GET /movies/{movie_id}/explanation`.
package struct ExplanationResponse: Codable, Equatable, Sendable {
    package let movie_id: Int
    package let ai_score: Int
    package let explanation: Explanation
    package let social_signals: SocialSignals

    package struct Explanation: Codable, Equatable, Sendable {
        package let primary_reason: String
        package let confidence: Double
        package let factors: [Factor]
    }

    package struct Factor: Codable, Equatable, Sendable {
        package let type: String
        package let weight: Double
        package let value: Double
        package let description: String
    }

    package struct SocialSignals: Codable, Equatable, Sendable {
        package let friend_ratings_count: Int
        package let friend_ratings_avg: Double
        package let friend_watch_count: Int
        package let mutual_friends_watched: Int
    }
}

/// The answer of `POST /movies/{movie_id}/rate`.
package struct RateResponse: Codable, Equatable, Sendable {
    package let success: Bool
    package let rating: Rating

    package struct Rating: Codable, Equatable, Sendable {
        package let user_id: Int
        package let movie_id: Int
        package let rating: Int
        /// Optional where the document describes reviews.
        package let comment: String?
        package let timestamp: String
    }
}

package struct ReviewsResponse: Codable, Equatable, Sendable {
    package let reviews: [Review]
    package let total_count: Int

    package struct Review: Codable, Equatable, Sendable {
        package let review_id: Int?
        package let user_id: Int
        package let user_name: String
        package let user_avatar: String?
        package let movie_id: Int
        package let rating: Int
        package let comment: String?
        package let timestamp: String
        package let likes: Int
        package let user_liked: Bool
    }
}
