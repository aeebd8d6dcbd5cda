import ClientWire
import Reactor
import Service
import Wire

/// The acceptance of connections, and the log entries about refused ones.
extension Loop {
    package func accept(from listener: ListenerID) {
        for _ in 0..<settings.turnAcceptsMax {
            switch connections.accept(listener) {
            case .connection(let id): read(id, from: listener, for: settings.requestTimeout)
            case .overLimit(let id):
                // It waits only for a request to refuse.
                let timeout = settings.connections.lingerTimeout
                read(id, from: listener, for: min(timeout, settings.requestTimeout))
            case .refused: continue
            case .none, .paused: return logRefusals()
            }
        }
        turn.counters.bounds[.turnAccepts] += 1
        logRefusals()
    }

    private func read(_ id: ConnectionID, from listener: ListenerID, for timeout: Duration) {
        let session = HTTPSession(
            limits: settings.http,
            accepted: now,
            listener: connections.kind(of: listener)
        )
        setSession(.http(session), of: id)
        connections.setDeadline(now + timeout, on: id)
    }

    private func logRefusals() { admission.logRefusals(connections.snapshot(), now: now) }
}

/// HTTP requests: read, refused by their head, or passed to the resource that answers them.
extension Loop {
    /// Reads input up to the end of a request. Returns the number of bytes that were read; the machine
    /// has to keep the rest.
    package func receiveHTTP(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        on id: ConnectionID
    ) -> Int {
        let isOverLimit = connections.isOverLimit(id)
        if !isOverLimit,
            let deadline = session.machine.requestDeadline(now: now, settings.httpPolicy)
        {
            connections.setDeadline(deadline, on: id)
        }
        var consumed = 0
        while let action = session.machine.receive(
            UnsafeBufferPointer(bytes),
            consumed: &consumed
        ) {
            switch action {
            case .head(let head):
                if isOverLimit {
                    refuse(session.machine.refusal(.tooManyConnections), on: id)
                    return bytes.count
                }
                if let resource = LoopResource(
                    of: head,
                    admission.sockets,
                    offersEcho: settings.offersEcho
                ), !resource.methods.contains(head.method) {
                    let response = ServerResponse.methodNotAllowed(allowed: resource.methods)
                    refuse(session.machine.refusal(response), on: id)
                    return bytes.count
                }
                // RFC 9110 §10.1.1: a server "MAY omit sending a 100 (Continue) response if it has
                // already received some or all of the content".
                if head.expectsContinue, consumed == bytes.count { sendContinue(on: id) }
            case .request(let head, let body):
                let rest = UnsafeMutableBufferPointer(rebasing: bytes[consumed...])
                let isRead = dispatch(head, body: body, rest: rest, session, on: id)
                return isRead ? bytes.count : consumed
            case .refuse(let refusal):
                refuse(refusal, on: id)
                return bytes.count
            case .count, .wait, .waitForTurn, .send, .answerSent, .readOn, .close, .abort:
                perform([action], session, on: id)
            }
        }
        return consumed
    }

