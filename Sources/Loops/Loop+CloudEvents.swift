import ClientWire
import Reactor
import Service
import Wire

/// `GET /events?topics=…` as a WebSocket: one CloudEvent in each message, and no messages of the
/// client.
///
/// Topics, cursor and rights are those of an event stream. Errors in them are reported before the
/// handshake, by an HTTP status.
extension Loop {
    /// - Parameter waitedFor: what the request has waited for.
    package func openCloudEvents(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        waitedFor: WaitingInput.Reason? = nil,
        on id: ConnectionID
    ) {
        // The cursor is only in the query: the header belongs to a browser's `EventSource`.
        guard
            let wish = streamWish(head, lastEventID: nil, keeping: Array(rest), on: id)
        else { return }
        let subprotocol = CloudEventsEncoder.subprotocol
        // CloudEvents' WebSocket binding §1.3: a client MUST offer it. A handshake without it would
        // leave a client of another protocol waiting.
        guard head.headers.listValues("Sec-WebSocket-Protocol").contains(subprotocol[...]) else {
            let text = "subprotocol \(subprotocol) is not offered"
            return refuse(ServerResponse(status: 400, text: text), answering: head, on: id)
        }
        // Its samples are no events: they have no id, and no reader can ask for one again.
        guard !wish.topics.contains(.stats) else {
            let text = "topic \(Topic.stats) is only in event streams"
            return refuse(ServerResponse(status: 404, text: text), answering: head, on: id)
        }
        if waits(for: wish, keeping: Array(rest), waitedFor, on: id) { return }
        guard let reader = admit(wish.credentials, to: wish.topics, .cloudEvents, head, on: id)
        else {
            return
        }
        guard let agreement = accept(head, subprotocols: [subprotocol], on: id) else {
            return forget(reader, on: id)
        }
        let session = SocketReaderSession(
            content: .cloudEvents,
            id: wish.id ?? uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            machine: readerMachine(agreement, until: wish.expiry)
        )
        countHandshake(on: id)
        setSession(.socketReader(session), of: id)
        begin(wish, session, on: id)
        logConnect(session.logged)
        receive(rest, session, on: id)
    }

    private func begin(
        _ wish: StreamWish,
        _ session: SocketReaderSession,
        on id: ConnectionID
    ) {
        guard let (recovery, cursor) = recovery(of: wish) else {
            let opened = CloudEventsEncoder.opened(
                reader: session.id,
                topics: wish.topics,
                cursor: hub.newestCursor,
                now: HubClock.wall
            )
            return send([opened], session, on: id)
        }
        for topic in wish.goneTopics {
            tellUnsubscribed(session, topic, .topicRemoved, cursor: cursor, on: id)
        }
        turn.counters.count(recovery)
        send(recovery, since: cursor, session, on: id)
    }

    /// Sends the publications that a reader has missed after a cursor.
    package func send(
        _ recovery: StreamRecovery,
        since cursor: UInt64,
        _ session: SocketReaderSession,
        on id: ConnectionID
    ) {
        let messages = CloudEventsEncoder.recovery(
            recovery,
            since: cursor,
            reader: session.id,
            now: HubClock.wall,
            epoch: { hub.position(of: $0).epoch }
        )
        send(messages, session, on: id)
    }

    /// Sends a reader the end of its subscription to a topic.
    ///
    /// - Parameter cursor: the current cursor of the reader.
    package func tellUnsubscribed(
        _ session: SocketReaderSession,
        _ topic: Topic,
        _ code: UnsubscribeCode,
        cursor: UInt64,
        on id: ConnectionID
    ) {
        let message = CloudEventsEncoder.unsubscribed(
            topic,
            code,
            reader: session.id,
            cursor: cursor,
            now: HubClock.wall
        )
        send([message], session, on: id)
    }

    private func send(
        _ messages: [[UInt8]],
        _ session: SocketReaderSession,
        on id: ConnectionID
    ) {
        turn.clearOutput()
        for message in messages { session.machine.send(message, output: &turn.output) }
        connections.send(turn.output, on: id)
    }
}
