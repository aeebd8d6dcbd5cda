import ClientWire
import Core
import Reactor
import Service
import Wire

/// Readers that only receive publications: their requests, and their coming and going. `Admission`
/// decides about them.
extension Loop {
    package func peer(of id: ConnectionID) -> RequestPeer {
        RequestPeer(
            address: connections.peer(id)?.host ?? "",
            isForwarding: connections.isForwarding(id)
        )
    }

    /// Returns the authorized request; nil if it was refused and answered, or waits for the application.
    ///
    /// - Parameter rest: the input after the request.
    package func streamWish(
        _ head: HTTPRequestHead,
        lastEventID: String?,
        keeping rest: [UInt8] = [],
        on id: ConnectionID
    ) -> StreamWish? {
        let peer = peer(of: id)
        do throws(ReaderRefusal) {
            let (request, credentials) = try admission.request(
                head,
                lastEventID: lastEventID,
                from: peer
            )
            if try asks(about: request.topics, credentials, head, keeping: rest, on: id) {
                return nil
            }
            return try admission.wish(request, credentials, head, from: peer, now: now)
        } catch {
            refuse(error.response, answering: head, on: id)
            return nil
        }
    }

    /// Returns the first publications of a reader, and the cursor before them; nil for a reader
    /// that receives only later publications, from `hub.newestCursor`.
    ///
    /// A reader from the beginning receives its position with its first publication: with an
    /// earlier position, it would miss the kept publications if the connection broke.
    package func recovery(of wish: StreamWish) -> (recovery: StreamRecovery, since: UInt64)? {
        if let cursor = wish.afterCursor {
            let recovery = hub.publications(of: wish.topics, afterCursor: cursor)
            let newest = hub.newestCursor
            return (recovery.withGapOfStats(wish.topics, through: newest), cursor)
        }
        guard wish.isFromBeginning else { return nil }
        let kept = hub.keptPublications(of: wish.topics)
        return kept.publications.isEmpty ? nil : (kept, 0)
    }

    // MARK: Coming and going

    /// Counts a reader and subscribes it to its topics; nil if there was no room and it was
    /// refused.
    package func admit(
        _ credentials: ReaderCredentials,
        to topics: [Topic],
        _ form: WireForm,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) -> StreamReader? {
        if let refusal = admissionRefusal(on: id) {
            refuse(refusal, answering: head, on: id)
            return nil
        }
        let claims = credentials.claims
        let reader = StreamReader(
            user: claims?.user ?? "",
            login: claims?.login,
            mark: credentials.mark,
            key: credentials.key,
            address: connections.peer(id)?.host ?? ""
        )
        do throws(ClientCensus.Refusal) {
            try shared.clients.add(user: reader.user, now: milliseconds)
        } catch {
            turn.counters.bounds[error.bound] += 1
            refuse(.tooMany, answering: head, on: id)
            return nil
        }
        admission.add(id, of: reader.user)
        do throws(SubscribeError) {
            for topic in topics {
                _ = try hub.subscribe(Int32(id.index), form: form, to: topic, since: nil)
            }
        } catch {
            // Access was decided before; only the limit of topics is left.
            count(error)
            forget(reader, on: id)
            refuse(ServerResponse(status: 503, text: "too many topics"), answering: head, on: id)
            return nil
        }
        if topics.contains(.stats) { shared.statsAreRead() }
        return reader
    }

    /// Removes a reader that has left, or was not admitted.
    package func forget(_ reader: StreamReader, on id: ConnectionID) {
        hub.removeSubscriber(Int32(id.index))
        shared.clients.remove(user: reader.user, subscriptions: 0)
        admission.remove(id, of: reader.user)
    }

    /// Ends a stream whose key was removed from the configuration, or may no longer read one of
    /// the stream's topics. Its reader connects again, and receives the reason.
    ///
    /// - Returns: false if nothing ended.
    func endStreamOfLostKey(on id: ConnectionID) -> Bool {
        guard let key = session(of: id).key,
            !admission.stillAllows(key, hub.topics(of: Int32(id.index)))
        else { return false }
        disconnect(id, .invalidToken)
        return true
    }
}

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
        noteArrival(on: id)
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
        noteArrival(on: id)
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
            sendUnsubscribed(session, topic, .topicRemoved, cursor: cursor, on: id)
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
    package func sendUnsubscribed(
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
        for message in messages { session.machine.send(message, &turn) }
        connections.send(turn.output, on: id)
    }
}

/// WebSockets that only receive publications, in any form: `SocketReaderMachine` decides, and the
/// loop carries out its actions.
extension Loop {
    package func readerMachine(
        _ agreement: HandshakeAgreement,
        until expiry: MonotonicInstant?,
        isOpening: Bool = false
    ) -> SocketReaderMachine {
        SocketReaderMachine(
            // Any message ends the connection, so a small limit is enough.
            webSocket(
                agreement,
                settings.webSocket.capped(messageLength: settings.connectBytesMax)
            ),
            now: now,
            expiry: expiry,
            isOpening: isOpening,
            settings.webSocketPolicy
        )
    }

