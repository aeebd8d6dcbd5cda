import ClientWire
import PubSub
import Reactor
import WebSocketWire

/// WebSockets that get what is published and say nothing, whatever form it has for them: what comes from
/// their readers, the pings that find out whether they are there, and their end.
extension Shard {
    // MARK: What comes from the reader

    /// RFC 6455 §7.4.1: 1003 "indicates that an endpoint is terminating the connection because it has
    /// received a type of data it cannot accept". Here that is any message.
    package func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: SocketReaderSession,
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

    package func receiveEndOfStream(_ session: SocketReaderSession, on id: ConnectionID) {
        _ = session.webSocket.endOfStream()
        hub.removeSubscriber(Int32(id.index))
        session.heldCursor = nil
        connections.close(id)
    }

    package func handleDeadline(_ session: SocketReaderSession, on id: ConnectionID) {
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
    package func disconnect(
        _ session: SocketReaderSession,
        _ code: DisconnectCode,
        on id: ConnectionID
    ) {
        output.removeAll(keepingCapacity: true)
        close(session, code)
        sendOutput(session, on: id)
    }

    private func close(_ session: SocketReaderSession, _ code: DisconnectCode) {
        // Refused when the closing handshake has begun already; the first reason stands.
        guard session.webSocket.isOpen else { return }
        session.disconnect = code
        try? session.webSocket.sendClose(
            CloseCode(rawValue: code.webSocketCode),
            reason: code.reason,
            output: &output
        )
    }

    package func sendOutput(_ session: SocketReaderSession, on id: ConnectionID) {
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

    private func setDeadline(_ session: SocketReaderSession, on id: ConnectionID) {
        let next = session.reader.end.map { min($0, session.deadline) } ?? session.deadline
        connections.setDeadline(next, on: id)
    }
}
