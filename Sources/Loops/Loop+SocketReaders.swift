import ClientWire
import Core
import Reactor
import Wire

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
            now: now,
            settings.webSocketPolicy,
            output: &turn.output
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
        let actions = session.machine.deadlinePassed(now: now, policy, output: &turn.output)
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
            now: now,
            settings.webSocketPolicy,
            output: &turn.output
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

    private func countRoundTrip(_ duration: Duration, of id: ConnectionID) {
        turn.counters.pingRoundTrip.add(duration)
        switch session(of: id) {
        case .client(let session): session.roundTrip = duration
        case .socketReader(let session): session.roundTrip = duration
        case .none, .http, .echo, .eventStream: break
        }
    }
}
