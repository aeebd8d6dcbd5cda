/// A note that publications were erased from a feed (`QuotedFeeds`), for the rules that look at the
/// feed.
///
/// The transaction that erases the publications also erases their quotes in alerts. But a rule may
/// still have the values of an erased publication, and an alert that quotes it may be on its way to
/// the store. Therefore the transaction also stores this note, and `TopicAlertsFollower` handles
/// both cases before it deletes the note. The note is in the file, so the erasure completes even if
/// the hub is killed in between.
package struct ErasedQuotes: Equatable, Sendable {
    /// The domain of the rows with these notes.
    package static let domain = "topic_alerts_erased"

    package let feed: Topic
    /// The tag by which publications were erased; nil if the feed has ended.
    package let tag: (name: String, value: String)?
    /// The topics of the alerts that quote the feed.
    private let alertsTopics: [Topic]

    package static func == (one: ErasedQuotes, other: ErasedQuotes) -> Bool { one.key == other.key }

    /// Returns nil if the topic is not a feed.
    package init?(_ erasure: Erasure, _ feeds: any QuotedFeeds) {
        self.init(feed: erasure.topic, tag: (erasure.tag, erasure.value), feeds)
    }

    /// Returns nil if the topic is not a feed.
    package init?(removed topic: Topic, _ feeds: any QuotedFeeds) {
        self.init(feed: topic, tag: nil, feeds)
    }

    private init?(
        feed: Topic,
        tag: (name: String, value: String)?,
        _ feeds: any QuotedFeeds
    ) {
        guard feeds.isFeed(feed) else { return nil }
        self.feed = feed
        self.tag = tag
        alertsTopics = feeds.alertsTopics(of: feed)
    }

    // MARK: Erased publications

    /// Whether a publication of the feed was erased. A later publication with the same tag also
    /// counts as erased: a rule should rather miss a publication than quote an erased one.
    package func covers(_ publication: Publication) -> Bool {
        publication.topic == feed && covers(publication.tags)
    }

    /// Whether a publication of the feed with these tags was erased.
    package func covers(_ tags: [String: String]) -> Bool {
        tag.map { Erasure(topic: feed, tag: $0.name, value: $0.value).covers(tags) } ?? true
    }

    /// Removes the quotes in alerts from histories, and from pending webhook deliveries.
    package func erase(in change: inout Change) {
        guard let tag else {
            change.removedHistories += alertsTopics
            return
        }
        change.erasures += alertsTopics.map {
            Erasure(topic: $0, tag: tag.name, value: tag.value)
        }
    }

    // MARK: Rows

    private var key: String {
        tag.map { "\(feed.name) \($0.name) \($0.value)" } ?? feed.name
    }

    package var row: StateRow {
        StateRow(domain: ErasedQuotes.domain, key: key, value: Array("{}".utf8))
    }

    /// Returns nil if `row` did not write this row.
    package init?(_ row: StateRow, _ feeds: any QuotedFeeds) {
        let parts = row.key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count != 2, let feed = try? Topic(String(parts[0])) else { return nil }
        let tag = parts.count == 3 ? (name: String(parts[1]), value: String(parts[2])) : nil
        self.init(feed: feed, tag: tag, feeds)
    }
}

extension Change {
    /// Also erases the quotes in alerts of publications that the change erases.
    ///
    /// - Parameter isFollowed: whether rules may have evaluated these publications.
    package mutating func eraseQuotes(of feeds: any QuotedFeeds, isFollowed: Bool) {
        let quotes =
            erasures.compactMap { ErasedQuotes($0, feeds) }
            + removedHistories.compactMap { ErasedQuotes(removed: $0, feeds) }
        for quote in quotes {
            quote.erase(in: &self)
            if isFollowed { state.append(quote.row) }
        }
    }
}
