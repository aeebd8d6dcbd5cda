// NewsContractApp: what the two news apps decode, as the types of their documents.
//
// It shares nothing with the hub, with which it has to be able to disagree: its coding is the one
// that the compiler makes of the properties' names, which are therefore spelled as on the wire.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

package struct FeedResponse: Codable, Equatable, Sendable {
    package let items: [Signal]
    package let next_cursor: String?
}

package struct Signal: Codable, Equatable, Sendable {
    package let id: String
    package let url: String
    package let title: String
    package let source: String
    package let published_at: String
    package let verdict: String
    package let why: [String]
    package let action: String
    package let horizon: String?
    package let opportunity_type: String
    package let opportunity_note: String
    package let confidence: Int
    package let importance_score: Int
}

package struct PersonalizedFeedResponse: Codable, Equatable, Sendable {
    package let items: [PersonalizedSignal]
    package let next_cursor: String?
}

package struct PersonalizedSignal: Codable, Equatable, Sendable {
    package let id: String
    package let title: String
    package let shortSummary: String
    package let tickerSummary: String
    package let impactLevel: String
    package let scopeType: String
    package let opportunitySignal: String
    package let relevanceType: String
    package let profileTier: String
    package let rawArticles: [RawArticle]
    package let explanation: Explanation?

    package struct RawArticle: Codable, Equatable, Sendable {
        package let articleNumber: Int
        package let source: String
        package let title: String
        package let description: String
        package let body: String
        package let url: String
    }

    package struct Explanation: Codable, Equatable, Sendable {
        package let headline: String
        package let impact: String
        package let action: String
        package let context: String
        package let confidence: Double
    }
}

/// The document's type. Its client decodes `merged_feed` as groups of seven keys, although the
/// example of the document has four.
package struct StoryGroupsResponse: Codable, Equatable, Sendable {
    package let date: String
    package let user_id: String
    package let user_holdings: [String]
    package let global: [StoryGroup]
    package let by_ticker: [String: [StoryGroup]]
    package let merged_feed: [StoryGroup]
    package let metadata: Metadata

    package struct Metadata: Codable, Equatable, Sendable {
        package let total_groups: Int
        package let total_articles_clustered: Int
        package let dedup_removed: Int
        package let cache_ttl_seconds: Int
    }
}

package struct StoryGroup: Codable, Equatable, Sendable {
    package let id: Int
    package let group_title: String
    package let impact_level: String
    package let scope: String
    package let primary_ticker: String?
    package let article_count: Int
    package let created_at: String
}

package struct PreferencesResponse: Codable, Equatable, Sendable {
    package let success: Bool
    package let focus_profile: String
    package let holdings_count: Int
}

/// The document has no type for it: its keys, with what the hub has in `items`.
package struct BriefResponse: Codable, Equatable, Sendable {
    package let items: [BriefItem]
    package let generated_at: String?

    package struct BriefItem: Codable, Equatable, Sendable {
        package let id: Int
        package let group_title: String
        package let impact_level: String
        package let scope: String
        package let primary_ticker: String?
        package let article_count: Int
        package let created_at: String
        package let why: [String]
        package let summary: String
        package let urls: [String]
    }
}

package struct ErrorResponse: Codable, Equatable, Sendable {
    package let error: String
    package let details: String?
}

/// The `ticker` of a holding, as the document has it for requests; answers of `GET /v1/preferences`
/// have them, too.
package struct Holding: Codable, Equatable, Sendable {
    package let ticker: String
    package let label: String?
    package let notes: String?
}