    private func sendContinue(on id: ConnectionID) {
        connections.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: id)
    }

    /// Passes a whole request to its resource. Later bytes wait, or go to the upgraded connection.
    ///
    /// - Returns: whether they went there, or are not needed; false if they wait.
    private func dispatch(
        _ head: HTTPRequestHead,
        body: [UInt8],
        rest: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        on id: ConnectionID
    ) -> Bool {
        guard attribute(head, on: id) else {
            refuse(ServerResponse.tooMany, answering: head, on: id)
            return true
        }
        let resource = LoopResource(of: head, admission.sockets, offersEcho: settings.offersEcho)
        if let resource, head.method != "OPTIONS" {
            switch resource {
            case .clientSocket: upgradeClient(head, rest: rest, on: id)
            case .clientStream(let framing): openClientStream(framing, head, body: body, on: id)
            case .emulation:
                waitForAnswer(on: id)
                passOn(body, of: head, on: id)
                return false
            case .echo: upgradeEcho(head, rest: rest, on: id)
            case .eventStream: openEventStream(head, on: id)
            case .cloudEvents: openCloudEvents(head, rest: rest, on: id)
            case .topicSocket(let socket, let name):
                openTopicSocket(socket, name, head, rest: rest, on: id)
            }
            // A request that had begun before the shutdown: its client learns to come back.
            if isDraining { drain(id) }
            return true
        }
        waitForAnswer(on: id)
        if let resource {
            // Not answered at once: a thousand of them in one input would nest as deep.
            post(.options(allowed: resource.methods), on: id)
        } else if let refusal = admission.refusalOfBlindChange(head, from: peer(of: id)) {
            post(refusal, on: id)
        } else {
            let request = ServerRequest(
                head: head,
                body: body,
                peer: connections.peer(id),
                isForAdmins: session.listener == .admin
            )
            answer(request, on: id)
        }
        return false
    }

    /// Stops reading until the request is answered, in a later turn.
    private func waitForAnswer(on id: ConnectionID) {
        connections.setReading(false, on: id)
        connections.setDeadline(nil, on: id)
    }

    /// Takes the address of the client from a request of a trusted proxy.
    ///
    /// - Returns: false if the client has the maximum number of connections of its address.
    private func attribute(_ head: HTTPRequestHead, on id: ConnectionID) -> Bool {
        guard connections.isForwarding(id) else { return true }
        let trust = settings.connections.trust.forward
        let client = ForwardedFor.client(head.headers.all("X-Forwarded-For")) {
            trust.contains($0)
        }
        return connections.attribute(id, to: client.map { SocketAddress($0, port: 0) })
    }

    private func answer(_ request: ServerRequest, on id: ConnectionID) {
        // The loop has ended, and its connections end with it.
        guard let respond = services.respond else { return connections.close(id) }
        Task { [self] in
            let response = await respond(request)
            post(response, on: id)
        }
    }

    package nonisolated func post(_ response: ServerResponse, on id: ConnectionID) {
        guard !mailbox.post(.response(id, response)) else { return }
        // The loop hangs: there are fewer connections than places in its mailbox.
        logger.error("response lost: the mailbox of its loop is full", source: LogSource.peer)
    }
}

/// The opening handshake of RFC 6455 §4.2: its conditions and its agreement.
extension Loop {
    /// Answers the opening handshake; returns nil if it was refused.
    package func accept(
        _ head: HTTPRequestHead,
        subprotocols: [String],
        on id: ConnectionID
    ) -> HandshakeAgreement? {
        if let refusal = admission.refusalOfOrigin(head, from: peer(of: id)) {
            refuse(refusal, answering: head, on: id)
            return nil
        }
        let answer = ServerHandshake.respond(
            to: head.withoutUpgradeOfHEAD,
            subprotocols: subprotocols,
            deflate: settings.deflate
        )
        switch answer {
        case .accept(let response, let agreement):
            var bytes: [UInt8] = []
            response.append(to: &bytes)
            connections.send(bytes, on: id)
            return agreement
        case .reject(let response, let text):
            refuse(ServerResponse(head: response, body: Array(text.utf8)), answering: head, on: id)
            return nil
        }
    }

    /// Counts the time from accept to a WebSocket or an event stream, if it was the first request
    /// of its connection. Call it before the session is replaced.
    package func countHandshake(on id: ConnectionID) {
        guard case .http(let session) = session(of: id), !session.machine.isKeptAlive,
            let accepted = session.accepted
        else { return }
        turn.counters.handshake.add(now - accepted)
    }

    /// - Parameter limits: nil for the limits of a peer that may send messages.
    package func webSocket(
        _ agreement: HandshakeAgreement,
        _ limits: WebSocketLimits? = nil
    ) -> WebSocketConnection {
        WebSocketConnection(
            role: .server,
            limits: limits ?? settings.webSocket,
            deflate: agreement.deflate,
            pool: fanOut.deflatePool
        )
    }

