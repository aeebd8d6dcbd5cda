import ClientWire
import Digests
import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// `GET /events?topics=…` as a WebSocket: CloudEvents, one in each message, and nothing the other way.
///
/// Topics, cursor and rights are those of an event stream; whatever is wrong with them is told before the
/// handshake, by an HTTP status.
extension Shard {
    func openCloudEvents(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        // The cursor stands in the query alone: a header would be one of a browser's `EventSource`.
        guard let wish = streamWish(head, lastEventID: nil, on: id) else { return }
        let subprotocol = CloudEventsEncoder.subprotocol
        // CloudEvents' WebSocket binding §1.3: a client MUST offer it. Agreeing to nothing would leave
        // a client of another protocol waiting.
        guard head.headers.listValues("Sec-WebSocket-Protocol").contains(subprotocol[...]) else {
            let text = "subprotocol \(subprotocol) is not offered"
            return refuse(ServerResponse(status: 400, text: text), answering: head, on: id)
        }
        guard let reader = admit(wish, form: .cloudEvents, head, on: id) else { return }
        guard let agreement = accept(head, subprotocols: [subprotocol], on: id) else {
            return forget(reader, on: id)
        }
        let session = CloudEventsSession(
            webSocket: webSocket(agreement),
            id: uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            deadline: now + settings.pingInterval
        )
        countHandshake(on: id)
        setSession(.cloudEvents(session), of: id)
        begin(wish.request, session, on: id)
        logConnect(session.logged)
        receiveCloudEvents(rest, session, on: id)
    }

    private func begin(
        _ request: EventStreamRequest,
        _ session: CloudEventsSession,
        on id: ConnectionID
    ) {
        guard let cursor = request.afterCursor else {
            let opened = CloudEventsEncoder.opened(
                reader: session.id,
                topics: request.topics,
                cursor: hub.newestCursor,
                now: HubClock.wall
            )
            return send([opened], session, on: id)
        }
        let recovery = hub.publications(of: request.topics, afterCursor: cursor)
        counters.count(recovery)
        send(recovery, since: cursor, session, on: id)
    }

    /// Sends what a reader has missed after a cursor.
    func send(
        _ recovery: StreamRecovery,
        since cursor: UInt64,
        _ session: CloudEventsSession,
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

    private func send(
        _ messages: [[UInt8]],
        _ session: CloudEventsSession,
        on id: ConnectionID
    ) {
        output.removeAll(keepingCapacity: true)
        for message in messages {
            // Refused when the closing handshake has begun: nobody reads it any more.
            try? session.webSocket.send(.text, message.span, output: &output)
        }
        connections.send(output, on: id)
    }

    // MARK: What comes from the reader

    /// RFC 6455 §7.4.1: 1003 "indicates that an endpoint is terminating the connection because it has
    /// received a type of data it cannot accept". Here that is any message.
    func receiveCloudEvents(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: CloudEventsSession,
        on id: ConnectionID
    ) {
        output.removeAll(keepingCapacity: true)
        // Any bytes are a sign of life.
        if !bytes.isEmpty, let pingSent = session.pingSent {
            counters.pingRoundTrip.add(now - pingSent)
            session.pingSent = nil
        }
        session.deadline = session.pingSent == nil ? now + settings.pingInterval : session.deadline
        var consumed = 0
        var input = bytes.mutableSpan
        while let event = session.webSocket.receive(
            &input,
            consumed: &consumed,
            output: &output
        ) {
            switch event {
            case .message: close(session, .inappropriateProtocol)
            case .ping, .pong:
                guard
                    !session.controlFrames.take(
                        now: milliseconds,
                        max: settings.controlFramesMax
                    )
                else { continue }
                refuseControlFrames(&session.webSocket)
            case .closed: break
            case .failed(let error): count(error)
            }
        }
        sendOutput(session, on: id)
    }

    func receiveEndOfStream(_ session: CloudEventsSession, on id: ConnectionID) {
        _ = session.webSocket.endOfStream()
        connections.abort(id)
    }

    func handleDeadline(_ session: CloudEventsSession, on id: ConnectionID) {
        // The time to answer our Close frame is over.
        guard session.webSocket.isOpen else {
            counters.bounds[.closeTimeout] += 1
            return connections.abort(id)
        }
        if let end = session.reader.end, now >= end { return disconnect(session, .expired, on: id) }
        guard now >= session.deadline else { return setDeadline(session, on: id) }
        guard session.pingSent == nil else {
            counters.bounds[.pongTimeout] += 1
            return disconnect(session, .noPong, on: id)
        }
        output.removeAll(keepingCapacity: true)
        try? session.webSocket.sendPing([UInt8]().span, output: &output)
        session.pingSent = now
        session.deadline = now + settings.pongTimeout
        sendOutput(session, on: id)
    }

    // MARK: The end

    /// Ends a reader's connection with a code; it follows when the peer has confirmed, or late.
    func disconnect(_ session: CloudEventsSession, _ code: DisconnectCode, on id: ConnectionID) {
        output.removeAll(keepingCapacity: true)
        close(session, code)
        sendOutput(session, on: id)
    }

    private func close(_ session: CloudEventsSession, _ code: DisconnectCode) {
        // Refused when the closing handshake has begun already; the first reason stands.
        guard session.webSocket.isOpen else { return }
        session.disconnect = code
        try? session.webSocket.sendClose(
            CloseCode(rawValue: code.webSocketCode),
            reason: code.reason,
            output: &output
        )
    }

    private func sendOutput(_ session: CloudEventsSession, on id: ConnectionID) {
        connections.send(output, on: id)
        guard !session.webSocket.isOpen else { return setDeadline(session, on: id) }
        // Nothing more for one that is leaving: it would be sent behind the Close frame.
        hub.removeSubscriber(Int32(id.index))
        session.heldCursor = nil
        guard !session.webSocket.shouldCloseTransport else { return connections.close(id) }
        // Set once: a peer that goes on sending does not put it off.
        let deadline = session.closeDeadline ?? now + settings.closeTimeout
        session.closeDeadline = deadline
        connections.setDeadline(deadline, on: id)
    }

    private func setDeadline(_ session: CloudEventsSession, on id: ConnectionID) {
        let next = session.reader.end.map { min($0, session.deadline) } ?? session.deadline
        connections.setDeadline(next, on: id)
    }
}
