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

/// `hub.topics`: the list of topics that a client may read.
extension Loop {
    /// The maximum number of topics in one answer.
    private static let topicCountMax = 250
    /// The maximum number of topics examined for one answer: about half a millisecond.
    private static let topicsLookedAtMax = 1024
    /// The same of topics that the store has: each of them is looked up there.
    private static let storedTopicsLookedAtMax = 256
    /// The cost of examining a topic, in bytes of a turn's work.
    private static let topicWorkBytes = 16

    // MARK: Topics of the store

    /// Postpones a call that comes to topics of the store until they are read. Returns false if it does
    /// not.
    func waits(
        forList actions: ArraySlice<SessionAction>,
        on id: ConnectionID
    ) -> Bool {
        guard let lister = services.lister, case .rpc(let request) = actions.first,
            request.method == "hub.topics",
            !waiting.hasList(for: id), let page = TopicsPage(request.data)
        else { return false }
        // The answer may have room for some, unless there are many of the others.
        let left = hub.topicNumberCount - min(page.cursor, hub.topicNumberCount)
        guard left <= Loop.topicsLookedAtMax else { return false }
        waiting.wait(WaitingInput(actions: actions, waitedFor: .histories), of: id)
        connections.setReading(false, on: id)
        lister(page.place, Loop.storedTopicsLookedAtMax) { [mailbox] page in
            // If the loop accepts no message, it has ended, and its connections with it.
            _ = mailbox.post(.work(LoopMessage.Work { $0.waiting.come(page, for: id) }))
        }
        return true
    }

    /// Adds topics of the store as far as there is room. Returns the cursor to continue with; nil at the
    /// end.
    private func add(
        _ stored: StoredTopicsPage,
        to topics: inout [(topic: Topic, position: Position)],
        countMax: Int,
        after place: Int,
        _ session: ClientSession
    ) -> Int? {
        countCall(stored.rows.count * Loop.topicWorkBytes, session)
        var last = place
        for row in stored.rows {
            if lists(row.topic, session) {
                guard topics.count < countMax else { return TopicsPage.storedTopics + last }
                topics.append((row.topic, row.position))
            }
            last = row.place
        }
        return stored.next.map { TopicsPage.storedTopics + $0 }
    }

    // MARK: All topics

    /// Whether the list for a client contains a topic: it reads the topic already, or may read it and
    /// does not have to know its name from elsewhere.
    private func lists(_ topic: Topic, _ session: ClientSession) -> Bool {
        if session.subscriptions[topic] != nil { return true }
        return admission.mayRead(topic, session) && rules.isListed(topic, for: session.identity)
    }

    /// `{"limit":…,"cursor":…}`: some of the topics that the client may subscribe to without a
    /// token, and their positions. One call examines a limited number of topics, whether or not the
    /// client may read them; the client continues with `next` as `cursor`.
    func topics(
        _ data: [UInt8]?,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<[UInt8], ProtocolError> {
        let stored = waiting.takeList(of: id)
        guard let page = TopicsPage(data) else { return .failure(.badRequest) }
        let countMax = min(page.limit, Loop.topicCountMax)
        let first = min(page.cursor, hub.topicNumberCount)
        let end = first + min(Loop.topicsLookedAtMax, hub.topicNumberCount - first)
        var topics: [(topic: Topic, position: Position)] = []
        var number = first
        while number < end, topics.count < countMax {
            if let topic = hub.topic(numbered: number), lists(topic, session) {
                topics.append((topic, hub.position(of: topic)))
            }
            number += 1
        }
        // Counted even if the answer is short.
        countCall((number - first) * Loop.topicWorkBytes, session)
        var next = number < hub.topicNumberCount ? number : nil
        if let stored, next == nil {
            next = add(stored, to: &topics, countMax: countMax, after: page.place, session)
        }
        topics.sort { $0.topic.name < $1.topic.name }
        return .success(answer(topics, session, next: next))
    }

    private func answer(
        _ topics: [(topic: Topic, position: Position)],
        _ session: ClientSession,
        next: Int?
    ) -> [UInt8] {
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
        // Sending the answer is also work.
        addCost(json.bytes.count, session)
        return json.bytes
    }
}

/// A client's request for the list of topics.
private struct TopicsPage {
    /// A cursor from here on is a place in the store's list.
    static let storedTopics = 1 << 40

    var limit = Int.max
    /// The number of the first topic.
    var cursor = 0
    /// The place after which topics of the store are listed.
    var place: Int { max(0, cursor - Self.storedTopics) }

    /// Nil if the limit or cursor is invalid.
    init?(_ data: [UInt8]?) {
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
