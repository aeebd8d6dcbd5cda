import ClientWire
import HTTPService
import HTTPWire
import PubSub
import Reactor
import Tasks
import Timekeeping

/// `GET /events?topics=…`: many topics in one stream, resumed by one cursor.
extension Shard {
    package func openEventStream(_ head: HTTPRequestHead, on id: ConnectionID) {
        let lastEventID = head.headers.first("Last-Event-ID")
        guard let wish = streamWish(head, lastEventID: lastEventID, on: id) else { return }
        let streamHead = streamHead(answering: head)
        guard head.method != "HEAD" else { return sendStreamHead(streamHead, on: id) }
        guard let reader = admit(wish.claims, to: wish.topics, .eventStream, head, on: id) else {
            return
        }
        let session = EventStreamSession(
            id: uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            heartbeat: EventStreamHeartbeat(now: milliseconds, interval: settings.heartbeat)
        )
        countHandshake(on: id)
        setSession(.eventStream(session), of: id)
        connections.setReading(true, on: id)
        begin(wish, streamHead, session, on: id)
    }

    /// All of the answer to HEAD. It has no length, as the stream has none (RFC 9110 §8.6).
    private func sendStreamHead(_ streamHead: HTTPResponseHead, on id: ConnectionID) {
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
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        bytes += EventStreamEncoder.preamble(
            retryMilliseconds: jittered(settings.retry),
            cursor: wish.afterCursor == nil ? hub.newestCursor : nil
        )
        for topic in wish.goneTopics {
            bytes += EventStreamEncoder.unsubscribed(topic, .topicRemoved)
        }
        if let cursor = wish.afterCursor {
            let recovery = hub.publications(of: wish.topics, afterCursor: cursor)
            counters.count(recovery)
            bytes += EventStreamEncoder.recovery(recovery, since: cursor)
        }
        connections.send(bytes, on: id)
        setDeadline(session, on: id)
        logConnect(session.logged)
    }

    /// Without a length the body ends with the connection (RFC 9112 §6.3), so that one encoding serves
    /// HTTP/1.0 and 1.1 alike. Proxies are told not to hold it back or change it.
    private func streamHead(answering request: HTTPRequestHead) -> HTTPResponseHead {
        var head = HTTPResponseHead(
            status: 200,
            headers: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform",
                "X-Accel-Buffering": "no", "Date": HubClock.wall.httpDate, "Connection": "close",
                "X-Content-Type-Options": ServerResponse.contentTypeOptions,
            ]
        )
        settings.origins.addFields(to: &head, answering: request)
        return head
    }

    package func handleDeadline(_ session: EventStreamSession, on id: ConnectionID) {
        // The reader comes back with a fresh token, or is told that it needs one.
        if let end = session.reader.end, now >= end { return endStream(session, .expired, on: id) }
        if let bytes = session.heartbeat.timerFired(now: milliseconds) {
            connections.send(bytes, on: id)
        }
        setDeadline(session, on: id)
    }

    private func setDeadline(_ session: EventStreamSession, on id: ConnectionID) {
        let heartbeat = instant(session.heartbeat.deadline)
        connections.setDeadline(session.reader.end.map { min($0, heartbeat) } ?? heartbeat, on: id)
    }

    /// Ends a stream; the client comes back after `retry`, each after another time. It has no place for
    /// the code, which the log tells.
    package func endStream(
        _ session: EventStreamSession,
        _ code: DisconnectCode,
        on id: ConnectionID
    ) {
        session.disconnect = session.disconnect ?? code
        let bytes = EventStreamEncoder.preamble(
            retryMilliseconds: jittered(settings.retry),
            cursor: nil
        )
        connections.send(bytes, on: id)
        connections.close(id)
    }

    /// Between half and one and a half of `duration`, so that clients do not all return at once.
    private func jittered(_ duration: Duration) -> Int {
        Int(Double(duration.wholeMilliseconds) * (0.5 + randomShare()))
    }
}
