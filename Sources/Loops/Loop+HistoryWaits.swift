import ClientWire
import Reactor
import Service

/// Clients that need histories from the store.
///
/// The command of a client, or the request of a stream, is postponed with the input after it, as if it
/// were ahead (`Loop+PositionWaits`), until the histories of its topics are in memory. A slow reader that
/// catches up waits in the same way. No loop waits for the store.
extension Loop {
    /// The maximum time to wait. The store answers in milliseconds, so a longer time means that it is
    /// overloaded or fails; the client receives a temporary error and comes back.
    package static let historyWaitMax = Duration.seconds(10)

    // MARK: Needs

    /// The topics whose histories a command needs and that are not here. A client that may not read a topic
    /// needs none.
    private func missingTopics(for action: SessionAction, _ session: ClientSession) -> [Topic] {
        switch action {
        case .connect(_, let request): return missingTopics(for: request)
        case .subscribe(let request):
            let topic = request.topic
            guard hub.mustRequest(topic), !hub.knowsPosition(of: topic, enoughFor: request.since),
                admission.maySubscribe(request, session)
            else { return [] }
            return [topic]
        case .history(let request):
            return admission.may(.history, request.topic, session) && hub.mustRequest(request.topic)
                ? [request.topic] : []
        case .rpc(let request):
            guard request.method == "hub.explain",
                let topic = ExplainRecord.place(in: request.data)?.topic,
                hub.mustRequest(topic), admission.mayRead(topic, session)
            else { return [] }
            return [topic]
        case .unsubscribe, .publish, .presence, .presenceStats, .send, .refresh, .subRefresh,
            .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            return []
        }
    }

    /// All topics that a token subscribes to, if one of them is not here: those that are here must stay.
    private func missingTopics(for request: ConnectRequest) -> [Topic] {
        let topics = admission.grantedTopics(of: request)
        return topics.contains { hub.mustRequest($0) } ? topics : []
    }

    // MARK: Waiting

    /// Postpones a command that needs something from the store, and the rest of its frame. Returns false
    /// if it needs nothing.
    ///
    /// - Parameter actions: the command and the rest.
    package func waits(
        for action: SessionAction,
        with actions: ArraySlice<SessionAction>,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        guard hub.histories.isBacked else { return false }
        let topics = missingTopics(for: action, session)
        guard !topics.isEmpty else { return waits(forList: actions, on: id) }
        wait(
            for: topics,
            with: WaitingInput(actions: actions, waitedFor: .histories),
            on: id
        )
        return true
    }

    /// Postpones the request of a stream that needs histories or is ahead, and the input after it. Returns
    /// false if it is neither.
    package func waits(
        for wish: StreamWish,
        keeping rest: [UInt8],
        _ waitedFor: WaitingInput.Reason?,
        on id: ConnectionID
    ) -> Bool {
        if wish.topics.contains(where: { hub.mustRequest($0) }) {
            let input = WaitingInput(bytes: WaitingBytes(rest), waitedFor: .histories)
            wait(for: wish.topics, with: input, on: id)
            connections.setDeadline(nil, on: id)
            return true
        }
        guard waitedFor != .position, mustWait(for: wish) else { return false }
        waitWithRequest(keeping: rest, on: id)
        return true
    }

    private func wait(for topics: [Topic], with input: WaitingInput, on id: ConnectionID) {
        turn.counters.historyWaits += 1
        var input = input
        admission.moveGrants(to: &input)
        waiting.wait(input, of: id)
        connections.setReading(false, on: id)
        let body: @Sendable (isolated Loop, Bool) -> Void = { $0.waiting.come(id, hasFailed: $1) }
        begin(HistoryQueue.Work(body: body, input: id), needing: topics)
    }

    /// Does work when the histories of topics are here: at once, or later.
    package func withHistories(
        of topics: [Topic],
        _ body: @escaping @Sendable (isolated Loop, _ hasFailed: Bool) -> Void
    ) {
        guard topics.contains(where: { hub.mustRequest($0) }) else { return body(self, false) }
        begin(HistoryQueue.Work(body: body), needing: topics)
    }

    private func begin(_ work: HistoryQueue.Work, needing topics: [Topic]) {
        // In an order that does not change from run to run.
        let topics = topics.sorted { $0.name < $1.name }
        let waits = topics.map { (topic: $0, wait: hub.request($0)) }
        guard waits.contains(where: { $0.wait != nil }) else {
            // They have come this moment.
            work.body(self, false)
            return releaseUnneeded(topics)
        }
        waiting.add(work, needing: waits, until: now + Loop.historyWaitMax)
    }

    // MARK: Continuing

    /// Takes the end of a read.
    package func endRead(of topic: Topic, _ outcome: HistoryReadEnd.Outcome) {
        carryOut(waiting.endRead(of: topic, outcome, at: hub.newestCursor))
        // All that have waited for it may have gone.
        releaseUnneeded([topic])
    }

    /// Continues with work whose histories this loop has reached, or that has waited too long.
    package func endHistoryWaits() {
        guard waiting.historyWorkCount > 0 else { return }
        carryOut(waiting.advance(to: hub.newestCursor))
        carryOut(waiting.takeOverdue(now: now))
    }

    private func carryOut(_ ready: [HistoryQueue.Ready]) {
        for (work, hasFailed, over) in ready {
            work.body(self, hasFailed)
            if let over { finishHistoryWork(over) }
        }
    }

    /// Releases the histories of finished work.
    package func finishHistoryWork(_ number: HistoryWaits.Number) {
        for topic in waiting.finish(number) { hub.release(topic) }
    }

    /// Releases the histories that were kept in this turn to be read.
    package func releaseKept() { releaseUnneeded(hub.takeKept()) }

    private func releaseUnneeded(_ topics: [Topic]) {
        for topic in topics where !waiting.needs(topic) { hub.release(topic) }
    }

    // MARK: Slow readers

    /// Whether a slow reader has to wait for histories before it catches up.
    package func waits(toCatchUp topics: [Topic], on id: ConnectionID) -> Bool {
        guard hub.histories.isBacked else { return false }
        guard !waiting.hasReader(id) else { return true }
        guard topics.contains(where: { hub.mustRequest($0) }) else { return false }
        waiting.addReader(id)
        withHistories(of: topics) { loop, hasFailed in
            loop.waiting.removeReader(id)
            guard loop.connections.isOpen(id) else { return }
            if hasFailed { loop.disconnect(id, .serverError) } else { loop.resumeHeld(on: id) }
        }
        return true
    }
}
