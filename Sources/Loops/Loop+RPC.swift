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
        guard let (topic, offset) = ExplainRecord.place(in: data) else {
            return .failure(.badRequest)
        }
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

    // MARK: Topics

    /// `{"limit":…,"cursor":…}`: see `TopicList`.
    private func topics(
        _ data: [UInt8]?,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<[UInt8], ProtocolError> {
        let stored = waiting.takeList(of: id)
        guard let page = TopicsPage(data) else { return .failure(.badRequest) }
        let list = TopicList(page, for: session, hub, admission, stored: stored)
        countCall(list.workBytes, session)
        let json = list.json(for: session)
        // Sending the answer is also work.
        addCost(json.count, session)
        return .success(json)
    }

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
        guard left <= TopicList.topicsExaminedMax else { return false }
        waiting.wait(WaitingInput(actions: actions, waitedFor: .histories), of: id)
        connections.setReading(false, on: id)
        lister(page.place, TopicList.storedTopicsExaminedMax) { [mailbox] page in
            // If the loop accepts no message, it has ended, and its connections with it.
            _ = mailbox.post(.work(LoopMessage.Work { $0.waiting.come(page, for: id) }))
        }
        return true
    }
}
