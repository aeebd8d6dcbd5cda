import Alerts
import PubSub

/// What a domain says of its feeds whose publications can be erased: what alerts quote of them goes with them.
package protocol QuotedFeeds: Sendable {
    /// Whether a topic is such a feed.
    func isFeed(_ topic: Topic) -> Bool

    /// The fields that distinguish the publications of a feed, which are kept beside those that rules name. None for
    /// topics that are not a feed.
    func fieldNames(of topic: Topic) -> [String]

    /// The tags of the publication of a feed that these fields are of; nil for topics that are not a feed, and where
    /// no publication is known.
    func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]?

    /// Whether rules evaluate a publication. They pass over those of a feed that only tell that another is no more,
    /// and those without the fields that all others of the feed have.
    func isForRules(_ publication: Publication) -> Bool

    /// Where alerts quote publications of a feed.
    func alertsTopics(of feed: Topic) -> [Topic]
}

/// Of a hub without such feeds.
package struct NoQuotedFeeds: QuotedFeeds {
    package init() {}

    package func isFeed(_ topic: Topic) -> Bool { false }

    package func fieldNames(of topic: Topic) -> [String] { [] }

    package func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]? { nil }

    package func isForRules(_ publication: Publication) -> Bool { true }

    package func alertsTopics(of feed: Topic) -> [Topic] { [] }
}
