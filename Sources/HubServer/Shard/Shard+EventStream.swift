import ClientWire
import Digests
import HTTPWire
import PubSub
import Reactor

/// `GET /events?topics=…`: many topics in one stream, resumed by one cursor.
extension Shard {
    func openEventStream(_ head: HTTPRequestHead, on id: ConnectionID) {
        if let refusal = refusalOfOrigin(head, on: id) {
            return refuse(refusal, answering: head, on: id)
        }
        let request: EventStreamRequest
        do throws(EventStreamRequestError) {
            request = try EventStreamRequest(
                query: head.queryItems(),
                lastEventID: head.headers.first("Last-Event-ID")
            )
        } catch {
            let response = ServerResponse(status: 400, text: "\(error)")
            return refuse(response, answering: head, on: id)
        }
        if let refusal = refusal(of: request.topics) {
            return refuse(refusal, answering: head, on: id)
        }
        let streamHead = streamHead(answering: head)
        guard head.method != "HEAD" else { return sendStreamHead(streamHead, on: id) }
        let session = EventStreamSession(
            id: uuidVersion4(randomBytes(16)),
            start: now,
            heartbeat: EventStreamHeartbeat(now: milliseconds, interval: settings.heartbeat)
        )
        setSession(.eventStream(session), of: id)
        connections.setReading(true, on: id)
        begin(request, streamHead, session, on: id)
    }

    /// Why one of the topics may not be read; nil when all may.
    private func refusal(of topics: [Topic]) -> ServerResponse? {
        for topic in topics {
            switch access.decide(topic) {
            case .allowed: continue
            case .unknown: return ServerResponse(status: 404, text: "no topic \(topic)")
            case .denied: return ServerResponse(status: 403, text: "not allowed: topic \(topic)")
            }
        }
        return nil
    }

    /// All of the answer to HEAD. It has no length, as the stream has none (RFC 9110 §8.6).
    private func sendStreamHead(_ streamHead: HTTPResponseHead, on id: ConnectionID) {
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        connections.send(bytes, on: id)
        connections.close(id)
    }

    private func begin(
        _ request: EventStreamRequest,
        _ streamHead: HTTPResponseHead,
        _ session: EventStreamSession,
        on id: ConnectionID
    ) {
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        bytes += EventStreamEncoder.preamble(
            retryMilliseconds: jittered(settings.retry),
            cursor: request.afterCursor == nil ? hub.newestCursor : nil
        )
        for topic in request.topics {
            do throws(SubscribeError) {
                _ = try hub.subscribe(
                    Int32(id.index),
                    form: .eventStream,
                    to: topic,
                    since: nil
                )
            } catch {
                // Access was decided before; what is left is the limit of topics.
                hub.removeSubscriber(Int32(id.index))
                setSession(.http(HTTPSession(limits: settings.http)), of: id)
                return refuse(ServerResponse(status: 503, text: "\(error)"), on: id)
            }
        }
        if let cursor = request.afterCursor {
            let recovery = hub.publications(of: request.topics, afterCursor: cursor)
            bytes += EventStreamEncoder.recovery(recovery, since: cursor)
        }
        connections.send(bytes, on: id)
        connections.setDeadline(instant(session.heartbeat.deadline), on: id)
        logger.info(
            "client connected",
            metadata: [
                "client": "\(session.id)", "transport": "eventstream",
                "remote": "\(connections.peer(id)?.host ?? "")",
            ]
        )
    }

    /// Without a length the body ends with the connection (RFC 9112 §6.3), so that one encoding serves
    /// HTTP/1.0 and 1.1 alike. Proxies are told not to hold it back or change it.
    private func streamHead(answering request: HTTPRequestHead) -> HTTPResponseHead {
        var head = HTTPResponseHead(
            status: 200,
            headers: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform",
                "X-Accel-Buffering": "no", "Date": HubClock.wall.httpDate, "Connection": "close",
            ]
        )
        settings.origins.addFields(to: &head, answering: request)
        return head
    }

    func handleDeadline(_ session: EventStreamSession, on id: ConnectionID) {
        if let bytes = session.heartbeat.timerFired(now: milliseconds) {
            connections.send(bytes, on: id)
        }
        connections.setDeadline(instant(session.heartbeat.deadline), on: id)
    }

    /// Ends a stream; the client comes back after `retry`, each after another time.
    func endStream(on id: ConnectionID) {
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
