import ClientWire
import HTTPService
import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// The WebSocket that speaks the Centrifuge client protocol: its frames, and its end.
extension Shard {
    package func upgradeClient(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        if let refusal = admissionRefusal(on: id) {
            return refuse(refusal, answering: head, on: id)
        }
        guard
            let agreement = accept(
                head,
                subprotocols: ClientEncoding.allCases.map(\.subprotocol),
                on: id
            ), let agreed = ClientEncoding(subprotocol: agreement.subprotocol)
        else { return }
        let query = head.queryItems()
        // Clients that cannot offer a subprotocol say it in the address.
        let asksForProtobuf = query.contains {
            ["format", "cf_protocol"].contains($0.name) && $0.value == "protobuf"
        }
        let encoding =
            agreement.subprotocol == nil && asksForProtobuf ? ClientEncoding.protobuf : agreed
        let session = ClientSession(
            webSocket: webSocket(
                agreement,
                settings.webSocket.capped(messageLength: settings.connectBytesMax)
            ),
            compressedForm: form(agreement),
            centrifuge: CentrifugeSession(
                limits: settings.client,
                encoding: encoding,
                usesFramePings: query.contains {
                    $0.name == "cf_ws_frame_ping_pong" && $0.value == "true"
                },
                now: milliseconds
            ),
            id: uuidVersion4(settings.random(16)),
            address: connections.peer(id)?.host ?? "",
            network: connections.peer(id)?.network ?? 0,
            start: now
        )
        countHandshake(on: id)
        setSession(.client(session), of: id)
        beginWork()
        receiveClient(rest, session, on: id)
    }

    /// What a new WebSocket or event stream is told that comes too often, or with too many others; nil when
    /// it may come.
    package func admissionRefusal(on id: ConnectionID) -> ServerResponse? {
        do throws(ClientCensus.Refusal) {
            let network = connections.peer(id)?.network ?? 0
            try shared.clients.takeHandshake(from: network, now: milliseconds)
            return nil
        } catch {
            counters.bounds[error.bound] += 1
            return .tooMany
        }
    }

    package func receiveClient(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        guard !isPostponed(id) else { return postpone(bytes[...], of: id) }
        output.removeAll(keepingCapacity: true)
        let pingSent = session.centrifuge.pingSent
        defer { countPong(pingSent, session) }
        var consumed = 0
        while consumed < bytes.count, !isPostponed(id) {
            let inflates = session.webSocket.mayInflate(bytes[consumed])
            let length = inflates ? Shard.compressedPieceMax : bytes.count
            let inflated = session.webSocket.inflatedLength ?? 0
            let piece = bytes[consumed...].prefix(length)
            consumed += receivePiece(
                UnsafeMutableBufferPointer(rebasing: piece),
                isLast: piece.endIndex == bytes.count,
                inflated: inflates ? inflated : nil,
                session,
                on: id
            )
            if inflates {
                countInflated((session.webSocket.inflatedLength ?? inflated) - inflated)
            }
            let mustWait = isWorkDone || inflates && hasInflatedTooMuch
            if isPostponed(id) || mustWait && consumed < bytes.count {
                postpone(bytes[consumed...], of: id)
            }
        }
        sendOutput(session, on: id)
    }

