import Foundation

/// The answers that the film app decodes, by name.
package enum AnswerKind: String, Codable, CaseIterable, Sendable {
    case login, movie, search, recommendations, explanation, rate, reviews
    case friends, activities, profile, page, error, event

    /// Decodes an answer.
    ///
    /// - Returns: JSON of what the app has of it.
    /// - Throws: what the app would make of it, or `AppRefusal`.
    package func decoded(_ text: [UInt8]) throws -> String {
        switch self {
        case .login: try roundTrip(LoginResponse.self, text)
        case .movie: try roundTrip(Movie.self, text)
        case .search: try roundTrip(SearchResponse.self, text)
        case .recommendations: try roundTrip(RecommendationsResponse.self, text)
        case .explanation: try roundTrip(ExplanationResponse.self, text)
        case .rate: try roundTrip(RateResponse.self, text)
        case .reviews: try roundTrip(ReviewsResponse.self, text)
        case .friends: try roundTrip(FriendsResponse.self, text)
        case .activities: try roundTrip(ActivitiesResponse.self, text)
        case .profile: try roundTrip(ProfileResponse.self, text)
        case .page: try roundTrip(ListPage.self, text)
        case .error: try roundTrip(ErrorResponse.self, text)
        case .event: try roundTrip(FeedEvent.self, text)
        }
    }

    private func roundTrip<Value: Codable>(_ type: Value.Type, _ text: [UInt8]) throws -> String {
        let value = try AppDecoder.decode(type, from: text)
        return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
