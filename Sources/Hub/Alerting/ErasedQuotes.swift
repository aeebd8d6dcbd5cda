import Alerts
import PubSub
import Store

/// A note that publications were erased from a feed (`QuotedFeeds`), for the rules that look at the feed.
///
/// What alerts have told of them goes in the transaction that erases them. But the rules know a publication that was
/// told, and an alert may be on its way to the store: so the transaction leaves this note, too, and
/// `TopicAlertsFollower` takes care of both before it deletes the note. The note stands in the file: whoever
/// kills the hub in between keeps nothing.
package struct ErasedQuotes: Equatable, Sendable {
    /// The domain of the rows that are such notes.
    package static let domain = "topic_alerts_erased"

    package let feed: Topic
    /// By what publications were erased; nil where the feed has ended.
    package let tag: (name: String, value: String)?
    /// Where alerts quote the feed.
    private let alertsTopics: [Topic]

    package static func == (one: ErasedQuotes, other: ErasedQuotes) -> Bool { one.key == other.key }

    /// Nil for topics that are no feed.
    package init?(_ erasure: Erasure, _ feeds: any QuotedFeeds) {
        self.init(feed: erasure.topic, tag: (erasure.tag, erasure.value), feeds)
    }

    /// Nil for topics that are no feed.
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

    // MARK: What it is about

    /// Whether a publication of the feed was erased. One that came behind the erasure and has the tag, too, is
    /// taken for erased: better a rule that misses something than one that quotes what is no more.
    package func covers(_ publication: Publication) -> Bool {
        publication.topic == feed && covers(publication.tags)
    }

    /// Whether a publication of the feed with these tags was erased.
    package func covers(_ tags: [String: String]) -> Bool {
        tag.map { Erasure(topic: feed, tag: $0.name, value: $0.value).covers(tags) } ?? true
    }

    /// Takes what alerts have told of them out of histories, and out of what waits for webhooks.
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

    /// Nil for what `row` has not written.
    package init?(_ row: StateRow, _ feeds: any QuotedFeeds) {
        let parts = row.key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count != 2, let feed = try? Topic(String(parts[0])) else { return nil }
        let tag = parts.count == 3 ? (name: String(parts[1]), value: String(parts[2])) : nil
        self.init(feed: feed, tag: tag, feeds)
    }
}

extension Change {
    /// Has what alerts quote go with the publications that the change erases.
    ///
    /// - Parameter isFollowed: whether there are rules that may know of these publications.
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
