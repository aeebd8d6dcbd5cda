/// A domain's feeds whose publications can be erased: the quotes of these publications in alerts
/// are erased with them.
package protocol QuotedFeeds: Sendable {
    /// Whether a topic is such a feed.
    func isFeed(_ topic: Topic) -> Bool

    /// Returns the fields that distinguish the publications of a feed, which are stored in addition
    /// to those that rules name. Empty for topics that are not a feed.
    func fieldNames(of topic: Topic) -> [String]

    /// Returns the tags of the publication of a feed that these fields belong to; nil for topics
    /// that are not a feed, and if no publication is known.
    func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]?

    /// Whether rules evaluate a publication. In a feed, rules pass over publications that only
    /// announce the removal of another one, and those without the fields that all others of the
    /// feed have.
    func isForRules(_ publication: Publication) -> Bool

    /// Returns the topics of alerts that quote publications of a feed.
    func alertsTopics(of feed: Topic) -> [Topic]
}

/// For a hub without such feeds.
package struct NoQuotedFeeds: QuotedFeeds {
    package init() {}

    package func isFeed(_ topic: Topic) -> Bool { false }

    package func fieldNames(of topic: Topic) -> [String] { [] }

    package func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]? { nil }

    package func isForRules(_ publication: Publication) -> Bool { true }

    package func alertsTopics(of feed: Topic) -> [Topic] { [] }
}
