import ClientWire
import Reactor

/// The methods that clients may call.
extension Loop {
    package func call(
        _ request: RPCRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<[UInt8]?, ProtocolError> {
        if case .success(.rpc(let data)) = admission.grants.answer { return .success(data) }
        return switch request.method {
        case "hub.topics": topics(request.data, session, on: id).map { $0 }
        case "hub.explain": explain(request.data, session).map { $0 }
        default: .failure(.methodNotFound)
        }
    }

    /// The number of recorded subscriptions and sessions searched for one byte of a turn's work.
    private static let recordedPerWorkByte = 16

    func countCall(_ bytes: Int, _ session: ClientSession) {
        turn.countWork(bytes)
        addCost(bytes, session)
    }

    func addCost(_ bytes: Int, _ session: ClientSession) {
        session.calls.add(bytes, now: milliseconds)
        waiting.costs.calls.add(bytes, now: milliseconds)
    }

    /// `{"topic":…,"offset":…}`: the outcome of a publication for this client.
    private func explain(
        _ data: [UInt8]?,
        _ session: ClientSession
    ) -> Result<[UInt8], ProtocolError> {
        guard let (topic, offset) = explained(by: data) else { return .failure(.badRequest) }
        countCall(
            (fanOut.record.subscriptionCount + sessions.count) / Loop.recordedPerWorkByte,
            session
        )
        var outcome = outcome(client: session.id, topic: topic, offset: offset)
        switch outcome {
        case .delivered, .filtered, .conflated, .dropped, .trimmed: break
        // Only clients that may read the topic may learn its offset.
        case .notAuthorized, .notSubscribed, .notPublished, .unknown:
            if !admission.mayRead(topic, session) { outcome = .notAuthorized }
        }
        return .success(
            outcome.explanation(client: session.id, topic: topic, offset: offset)
        )
    }

    /// Nil if the topic or the offset is missing or invalid.
    func explained(by data: [UInt8]?) -> (topic: Topic, offset: UInt64)? {
        guard let data, let fields = try? JSONReader.fields(of: data[...]) else { return nil }
        let values = Dictionary(fields) { $1 }
        guard let name = values["topic"].flatMap(JSONReader.string), let topic = try? Topic(name),
            let offset = values["offset"].flatMap(JSONReader.integer), offset > 0
        else { return nil }
        return (topic, offset)
    }

    package func outcome(client: String, topic: Topic, offset: UInt64) -> ExplainRecord.Outcome {
        let outcome = fanOut.record.answer(
            client: client,
            topic: topic,
            offset: offset,
            topOffset: hub.position(of: topic).offset
        )
        guard outcome == .delivered else { return outcome }
        let history = hub.history(of: topic)
        // The hub does not record whether it was sent before it was erased.
        if history?.isErased(offset) == true { return .unknown }
        guard let filter = filter(of: client, topic) else { return .delivered }
        // Filtered publications are not recorded, so the filter is applied again.
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
    /// Returns the explanation as JSON text.
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

    /// The name in the answer.
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
