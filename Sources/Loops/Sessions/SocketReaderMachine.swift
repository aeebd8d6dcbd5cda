import ClientWire
import Reactor
import Wire

/// A WebSocket that only receives publications (CloudEvents, topic sockets): the pings that check
/// whether its reader is alive, its pauses, its closing handshake.
///
/// **States:** open, with or without an answer to a ping that is due, and waiting for its first
/// messages, served or held; leaving.
/// **Inputs:** `receive` and `receiveEndOfStream` for the peer; `deadlinePassed`; `begin` when the
/// first messages are available; `hold` when the reader falls behind and `resume` when it has read
/// its queue; `send` for messages of the hub; `disconnect` and `fail` for its end.
///
/// **After each input** the caller sends the output of the turn, and carries out the actions in
/// their order.
///
/// **Not done here:** the request and access control, the content of messages, publications, which
/// take the same path for all subscribers, and the publications that a held reader has missed: they
/// are in the histories.
///
/// RFC 6455 §5.5 (pings), §7.1 (closing), §7.4.1 (codes).
package struct SocketReaderMachine: ~Copyable {
    private enum State {
        /// To `awaitingPong` at the deadline, to `leaving` by a message of the peer, by the end of
        /// either side, or when the token expires.
        case idle(pingDue: MonotonicInstant)
        /// A ping is sent. To `idle` by any bytes of the peer, to `leaving` as from `idle`, and
        /// when the deadline passes.
        case awaitingPong(pingSent: MonotonicInstant, pongDue: MonotonicInstant)
        /// The closing handshake has begun, or is over. Final.
        case leaving
    }

    private enum Delivery {
        /// The first messages are being read; no publication is sent before them. To `served` by
        /// `begin`.
        case opening
        /// Publications are sent as they arrive.
        case served
        /// The reader has everything up to a cursor; later publications wait in the histories.
        case held(after: UInt64)
    }

    private var webSocket: ServedWebSocket
    private var state: State
    private var delivery: Delivery
    /// The expiry of the reader's token; nil for never.
    private let expiry: MonotonicInstant?
    /// The hub's reason for ending the connection; nil while it is open, and if the reader ended
    /// it.
    package private(set) var disconnectCode: DisconnectCode?

    package init(
        _ connection: consuming WebSocketConnection,
        now: MonotonicInstant,
        expiry: MonotonicInstant?,
        isOpening: Bool = false,
        _ policy: WebSocketPolicy
    ) {
        delivery = isOpening ? .opening : .served
        webSocket = ServedWebSocket(connection)
        state = .idle(pingDue: now + policy.pingInterval)
        self.expiry = expiry
    }

    /// The cursor up to which a held reader has everything; nil for others.
    package var heldCursor: UInt64? {
        switch delivery {
        case .opening, .served: nil
        case .held(let cursor): cursor
        }
    }

    package var heldInputBytes: Int { webSocket.heldInputBytes }
    package var isMidMessage: Bool { webSocket.isMidMessage }
    /// Whether a ping waits for its answer.
    package var isAwaitingPong: Bool { if case .awaitingPong = state { true } else { false } }

    /// Whether the time for the answer to a ping is over.
    package func isPongLate(now: MonotonicInstant) -> Bool {
        if case .awaitingPong(_, let due) = state { now >= due } else { false }
    }

    // MARK: The peer

    /// Reports that the reader is alive, though it has not answered a ping.
    package mutating func receiveSignOfLife(now: MonotonicInstant, _ policy: WebSocketPolicy) {
        switch state {
        case .idle, .awaitingPong: state = .idle(pingDue: now + policy.pingInterval)
        case .leaving: break
        }
    }

    /// Receives bytes of the peer, which are a sign of life.
    ///
    /// RFC 6455 §7.4.1: 1003 "indicates that an endpoint is terminating the connection because it
    /// has received a type of data it cannot accept". Here that is any message.
    package mutating func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ policy: WebSocketPolicy,
        _ turn: inout Turn
    ) -> [WebSocketAction] {
        var actions = takeSignOfLife(isAnswer: !bytes.isEmpty, now: turn.now, policy)
        var consumed = 0
        var input = bytes.mutableSpan
        while let event = webSocket.connection.receive(
            &input,
            consumed: &consumed,
            output: &turn.output
        ) {
            switch event {
            case .message: close(.inappropriateProtocol, &turn)
            case .ping, .pong:
                if webSocket.refusesControlFrames(now: turn.now, policy, output: &turn.output) {
                    actions.append(.count(.controlFrames))
                }
            case .closed: break
            case .failed(let error): if let bound = Bound(error) { actions.append(.count(bound)) }
            }
        }
        return actions + progress(now: turn.now, policy)
    }

    /// Reports the end of the peer's input.
    package mutating func receiveEndOfStream() -> [WebSocketAction] {
        _ = webSocket.connection.endOfStream()
        return leave() + [.close]
    }

    private mutating func takeSignOfLife(
        isAnswer: Bool,
        now: MonotonicInstant,
        _ policy: WebSocketPolicy
    ) -> [WebSocketAction] {
        switch state {
        case .leaving: return []
        case .awaitingPong where !isAnswer: return []
        case .idle:
            state = .idle(pingDue: now + policy.pingInterval)
            return []
        case .awaitingPong(let pingSent, _):
            state = .idle(pingDue: now + policy.pingInterval)
            return [.countRoundTrip(now - pingSent)]
        }
    }

    // MARK: Time

    /// Sends the ping that is due, or ends the connection if the reader has not answered in time or
    /// its token has expired.
    package mutating func deadlinePassed(
        _ policy: WebSocketPolicy,
        _ turn: inout Turn
    ) -> [WebSocketAction] {
        let due: MonotonicInstant
        switch state {
        case .leaving: return [.count(.closeTimeout), .abort]
        case .idle(let pingDue): due = pingDue
        case .awaitingPong(_, let pongDue): due = pongDue
        }
        if let expiry, turn.now >= expiry {
            return disconnect(.expired, policy, &turn)
        }
        guard turn.now >= due else { return progress(now: turn.now, policy) }
        if case .awaitingPong = state {
            return [.count(.pongTimeout)] + disconnect(.noPong, policy, &turn)
        }
        webSocket.ping(output: &turn.output)
        state = .awaitingPong(pingSent: turn.now, pongDue: turn.now + policy.pongTimeout)
        return progress(now: turn.now, policy)
    }

    // MARK: Publications

    /// Reports that the first messages are available. Returns whether the caller must serve the
    /// reader from now on.
    package mutating func begin() -> Bool {
        switch (state, delivery) {
        case (.leaving, _), (_, .served), (_, .held): return false
        case (.idle, .opening), (.awaitingPong, .opening):
            delivery = .served
            return true
        }
    }

    /// Reports that the reader falls behind with the publication after `cursor`. Returns whether
    /// the caller must hold its subscriptions.
    package mutating func hold(after cursor: UInt64) -> Bool {
        switch (state, delivery) {
        case (.leaving, _), (_, .held), (_, .opening): return false
        case (.idle, .served), (.awaitingPong, .served):
            delivery = .held(after: cursor)
            return true
        }
    }

    /// Reports that the reader has read its queue. Returns the cursor after which it has missed
    /// publications; nil if it was not held.
    package mutating func resume() -> UInt64? {
        guard let cursor = heldCursor else { return nil }
        delivery = .served
        return cursor
    }

    /// Sends a text message of the hub; does nothing if the reader is leaving.
    package mutating func send(_ message: [UInt8], _ turn: inout Turn) {
        webSocket.send(.text, message, output: &turn.output)
    }

    // MARK: The end

    /// Ends the connection with a code. It is closed when the peer has answered, or after the close
    /// timeout.
    package mutating func disconnect(
        _ code: DisconnectCode,
        _ policy: WebSocketPolicy,
        _ turn: inout Turn
    ) -> [WebSocketAction] {
        close(code, &turn)
        return progress(now: turn.now, policy)
    }

    /// Ends the connection because of invalid input, with a code of RFC 6455 §7.4.1.
    package mutating func fail(
        _ code: CloseCode,
        _ reason: String,
        _ policy: WebSocketPolicy,
        _ turn: inout Turn
    ) -> [WebSocketAction] {
        webSocket.close(code, reason, output: &turn.output)
        return progress(now: turn.now, policy)
    }

    /// Begins the closing handshake. Later codes are ignored.
    private mutating func close(_ code: DisconnectCode, _ turn: inout Turn) {
        guard webSocket.isOpen else { return }
        disconnectCode = code
        webSocket.close(CloseCode(rawValue: code.webSocketCode), code.reason, output: &turn.output)
    }

    /// The action after an input: the next deadline, or the end.
    private mutating func progress(
        now: MonotonicInstant,
        _ policy: WebSocketPolicy
    ) -> [WebSocketAction] {
        switch webSocket.progress(now: now, policy) {
        case .open: [.wait(until: deadline)]
        case .closing(let deadline): leave() + [.wait(until: deadline)]
        case .closed: leave() + [.close]
        }
    }

    private mutating func leave() -> [WebSocketAction] {
        switch state {
        case .leaving: return []
        case .idle, .awaitingPong:
            state = .leaving
            delivery = .served
            return [.unsubscribe]
        }
    }

    /// The deadline for calling `deadlinePassed`; nil if the reader is leaving.
    private var deadline: MonotonicInstant? {
        let due: MonotonicInstant
        switch state {
        case .leaving: return nil
        case .idle(let pingDue): due = pingDue
        case .awaitingPong(_, let pongDue): due = pongDue
        }
        return expiry.map { min($0, due) } ?? due
    }
}
