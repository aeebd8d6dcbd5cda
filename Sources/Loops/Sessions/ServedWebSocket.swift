import Reactor
import Wire

/// The actions that a WebSocket's session requires of its loop after an input.
///
/// Every input appends frames to an output. The loop sends that output, and then carries out the
/// actions in their order.
package enum WebSocketAction: Equatable {
    /// Count that a bound was reached.
    case count(Bound)
    /// Count the time from a ping to its answer.
    case countRoundTrip(Duration)
    /// End the subscriptions: no publication may follow the Close frame.
    case unsubscribe
    /// Call `deadlinePassed` at this instant, not earlier; nil for never.
    case wait(until: MonotonicInstant?)
    /// Close the connection after the output is sent.
    case close
    /// Close the connection at once, and drop its queue.
    case abort
}

/// Times and limits of served WebSockets. They are parameters of each input, because a reload may
/// change them in between.
package struct WebSocketPolicy: Equatable, Sendable {
    /// The time from a sign of life of the peer to the next ping.
    package var pingInterval: Duration
    /// The time from a ping to its answer.
    package var pongTimeout: Duration
    /// The time from the hub's Close frame to the peer's.
    package var closeTimeout: Duration
    /// The maximum number of pings and pongs of a peer in one second.
    package var controlFramesMax: Int
}

/// A WebSocket of the hub, with the parts that RFC 6455 leaves to the application: the number of
/// control frames that a peer may send, and the time that the hub waits for the answer to its Close
/// frame.
///
/// **States** are those of the `connection`, as `progress` returns them. **Inputs:** frames of the
/// peer through `connection.receive`, `takeControlFrames` for pings and pongs among them, `close`.
///
/// **After each input** the caller asks for the `progress`, which starts the time for the peer's
/// Close frame if the hub's was sent.
///
/// **Not done here:** pings, messages, the effect of a close on subscriptions. `EchoMachine`,
/// `SocketReaderMachine` and `ClientMachine` decide that.
///
/// RFC 6455 §5.5 (control frames), §7.1 (closing).
package struct ServedWebSocket: ~Copyable {
    package enum Progress: Equatable {
        /// Messages go both ways. To `closing` by `close`, to `closed` by the peer.
        case open
        /// The hub's Close frame is sent. To `closed` by the peer's Close frame, an error of the
        /// peer or the end of its stream; after the deadline the caller aborts the connection.
        case closing(until: MonotonicInstant)
        /// Close the connection after the output is sent. Final.
        case closed
    }

    package var connection: WebSocketConnection
    private var controlFrames = ControlFrameBudget()
    /// Set once, so that a peer that keeps sending does not postpone it; nil while the socket is
    /// open.
    private var closeDeadline: MonotonicInstant?

    package init(_ connection: consuming WebSocketConnection) {
        self.connection = connection
    }

    package var isOpen: Bool { connection.isOpen }

    package mutating func progress(
        now: MonotonicInstant,
        _ policy: WebSocketPolicy
    ) -> Progress {
        if connection.isOpen { return .open }
        if connection.shouldCloseTransport { return .closed }
        let deadline = closeDeadline ?? now + policy.closeTimeout
        closeDeadline = deadline
        return .closing(until: deadline)
    }

    /// Counts pings and pongs of the peer. Closes the socket and returns true if there are too
    /// many.
    package mutating func refusesControlFrames(
        _ count: Int = 1,
        now: MonotonicInstant,
        _ policy: WebSocketPolicy,
        output: inout [UInt8]
    ) -> Bool {
        let isWithinBudget = controlFrames.take(
            count,
            now: now.milliseconds,
            max: policy.controlFramesMax
        )
        guard !isWithinBudget, connection.isOpen else { return false }
        close(
            .policyViolation,
            "more than \(policy.controlFramesMax) control frames in a second",
            output: &output
        )
        return true
    }

    /// Sends the hub's Close frame. Does nothing if the closing handshake has begun: the first
    /// reason counts.
    package mutating func close(_ code: CloseCode, _ reason: String, output: inout [UInt8]) {
        try? connection.sendClose(code, reason: reason, output: &output)
    }

    /// Sends a ping without payload. Does nothing if the closing handshake has begun.
    package mutating func ping(output: inout [UInt8]) {
        try? connection.sendPing([UInt8]().span, output: &output)
    }

    /// Sends a message. Does nothing if the closing handshake has begun, because nothing may follow
    /// the Close frame.
    package mutating func send(
        _ kind: MessageKind,
        _ message: borrowing [UInt8],
        output: inout [UInt8]
    ) {
        try? connection.send(kind, message.span, output: &output)
    }

    /// The heap memory of a message that has not ended, in bytes.
    package var heldInputBytes: Int { connection.heldInputBytes }

    /// Whether a message of the peer has begun and not ended.
    package var isMidMessage: Bool { connection.isMidMessage }
}

extension MonotonicInstant {
    /// The time in the unit of the machines of the wire modules; the rest of a millisecond is
    /// dropped.
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    package init(milliseconds: Int64) {
        self.init(nanoseconds: milliseconds * 1_000_000)
    }
}

extension Bound {
    /// The bound that a peer's frames exceed; nil for another error.
    package init?(_ error: WebSocketError) {
        switch error {
        case .messageTooLong: self = .messageBytes
        case .frameTooLong: self = .frameBytes
        case .tooManyFragments: self = .fragments
        default: return nil
        }
    }
}
