import ClientWire
import Digests
import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// The WebSocket that speaks the Centrifuge client protocol.
extension Shard {
    /// Subprotocols of the client protocol; a client that offers none speaks JSON.
    private static let clientSubprotocols = ["centrifuge-json"]

    func upgradeClient(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard let agreement = accept(head, subprotocols: Shard.clientSubprotocols, on: id) else {
            return
        }
        let session = ClientSession(
            webSocket: webSocket(agreement),
            form: form(agreement),
            centrifuge: CentrifugeSession(limits: settings.client, now: milliseconds),
            id: uuidVersion4(randomBytes(16)),
            start: now
        )
        setSession(.client(session), of: id)
        logger.info(
            "client connected",
            metadata: [
                "client": "\(session.id)", "transport": "websocket",
                "remote": "\(connections.peer(id)?.host ?? "")",
            ]
        )
        receiveClient(rest, session, on: id)
    }

    func receiveClient(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        output.removeAll(keepingCapacity: true)
        var consumed = 0
        var input = bytes.mutableSpan
        while let event = session.webSocket.receive(
            &input,
            consumed: &consumed,
            output: &output
        ) {
            switch event {
            case .message(.text, let payload):
                let frame = session.webSocket.bytes(of: payload, in: input.span)
                perform(session.centrifuge.receive(frame, now: milliseconds), session, on: id)
            case .message(.binary, _):
                session.centrifuge.close()
                close(session, .inappropriateProtocol)
            case .ping, .pong:
                guard
                    !session.controlFrames.take(
                        now: milliseconds,
                        max: settings.controlFramesMax
                    )
                else { continue }
                refuseControlFrames(&session.webSocket)
                session.centrifuge.close()
            case .closed, .failed:
                if case .failed(let error) = event { count(error) }
                session.centrifuge.close()
                hub.removeSubscriber(Int32(id.index))
            }
        }
        sendOutput(session, on: id)
    }

    func receiveEndOfStream(_ session: ClientSession, on id: ConnectionID) {
        _ = session.webSocket.endOfStream()
        connections.abort(id)
    }

    func handleDeadline(_ session: ClientSession, on id: ConnectionID) {
        // The time to answer our Close frame is over.
        guard session.webSocket.isOpen else {
            counters.bounds[.closeTimeout] += 1
            return connections.abort(id)
        }
        output.removeAll(keepingCapacity: true)
        perform(session.centrifuge.timerFired(now: milliseconds), session, on: id)
        sendOutput(session, on: id)
    }

    /// Ends a client's session with a code; the connection follows when the peer has confirmed, or late.
    func disconnect(_ session: ClientSession, _ code: DisconnectCode, on id: ConnectionID) {
        output.removeAll(keepingCapacity: true)
        session.centrifuge.close()
        close(session, code)
        sendOutput(session, on: id)
    }

    // MARK: Actions

    private func perform(
        _ actions: [SessionAction],
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        for action in actions {
            switch action {
            case .connect: perform(connect(session), session, on: id)
            case .reply(let json): appendText(session, json)
            case .subscribe(let request):
                let answer = subscribe(request, session, on: id)
                appendText(session, session.centrifuge.answerSubscribe(request, answer))
            case .unsubscribe(let commandID, let topic):
                let wasSubscribed = hub.unsubscribe(Int32(id.index), from: topic)
                appendText(
                    session,
                    session.centrifuge.answerUnsubscribe(
                        commandID: commandID,
                        wasSubscribed: wasSubscribed
                    )
                )
            case .publish(let request):
                guard let error = publish(request, on: id) else { continue }
                appendText(
                    session,
                    session.centrifuge.answerPublish(
                        commandID: request.commandID,
                        .failure(error)
                    )
                )
            case .disconnect(let code):
                if code == .noPong { counters.bounds[.pongTimeout] += 1 }
                if code == .stale { counters.bounds[.handshakeTimeout] += 1 }
                close(session, code)
            }
        }
    }

    private func connect(_ session: ClientSession) -> [SessionAction] {
        let acceptance = ConnectAcceptance(
            clientID: session.id,
            sessionID: session.id,
            node: settings.node,
            version: settings.version
        )
        return session.centrifuge.answerConnect(
            .success(acceptance),
            firstPing: settings.client.pingInterval * randomShare(),
            now: milliseconds
        )
    }

    private func subscribe(
        _ request: SubscribeRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<Subscribed, ProtocolError> {
        switch access.decide(request.topic) {
        case .unknown: return .failure(.unknownChannel)
        case .denied: return .failure(.permissionDenied)
        case .allowed: break
        }
        do throws(SubscribeError) {
            return .success(
                try hub.subscribe(
                    Int32(id.index),
                    form: session.form,
                    to: request.topic,
                    since: request.since,
                    mustRecover: request.mustRecover
                )
            )
        } catch {
            return .failure(ProtocolError(error))
        }
    }

    func appendText(_ session: ClientSession, _ json: [UInt8]) {
        // Refused when the closing handshake has begun: nobody reads it any more.
        try? session.webSocket.send(.text, json.span, output: &output)
    }

    private func close(_ session: ClientSession, _ code: DisconnectCode) {
        // Refused when the closing handshake has begun already; the first reason stands.
        guard session.webSocket.isOpen else { return }
        session.disconnect = code
        try? session.webSocket.sendClose(
            CloseCode(rawValue: code.code),
            reason: code.reason,
            output: &output
        )
    }

    private func sendOutput(_ session: ClientSession, on id: ConnectionID) {
        connections.send(output, on: id)
        if session.webSocket.shouldCloseTransport {
            connections.close(id)
        } else if session.webSocket.isClosing {
            // Nothing more for one that is leaving: it would be sent behind the Close frame.
            hub.removeSubscriber(Int32(id.index))
            // Set once: a peer that goes on sending does not put it off.
            let deadline = session.closeDeadline ?? now + settings.closeTimeout
            session.closeDeadline = deadline
            connections.setDeadline(deadline, on: id)
        } else {
            connections.setDeadline(session.centrifuge.deadline.map(instant), on: id)
        }
    }

    // MARK: Time

    /// The turn's time as the pure machines count it.
    var milliseconds: Int64 { now.nanoseconds / 1_000_000 }

    /// Rounded up to where `milliseconds` has reached the number.
    func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    /// 0…1, so that what happens to many at once is spread.
    func randomShare() -> Double { Double(randomBytes(1)[0]) / 255 }
}