    /// The wire form of an agreement. With context takeover, the window would have to contain every
    /// shared message, so such clients receive uncompressed publications.
    package func form(_ agreement: HandshakeAgreement) -> WireForm {
        guard let window = agreement.deflate?.server, !window.isTakenOver else {
            return .centrifugeJSON
        }
        return .centrifugeJSON(windowBits: window.bits)
    }
}

extension HTTPRequestHead {
    /// HEAD is answered as a GET that asks for no upgrade, because nothing may follow its head
    /// (RFC 9110 §9.3.2); any other request is left as it is.
    fileprivate var withoutUpgradeOfHEAD: HTTPRequestHead {
        guard method == "HEAD" else { return self }
        var headers = headers
        headers.remove("Upgrade")
        return HTTPRequestHead(method: "GET", target: target, version: version, headers: headers)
    }
}

/// Responses: `HTTPMachine` decides when each piece is sent, and the loop carries out its actions.
extension Loop {
    package func send(_ response: ServerResponse, on id: ConnectionID) {
        guard connections.isOpen(id), case .http(let session) = session(of: id),
            let head = session.machine.head,
            let keepsAlive = session.machine.keepsAlive(isDraining: isDraining)
        else { return }
        let answer = OutgoingAnswer(
            bytes(of: response, answering: head, keepsAlive: keepsAlive),
            keepsAlive: keepsAlive
        )
        let actions = session.machine.answer(answer, room(of: id), now: now, settings.httpPolicy)
        perform(actions, session, on: id)
        watchReading(session, on: id)
        accountForAnswer(session, of: id)
    }

    /// Continues the answer of a connection that has accepted some bytes.
    package func continueAnswer(on id: ConnectionID) {
        guard case .http(let session) = session(of: id), session.machine.answerLength != nil else {
            return
        }
        let actions = session.machine.roomCame(room(of: id), now: now, settings.httpPolicy)
        perform(actions, session, on: id)
        watchReading(session, on: id)
    }

    package func handleDeadline(_ session: HTTPSession, on id: ConnectionID) {
        if connections.isOverLimit(id) {
            return refuse(session.machine.refusal(.tooManyConnections), on: id)
        }
        // The kernel reports room only when a third of its buffer is free, which takes longer over a slow
        // link than a peer may stall.
        if session.machine.isWaitingForPeer, session.watch.goesOn(connections.reading(of: id)) {
            return continueAnswer(on: id)
        }
        let actions = session.machine.deadlinePassed(room(of: id), now: now, settings.httpPolicy)
        perform(actions, session, on: id)
        watchReading(session, on: id)
    }

    /// Notes how far the peer of an answer has read when the time in which it may stall begins.
    private func watchReading(_ session: HTTPSession, on id: ConnectionID) {
        guard session.machine.isWaitingForPeer else { return }
        _ = session.watch.goesOn(connections.reading(of: id))
    }

    private func room(of id: ConnectionID) -> AnswerRoom {
        AnswerRoom(
            queuedBytes: connections.queuedBytes(id),
            hasUnflushed: connections.hasUnflushed(id),
            isDraining: isDraining
        )
    }

    package func perform(_ actions: [HTTPAction], _ session: HTTPSession, on id: ConnectionID) {
        for action in actions {
            switch action {
            case .count(let bound): turn.counters.bounds[bound] += 1
            case .wait(let deadline): connections.setDeadline(deadline, on: id)
            case .waitForTurn: connections.setDeadline(now + .nanoseconds(1), on: id)
            case .send(let bytes): connections.send(bytes, on: id)
            case .answerSent: memory.removeAnswer(of: id)
            case .readOn(let bytes): readOn(bytes, session, on: id)
            case .refuse(let refusal): refuse(refusal, on: id)
            case .close: connections.close(id)
            case .abort: connections.abort(id)
            // Only the peer's input causes them, and `receiveHTTP` handles them.
            case .head, .request: break
            }
        }
    }

