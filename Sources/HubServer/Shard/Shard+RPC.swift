import ClientWire
import JSONText
import PubSub

/// The methods that clients may call.
extension Shard {
    /// Topics that one answer names at most.
    private static let topicCountMax = 1000

    func call(_ request: RPCRequest, _ session: ClientSession) -> Result<[UInt8], ProtocolError> {
        switch request.method {
        case "hub.topics": .success(topics(session))
        case "hub.explain": explain(request.data, session)
        default: .failure(.methodNotFound)
        }
    }

    /// What it costs to look at a topic, in bytes of a turn's work.
    private static let topicWorkBytes = 16
    /// How much of the record is looked through for one byte of a turn's work.
    private static let recordedPerWorkByte = 16

    /// The topics that the client may subscribe to without a token, and where they stand.
    private func topics(_ session: ClientSession) -> [UInt8] {
        // However short the answer is.
        countWork(hub.topicCount * Shard.topicWorkBytes)
        let topics = hub.topics.filter { mayRead($0, session) }.sorted { $0.name < $1.name }
        var json = JSONWriter()
        json.object {
            $0.array("topics") { json in
                for topic in topics.prefix(Shard.topicCountMax) {
                    json.object {
                        let position = hub.position(of: topic)
                        $0.field("topic", topic.name)
                        $0.field("offset", position.offset)
                        $0.field("epoch", position.epoch)
                        $0.field("subscribed", session.subscriptions[topic] != nil)
                    }
                }
            }
            $0.field("complete", topics.count <= Shard.topicCountMax)
        }
        return json.bytes
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
        countWork((record.subscriptionCount + sessions.count) / Shard.recordedPerWorkByte)
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

    func outcome(client: String, topic: Topic, offset: UInt64) -> ExplainRecord.Outcome {
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

extension ExplainRecord.Outcome {
    /// As JSON text, for whoever asked.
    func explanation(
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
    var name: String {
        switch self {
        case .notAuthorized: "not_authorized"
        case .notSubscribed: "not_subscribed"
        case .notPublished: "not_published"
        case .delivered, .filtered, .conflated, .dropped, .trimmed, .unknown: rawValue
        }
    }

    var meaning: String {
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
