import Activity
import Alerts
import PubSub
import Store

/// A note that acts were erased from a feed of the film app, for the rules that look at the feed.
///
/// What alerts have told of them goes in the transaction that erases them. But the rules know an act that was
/// told, and an alert may be on its way to the store: so the transaction leaves this note, too, and
/// `TopicAlertsFollower` takes care of both before it deletes the note. The note stands in the file: whoever
/// kills the hub in between keeps nothing.
struct ErasedQuotes: Equatable, Sendable {
    /// The domain of the rows that are such notes.
    static let domain = "topic_alerts_erased"

    let feed: Topic
    /// By what acts were erased; nil where the feed ended with its person.
    let tag: (name: String, value: String)?

    static func == (one: ErasedQuotes, other: ErasedQuotes) -> Bool { one.key == other.key }

    /// Nil for topics that are nobody's feed.
    init?(_ erasure: Erasure) {
        self.init(feed: erasure.topic, tag: (erasure.tag, erasure.value))
    }

    /// Nil for topics that are nobody's feed.
    init?(removed topic: Topic) {
        self.init(feed: topic, tag: nil)
    }

    private init?(feed: Topic, tag: (name: String, value: String)?) {
        guard let person = PersonTopic(feed), person.kind == .activity, person.topic == feed
        else { return nil }
        self.feed = feed
        self.tag = tag
    }

    // MARK: What it is about

    /// Whether a publication of the feed was erased. One that came behind the erasure and has the tag, too, is
    /// taken for erased: better a rule that misses an act than one that quotes what is no more.
    func covers(_ publication: Publication) -> Bool {
        publication.topic == feed && covers(publication.tags)
    }

    /// Whether an act of the feed with these tags was erased.
    func covers(_ tags: [String: String]) -> Bool {
        tag.map { Erasure(topic: feed, tag: $0.name, value: $0.value).covers(tags) } ?? true
    }

    /// Where alerts quote acts of the feed: those of the operator's rules, and those of its person's own. Nobody
    /// else reads the feed, so nobody else has alerts of it.
    private var alertsTopics: [Topic] {
        let own = PersonTopic(feed).flatMap { userAlertsTopic(String($0.person)) }
        return [Topic(trusted: feed.name + ":alerts")] + [own].compactMap(\.self)
    }

    /// Takes what alerts have told of the acts out of histories, and out of what waits for webhooks.
    func erase(in change: inout Change) {
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

    var row: StateRow {
        StateRow(domain: ErasedQuotes.domain, key: key, value: Array("{}".utf8))
    }

    /// Nil for what `row` has not written.
    init?(_ row: StateRow) {
        let parts = row.key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count != 2, let feed = try? Topic(String(parts[0])) else { return nil }
        let tag = parts.count == 3 ? (name: String(parts[1]), value: String(parts[2])) : nil
        self.init(feed: feed, tag: tag)
    }
}

extension Change {
    /// Has what alerts quote of acts go with the acts that the change erases.
    ///
    /// - Parameter isFollowed: whether there are rules that may know of these acts.
    mutating func eraseQuotes(isFollowed: Bool) {
        let quotes =
            erasures.compactMap { ErasedQuotes($0) }
            + removedHistories.compactMap { ErasedQuotes(removed: $0) }
        for quote in quotes {
            quote.erase(in: &self)
            if isFollowed { state.append(quote.row) }
        }
    }
}
