import ClientWire
import JSONText
import PubSub

/// The methods that clients may call.
extension Shard {
    /// Topics that one answer names at most.
    private static let topicCountMax = 250
    /// Topics that are looked at for one answer: about half a millisecond.
    private static let topicsLookedAtMax = 1024

    package func call(_ request: RPCRequest, _ session: ClientSession) -> Result<
        [UInt8], ProtocolError
    > {
        switch request.method {
        case "hub.topics": topics(request.data, session)
        case "hub.explain": explain(request.data, session)
        default: .failure(.methodNotFound)
        }
    }

    /// What it costs to look at a topic, in bytes of a turn's work.
    private static let topicWorkBytes = 16
    /// How much of the record is looked through for one byte of a turn's work.
    private static let recordedPerWorkByte = 16

    /// `{"limit":…,"cursor":…}`: some of the topics that the client may subscribe to without a token, and where
    /// they stand. One call looks at so many topics and no more, whether or not the client may read them; the
    /// client goes on with `next` as `cursor`.
    private func topics(
        _ data: [UInt8]?,
        _ session: ClientSession
    ) -> Result<[UInt8], ProtocolError> {
        guard let page = TopicsPage(data) else { return .failure(.badRequest) }
        let first = min(page.cursor, hub.topicNumberCount)
        let end = first + min(Shard.topicsLookedAtMax, hub.topicNumberCount - first)
        var topics: [Topic] = []
        var next = first
        while next < end, topics.count < min(page.limit, Shard.topicCountMax) {
            if let topic = hub.topic(numbered: next), mayRead(topic, session) {
                topics.append(topic)
            }
            next += 1
        }
        // However short the answer is.
        countCall((next - first) * Shard.topicWorkBytes, session)
        topics.sort { $0.name < $1.name }
        return .success(
            answer(topics, session, next: next < hub.topicNumberCount ? next : nil)
        )
    }

    private func answer(_ topics: [Topic], _ session: ClientSession, next: Int?) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.array("topics") { json in
                for topic in topics {
                    json.object {
                        let position = hub.position(of: topic)
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
        // The answer is work when it is sent.
        addCost(json.bytes.count, session)
        return json.bytes
    }

    private func countCall(_ bytes: Int, _ session: ClientSession) {
        countWork(bytes)
        addCost(bytes, session)
    }

    private func addCost(_ bytes: Int, _ session: ClientSession) {
        session.calls.add(bytes, now: milliseconds)
        calls.add(bytes, now: milliseconds)
    }

    private func mayRead(_ topic: Topic, _ session: ClientSession) -> Bool {
        session.subscriptions[topic] != nil
            || rules.subscribe(to: topic, by: session.identity, isGranted: false) == .allowed
    }

    /// `{"topic":…,"offset":…}`: what became of a publication on its way to this client.
    private func explain(
        _ data: [UInt8]?,
        _ session: ClientSession
    ) -> Result<[UInt8], ProtocolError> {
        guard let data, let fields = try? JSONReader.fields(of: data[...]) else {
            return .failure(.badRequest)
        }
        let values = Dictionary(fields) { $1 }
        guard let name = values["topic"].flatMap(JSONReader.string), let topic = try? Topic(name),
            let offset = values["offset"].flatMap(JSONReader.integer), offset > 0
        else { return .failure(.badRequest) }
        countCall(
            (record.subscriptionCount + sessions.count) / Shard.recordedPerWorkByte,
            session
        )
        var outcome = outcome(client: session.id, topic: topic, offset: offset)
        switch outcome {
        case .delivered, .filtered, .conflated, .dropped, .trimmed: break
        // How far the topic has come is for those who may read it.
        case .notAuthorized, .notSubscribed, .notPublished, .unknown:
            if !mayRead(topic, session) { outcome = .notAuthorized }
        }
        return .success(
            outcome.explanation(client: session.id, topic: topic, offset: offset)
        )
    }

    package func outcome(client: String, topic: Topic, offset: UInt64) -> ExplainRecord.Outcome {
        let outcome = record.answer(
            client: client,
            topic: topic,
            offset: offset,
            topOffset: hub.position(of: topic).offset
        )
        guard outcome == .delivered else { return outcome }
        let history = hub.history(of: topic)
        // Whether it went out before it was erased is not remembered.
        if history?.isErased(offset) == true { return .unknown }
        guard let filter = filter(of: client, topic) else { return .delivered }
        // Nobody notes what a filter keeps from its client: it is asked again.
        guard let publication = history?.publication(at: offset) else {
            return .unknown
        }
        return filter.matches(publication.tags) ? .delivered : .filtered
    }

    private func filter(of client: String, _ topic: Topic) -> TagFilter? {
        for case .client(let session) in sessions where session.id == client {
            return session.subscriptions[topic]?.filter
        }
        return nil
    }
}

/// What a client wants of the list of topics.
private struct TopicsPage {
    var limit = Int.max
    /// The number of the topic to begin with.
    var cursor = 0

    /// Nil for a limit or cursor that is none.
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

extension ExplainRecord.Outcome {
    /// As JSON text, for whoever asked.
    package func explanation(
        client: String,
        topic: Topic,
        offset: UInt64
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("client", client)
            $0.field("topic", topic.name)
            $0.field("offset", offset)
            $0.field("outcome", name)
            $0.field("meaning", meaning)
        }
        return json.bytes
    }

    /// As it is told.
    package var name: String {
        switch self {
        case .notAuthorized: "not_authorized"
        case .notSubscribed: "not_subscribed"
        case .notPublished: "not_published"
        case .delivered, .filtered, .conflated, .dropped, .trimmed, .unknown: rawValue
        }
    }

    package var meaning: String {
        switch self {
        case .delivered: "handed to the client's connection"
        case .filtered: "the client's filter did not match its tags"
        case .conflated: "the client was slow, and a newer publication had the same key"
        case .dropped: "the client was slow, and there was no room for it"
        case .trimmed: "no longer kept when the client came back for it"
        case .notAuthorized: "the client may not read the topic, or was refused it"
        case .notSubscribed: "the client was not subscribed at that offset"
        case .notPublished: "the topic has not come so far"
        case .unknown: "not remembered any more"
        }
    }
}
