import ClientWire
import Reactor
import Service
import Wire

/// `GET /events?topics=…`: many topics in one stream, resumed by one cursor.
extension Loop {
    /// - Parameter waitedFor: what the request has waited for.
    package func openEventStream(
        _ head: HTTPRequestHead,
        waitedFor: WaitingInput.Reason? = nil,
        on id: ConnectionID
    ) {
        let lastEventID = head.headers.first("Last-Event-ID")
        guard let wish = streamWish(head, lastEventID: lastEventID, on: id) else { return }
        let streamHead = settings.streamHead(EventStreamEncoder.contentType, answering: head)
        guard head.method != "HEAD" else { return sendStreamHead(streamHead, on: id) }
        if waits(for: wish, keeping: [], waitedFor, on: id) { return }
        guard let reader = admit(wish.credentials, to: wish.topics, .eventStream, head, on: id)
        else {
            return
        }
        let session = EventStreamSession(
            id: wish.id ?? uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            machine: EventStreamMachine(
                now: now,
                heartbeat: settings.heartbeat,
                expiry: wish.expiry
            )
        )
        countHandshake(on: id)
        setSession(.eventStream(session), of: id)
        connections.setReading(true, on: id)
        begin(wish, streamHead, session, on: id)
    }

    /// Sends the whole answer to HEAD. It has no length, as the stream has none (RFC 9110 §8.6).
    package func sendStreamHead(_ streamHead: HTTPResponseHead, on id: ConnectionID) {
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        connections.send(bytes, on: id)
        connections.close(id)
    }

    private func begin(
        _ wish: StreamWish,
        _ streamHead: HTTPResponseHead,
        _ session: EventStreamSession,
        on id: ConnectionID
    ) {
        let recovered = recovery(of: wish)
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        bytes += EventStreamEncoder.preamble(
            retryMilliseconds: jittered(settings.retry),
            cursor: recovered == nil ? hub.newestCursor : nil
        )
        for topic in wish.goneTopics {
            bytes += EventStreamEncoder.unsubscribed(topic, .topicRemoved)
        }
        if let (recovery, cursor) = recovered {
            turn.counters.count(recovery)
            bytes += EventStreamEncoder.recovery(recovery, since: cursor)
        }
        connections.send(bytes, on: id)
        connections.setDeadline(session.machine.deadline, on: id)
        logConnect(session.logged)
    }

    /// Ends a stream that cannot begin for now, at its beginning. An `EventSource` takes every status
    /// other than 200 as final, and does not read `Retry-After` (WHATWG HTML, 9.2.2).
    ///
    /// - Parameter afterSeconds: the pause that the refusal asks for.
    package func sendBack(
        _ head: HTTPRequestHead,
        afterSeconds: Int?,
        on id: ConnectionID
    ) {
        var bytes: [UInt8] = []
        settings.streamHead(EventStreamEncoder.contentType, answering: head).append(to: &bytes)
        let pause = max(settings.retry, .seconds(afterSeconds ?? 0))
        bytes += EventStreamEncoder.preamble(retryMilliseconds: jittered(pause), cursor: nil)
        connections.send(bytes, on: id)
        connections.close(id)
    }

    package func handleDeadline(_ session: EventStreamSession, on id: ConnectionID) {
        perform(session.machine.deadlinePassed(now: now), on: id)
    }

    package func endStream(
        _ session: EventStreamSession,
        _ code: DisconnectCode,
        on id: ConnectionID
    ) {
        perform(session.machine.end(code), on: id)
    }

    package func perform(_ actions: [EventStreamAction], on id: ConnectionID) {
        for action in actions {
            switch action {
            case .send(let bytes): connections.send(bytes, on: id)
            case .wait(let deadline): connections.setDeadline(deadline, on: id)
            case .sendRetryAndClose:
                let bytes = EventStreamEncoder.preamble(
                    retryMilliseconds: jittered(settings.retry),
                    cursor: nil
                )
                connections.send(bytes, on: id)
                connections.close(id)
            }
        }
    }

    /// A random time between half and one and a half of `duration`, so that clients do not all
    /// reconnect at once.
    private func jittered(_ duration: Duration) -> Int {
        Int(Double(duration.wholeMilliseconds) * (0.5 + randomShare()))
    }
}