    package func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: SocketReaderSession,
        on id: ConnectionID
    ) {
        turn.clearOutput()
        let actions = session.machine.receive(
            bytes,
            settings.webSocketPolicy,
            &turn
        )
        perform(actions, on: id)
    }

    package func handleDeadline(_ session: SocketReaderSession, on id: ConnectionID) {
        let policy = settings.webSocketPolicy
        if session.machine.isPongLate(now: now) {
            guard let isAlive = reads(&session.watch, on: id) else { return }
            if isAlive { session.machine.receiveSignOfLife(now: now, policy) }
        }
        let isPinged = session.machine.isAwaitingPong
        turn.clearOutput()
        let actions = session.machine.deadlinePassed(policy, &turn)
        if !isPinged, session.machine.isAwaitingPong {
            session.watch.pingSent(connections.reading(of: id), now: now)
        }
        perform(actions, on: id)
    }

    package func disconnect(
        _ session: SocketReaderSession,
        _ code: DisconnectCode,
        on id: ConnectionID
    ) {
        turn.clearOutput()
        let actions = session.machine.disconnect(
            code,
            settings.webSocketPolicy,
            &turn
        )
        perform(actions, on: id)
    }

    /// Sends the output of a WebSocket's machine, and carries out its actions.
    package func perform(_ actions: [WebSocketAction], on id: ConnectionID) {
        connections.send(turn.output, on: id)
        for action in actions { perform(action, on: id) }
    }

    package func perform(_ action: WebSocketAction, on id: ConnectionID) {
        switch action {
        case .count(let bound): turn.counters.bounds[bound] += 1
        case .countRoundTrip(let duration): countRoundTrip(duration, of: id)
        case .unsubscribe: hub.removeSubscriber(Int32(id.index))
        case .wait(let deadline): connections.setDeadline(deadline, on: id)
        case .close: connections.close(id)
        case .abort: connections.abort(id)
        }
    }

    /// Asks whether the peer of a connection that owes the answer to a ping is only slow. Returns nil if the
    /// connection has to wait, until the deadline that is set then; true if the peer reads.
    func reads(_ watch: inout ReadingWatch, on id: ConnectionID) -> Bool? {
        let verdict = watch.answerIsLate(
            connections.reading(of: id),
            now: now,
            stallTimeout: settings.connections.stallTimeout
        )
        switch verdict {
        case .alive: return true
        case .late: return false
        case .waits(let end):
            connections.setDeadline(end, on: id)
            return nil
        }
    }

    private func countRoundTrip(_ duration: Duration, of id: ConnectionID) {
        turn.counters.pingRoundTrip.add(duration)
        switch session(of: id) {
        case .client(let session): session.roundTrip = duration
        case .socketReader(let session): session.roundTrip = duration
        case .none, .http, .echo, .eventStream: break
        }
    }
}

/// WebSockets of one topic at a path of their own (`TopicSocket`), for apps without a client
/// library. A reader sends nothing. It receives the first messages of the socket, if any, and a
/// text message for each publication.
extension Loop {
    /// - Parameter name: the part of the path after the socket's prefix.
    package func openTopicSocket(
        _ socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard head.isUpgrade(to: "websocket") else {
            // The answer is the same whether or not the topic exists.
            _ = accept(head, subprotocols: [], on: id)
            return
        }
        let wish: TopicWish
        do throws(ReaderRefusal) {
            wish = try admission.topicWish(socket, name, head, from: peer(of: id))
        } catch {
            return refuse(error.response, answering: head, on: id)
        }
        let form = socket.opening == nil ? WireForm.plainText : .held
        let credentials = ReaderCredentials(wish.claims)
        guard let reader = admit(credentials, to: [wish.topic], form, head, on: id) else { return }
        guard let agreement = accept(head, subprotocols: [], on: id) else {
            return forget(reader, on: id)
        }
        let session = SocketReaderSession(
            content: .topic(socket),
            id: uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            machine: readerMachine(
                agreement,
                until: admission.expiry(of: wish.claims, now: now),
                isOpening: socket.opening != nil
            )
        )
        countHandshake(on: id)
        setSession(.socketReader(session), of: id)
        noteArrival(on: id)
        logConnect(session.logged)
        if let opening = socket.opening {
            let request = TopicSocketOpening.Request(
                name: String(name),
                since: wish.since,
                reader: turn(of: wish.claims, on: id)
            )
            open(opening, request, on: id)
        }
        receive(rest, session, on: id)
    }

    private func turn(of claims: ConnectionClaims?, on id: ConnectionID) -> [UInt8] {
        let name = claims.map { "user \($0.user)" }
        return Array((name ?? "network \(connections.peer(id)?.network ?? 0)").utf8)
    }
}

/// The first messages of topic sockets that have some: `TopicSocketOpening`.
extension Loop {
    /// Reads the first messages of a reader outside of the loop, and then serves it.
    package func open(
        _ opening: TopicSocketOpening,
        _ request: TopicSocketOpening.Request,
        on id: ConnectionID
    ) {
        Task { [self] in
            do {
                try await opening.read(request) { [self] messages in
                    post { $0.begin(messages, on: id) }
                }
            } catch let refusal as TopicSocketRefusal {
                post { $0.disconnect(id, refusal.code) }
            } catch {
                logger.error(
                    "socket not opened",
                    metadata: ["name": "\(request.name)", "err": "\(error)"],
                    source: LogSource.peer
                )
                post { $0.disconnect(id, .serverError) }
            }
        }
    }

    /// If the loop accepts no message, it has ended, and its connections with it.
    private nonisolated func post(_ body: @escaping @Sendable (isolated Loop) -> Void) {
        _ = mailbox.post(.work(LoopMessage.Work(body: body)))
    }

    /// Sends the first messages of a reader, if it is still connected.
    private func begin(_ messages: [[UInt8]], on id: ConnectionID) {
        guard case .socketReader(let session) = session(of: id), session.machine.begin() else {
            return
        }
        let place = Int32(id.index)
        for topic in hub.topics(of: place) { hub.move(place, of: topic, to: session.content.form) }
        turn.counters.deliveries += UInt64(messages.count)
        turn.clearOutput()
        for message in messages { session.machine.send(message, &turn) }
        connections.send(turn.output, on: id)
    }
}
