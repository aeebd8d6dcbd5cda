import ClientWire
import Reactor

/// Topics as the store lists them.
package struct StoredTopicsPage: Sendable {
    package struct Row: Sendable {
        /// The place of the topic in the list.
        package var place: Int
        package var topic: Topic
        package var position: Position

        package init(place: Int, topic: Topic, position: Position) {
            self.place = place
            self.topic = topic
            self.position = position
        }
    }

    /// In the order of their places.
    package var rows: [Row]
    /// The last place that was looked at; nil at the end of the list.
    package var next: Int?

    package init(rows: [Row], next: Int?) {
        self.rows = rows
        self.next = next
    }
}

/// Reads the topics that the store has after a place, at most `count`; 0 is before the first. Calls the
/// completion once, from any thread, with nil if the store cannot be read. It is called on a loop and must
/// not block.
package typealias TopicLister =
    @Sendable (
        _ place: Int,
        _ count: Int,
        _ completion: @escaping @Sendable (StoredTopicsPage?) -> Void
    ) -> Void

/// The answer to `hub.topics`: some of the topics that a client may read, and their positions.
///
/// One answer examines a limited number of topics, whether or not the client may read them; the client
/// continues with `next` as `cursor`. Topics of the store come behind those in memory.
package struct TopicList {
    /// The maximum number of topics in one answer.
    private static let topicCountMax = 250
    /// The maximum number of topics examined for one answer: about half a millisecond.
    static let topicsExaminedMax = 1024
    /// The same of topics that the store has: each of them is looked up there.
    static let storedTopicsExaminedMax = 256
    /// The cost of examining a topic, in bytes of a turn's work.
    private static let topicWorkBytes = 16

    private var topics: [(topic: Topic, position: Position)] = []
    private var next: Int?
    /// The cost of the list, in bytes of a turn's work. It is counted even if the answer is short.
    package private(set) var workBytes = 0

    /// - Parameter stored: topics of the store, if they were read.
    package init(
        _ page: TopicsPage,
        for session: ClientSession,
        _ hub: borrowing LoopTopics,
        _ admission: borrowing Admission,
        stored: StoredTopicsPage?
    ) {
        let countMax = min(page.limit, TopicList.topicCountMax)
        let first = min(page.cursor, hub.topicNumberCount)
        let end = first + min(TopicList.topicsExaminedMax, hub.topicNumberCount - first)
        var number = first
        while number < end, topics.count < countMax {
            if let topic = hub.topic(numbered: number),
                TopicList.contains(topic, for: session, admission)
            {
                topics.append((topic, hub.position(of: topic)))
            }
            number += 1
        }
        workBytes = (number - first) * TopicList.topicWorkBytes
        next = number < hub.topicNumberCount ? number : nil
        if let stored, next == nil {
            add(stored, countMax: countMax, after: page.place, session, admission)
        }
        topics.sort { $0.topic.name < $1.topic.name }
    }

    /// Adds topics of the store as far as there is room.
    private mutating func add(
        _ stored: StoredTopicsPage,
        countMax: Int,
        after place: Int,
        _ session: ClientSession,
        _ admission: borrowing Admission
    ) {
        workBytes += stored.rows.count * TopicList.topicWorkBytes
        var last = place
        for row in stored.rows {
            if TopicList.contains(row.topic, for: session, admission) {
                guard topics.count < countMax else {
                    next = TopicsPage.storedTopics + last
                    return
                }
                topics.append((row.topic, row.position))
            }
            last = row.place
        }
        next = stored.next.map { TopicsPage.storedTopics + $0 }
    }

    /// Whether the list for a client contains a topic: it reads the topic already, or may read it and
    /// does not have to know its name from elsewhere.
    private static func contains(
        _ topic: Topic,
        for session: ClientSession,
        _ admission: borrowing Admission
    ) -> Bool {
        if session.subscriptions[topic] != nil { return true }
        return admission.mayRead(topic, session)
            && admission.rules.isListed(topic, for: session.identity)
    }

    /// The answer as JSON text.
    package func json(for session: ClientSession) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.array("topics") { json in
                for (topic, position) in topics {
                    json.object {
                        $0.field("topic", topic.name)
                        $0.field("offset", position.offset)
                        $0.field("epoch", position.epoch)
                        $0.field("subscribed", session.subscriptions[topic] != nil)
                    }
                }
            }
            $0.field("complete", next == nil)
            if let next { $0.field("next", UInt64(next)) }
        }
        return json.bytes
    }
}

/// A client's request for the list of topics.
package struct TopicsPage {
    /// A cursor from here on is a place in the store's list.
    fileprivate static let storedTopics = 1 << 40

    var limit = Int.max
    /// The number of the first topic.
    var cursor = 0
    /// The place after which topics of the store are listed.
    var place: Int { max(0, cursor - Self.storedTopics) }

    /// Nil if the limit or cursor is invalid.
    package init?(_ data: [UInt8]?) {
        guard let data, let fields = try? JSONReader.fields(of: data[...]) else { return }
        let values = Dictionary(fields) { $1 }
        if let value = values["limit"] {
            guard let number = JSONReader.integer(value).flatMap({ Int(exactly: $0) }), number > 0
            else { return nil }
            limit = number
        }
        if let value = values["cursor"] {
            guard let number = JSONReader.integer(value).flatMap({ Int(exactly: $0) }), number >= 0
            else { return nil }
            cursor = number
        }
    }
}