    /// Reads the next request of a connection that is kept alive.
    ///
    /// - Parameter bytes: the input that arrived while the last request was being answered.
    private func readOn(
        _ bytes: consuming WaitingBytes,
        _ session: HTTPSession,
        on id: ConnectionID
    ) {
        connections.setReading(true, on: id)
        guard !bytes.isEmpty else { return }
        var bytes = bytes
        bytes.read { receiveHTTP($0, session, on: id) }
        session.machine.keep(bytes)
        // It may have been no more than an empty line.
        if isDraining { drain(id) }
        accountForInput(of: id)
    }

    package func refuse(_ refusal: HTTPRefusal, on id: ConnectionID) {
        if let bound = refusal.bound { turn.counters.bounds[bound] += 1 }
        refuse(refusal.response, answering: refusal.head, isHEAD: refusal.isHEAD, on: id)
    }

    /// Answers and closes the connection: its further input is unreliable or not accepted.
    package func refuse(
        _ response: ServerResponse,
        answering head: HTTPRequestHead? = nil,
        isHEAD: Bool = false,
        on id: ConnectionID
    ) {
        if response.isTemporary, let head, head.asksForEventStream {
            return sendBack(head, afterSeconds: response.retryAfterSeconds, on: id)
        }
        let bytes = bytes(of: response, answering: head, isHEAD: isHEAD, keepsAlive: false)
        connections.send(bytes, on: id)
        connections.close(id)
    }

    private func bytes(
        of response: ServerResponse,
        answering head: HTTPRequestHead?,
        isHEAD: Bool = false,
        keepsAlive: Bool
    ) -> [UInt8] {
        var response = response
        if response.isForPages {
            settings.origins.addFields(
                to: &response.head,
                answering: head,
                takesKey: response.takesKeyOfPages
            )
        }
        return response.bytes(
            answering: head,
            isHEAD: isHEAD,
            keepsAlive: keepsAlive,
            date: HubClock.wall.httpDate
        )
    }
}

/// WebSockets that send back every message: `EchoMachine` decides, and the loop carries out its
/// actions. Excess input of one turn waits in the queue of all clients' input.
extension Loop {
    package func upgradeEcho(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard let agreement = accept(head, subprotocols: [], on: id) else { return }
        let machine = EchoMachine(webSocket(agreement), now: now, settings.webSocketPolicy)
        let session = EchoSession(machine: machine)
        setSession(.echo(session), of: id)
        turn.beginWork()
        receiveEcho(rest, session, on: id)
    }

    package func receiveEcho(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: EchoSession,
        on id: ConnectionID
    ) {
        let consumed = readEcho(bytes, session, on: id)
        if consumed < bytes.count { postpone(bytes[consumed...], of: id) }
    }

    /// Returns the number of bytes that were read; the rest has to wait.
    package func readEcho(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: EchoSession,
        on id: ConnectionID
    ) -> Int {
        guard !waiting.contains(id) else { return 0 }
        turn.clearOutput()
        let echoed = session.machine.receive(
            bytes,
            bytesMax: settings.turnWorkBytesMax,
            settings.webSocketPolicy,
            &turn
        )
        if echoed.hasMessage { memory.noteMessage(of: id) }
        perform(echoed.actions, on: id)
        return echoed.consumed
    }

    package func handleDeadline(_ session: EchoSession, on id: ConnectionID) {
        let policy = settings.webSocketPolicy
        if session.machine.isPongLate(now: now) {
            guard let isAlive = reads(&session.watch, on: id) else { return }
            if isAlive { session.machine.receiveSignOfLife(now: now, policy) }
        }
        let isPinged = session.machine.isAwaitingPong
        turn.clearOutput()
        let actions = session.machine.deadlinePassed(
            policy,
            &turn
        )
        if !isPinged, session.machine.isAwaitingPong {
            session.watch.pingSent(connections.reading(of: id), now: now)
        }
        perform(actions, on: id)
    }
}