    /// Receives input until the client's work for this turn is done. If the connection has compression, it
    /// stops after each event, because the next frame may be compressed.
    ///
    /// - Parameters:
    ///   - isLast: whether no more bytes wait behind the piece.
    ///   - inflated: how many bytes of the message were counted before; nil if the piece is not compressed.
    /// - Returns: how many bytes of the piece are consumed.
    private func receivePiece(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        isLast: Bool,
        inflated: Int?,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Int {
        var consumed = 0
        var input = bytes.mutableSpan
        while let event = session.webSocket.receive(
            &input,
            consumed: &consumed,
            output: &output
        ) {
            switch event {
            case .message(let kind, let payload):
                noteMessage(on: id)
                guard kind == session.encoding.messageKind else {
                    session.centrifuge.close()
                    close(session, .inappropriateProtocol)
                    continue
                }
                let frame = session.webSocket.bytes(of: payload, in: input.span)
                if let inflated {
                    countInflated(frame.count - inflated)
                } else {
                    countWork(frame.count)
                }
                let actions = session.centrifuge.receive(frame, now: milliseconds)
                perform(actions[...], session, on: id)
            case .ping, .pong:
                if case .pong = event { session.centrifuge.receivePong() }
                guard
                    !session.controlFrames.take(
                        now: milliseconds,
                        max: settings.controlFramesMax
                    )
                else { continue }
                refuseControlFrames(&session.webSocket)
                session.centrifuge.close()
            case .closed, .failed:
                if case .failed(let error) = event { count(error, session) }
                session.centrifuge.close()
                endSubscriptions(session, on: id)
            }
            guard !isPostponed(id), !isWorkDone || (isLast && consumed == bytes.count),
                !session.webSocket.inflates
            else { break }
        }
        return consumed
    }

    /// Closes a WebSocket whose peer sends more pings and pongs than it may.
    private func refuseControlFrames(_ webSocket: inout WebSocketConnection) {
        guard webSocket.isOpen else { return }
        counters.bounds[.controlFrames] += 1
        try? webSocket.sendClose(
            .policyViolation,
            reason: "more than \(settings.controlFramesMax) control frames in a second",
            output: &output
        )
    }

    /// - Parameter pingSent: when the ping was sent that waited for its answer before the input.
    private func countPong(_ pingSent: Int64?, _ session: ClientSession) {
        guard let pingSent, session.centrifuge.pingSent == nil, session.webSocket.isOpen else {
            return
        }
        counters.pingRoundTrip.add(.milliseconds(milliseconds - pingSent))
    }

    package func receiveEndOfStream(_ session: ClientSession, on id: ConnectionID) {
        _ = session.webSocket.endOfStream()
        session.centrifuge.close()
        endSubscriptions(session, on: id)
        connections.close(id)
    }

    package func handleDeadline(_ session: ClientSession, on id: ConnectionID) {
        // The time to answer our Close frame is over.
        guard session.webSocket.isOpen else {
            counters.bounds[.closeTimeout] += 1
            return connections.abort(id)
        }
        output.removeAll(keepingCapacity: true)
        beginWork()
        perform(session.centrifuge.timerFired(now: milliseconds)[...], session, on: id)
        sendOutput(session, on: id)
    }

    /// Ends a client's session with a code; the connection follows when the peer has confirmed, or late.
    package func disconnect(_ session: ClientSession, _ code: DisconnectCode, on id: ConnectionID) {
        output.removeAll(keepingCapacity: true)
        session.centrifuge.close()
        close(session, code)
        sendOutput(session, on: id)
    }

    // MARK: Output

    /// Appends one message of the client protocol to `output`.
    package func append(_ message: [UInt8], to session: ClientSession) {
        // Before it is compressed, which is work, too.
        countWork(message.count)
        // Refused when the closing handshake has begun: nobody reads it any more.
        try? session.webSocket.send(session.encoding.messageKind, message.span, output: &output)
    }

    /// Sends one message outside of what answers a client's own.
    package func send(_ message: [UInt8], _ session: ClientSession, on id: ConnectionID) {
        guard session.webSocket.isOpen else { return }
        output.removeAll(keepingCapacity: true)
        append(message, to: session)
        connections.send(output, on: id)
    }

    package func close(_ session: ClientSession, _ code: DisconnectCode) {
        // Refused when the closing handshake has begun already; the first reason stands.
        guard session.webSocket.isOpen else { return }
        session.disconnect = code
        try? session.webSocket.sendClose(
            CloseCode(rawValue: code.code),
            reason: code.reason,
            output: &output
        )
    }

    package func sendOutput(_ session: ClientSession, on id: ConnectionID) {
        connections.send(output, on: id)
        if session.webSocket.shouldCloseTransport {
            connections.close(id)
        } else if session.webSocket.isClosing {
            // Nothing more for one that is leaving: it would be sent behind the Close frame.
            endSubscriptions(session, on: id)
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
    package var milliseconds: Int64 { now.nanoseconds / 1_000_000 }

    /// Rounded up to where `milliseconds` has reached the number.
    package func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    /// 0…1, so that what happens to many at once is spread.
    package func randomShare() -> Double { Double(settings.random(1)[0]) / 255 }
}

extension ClientEncoding {
    /// The WebSocket messages that carry it.
    package var messageKind: MessageKind {
        switch self {
        case .json: .text
        case .protobuf: .binary
        }
    }
}
