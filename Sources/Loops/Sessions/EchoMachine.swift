import Reactor
import Wire

/// The part of an input that an echo session has read.
package struct Echoed {
    /// The number of bytes of the input that were read; the caller keeps the rest for a later turn.
    package var consumed = 0
    /// Whether a message of the peer has ended.
    package var hasMessage = false
    /// The actions that the loop performs after it has sent the output.
    package var actions: [WebSocketAction] = []
}

/// A WebSocket that sends back every message, for conformance suites and load tests.
///
/// **States:** idle, awaiting a sign of life, leaving. **Inputs:** `receive` for bytes of the peer,
/// `deadlinePassed`, and `fail` when the hub ends it. The end of the peer's stream and the hub's
/// shutdown close the connection without a closing handshake, so they are not inputs.
///
/// **After each input** the caller sends the output of the turn, and carries out the actions in
/// their order. It calls `receive` again, in a later turn, with the rest of the
/// input.
///
/// **Not done here:** the distribution of input over turns.
///
/// RFC 6455 §5.5 (pings), §7.1 (closing).
package struct EchoMachine: ~Copyable {
    private enum State {
        /// To `awaitingPong` at the deadline, to `leaving` by the end of either side.
        case idle(pingDue: MonotonicInstant)
        /// A ping is sent. To `idle` by any input, to `leaving` by the end of either side; at the
        /// deadline the connection is aborted.
        case awaitingPong(due: MonotonicInstant)
        /// The closing handshake has begun, or is over. Final.
        case leaving
    }

    private var webSocket: ServedWebSocket
    private var state: State

    package init(
        _ connection: consuming WebSocketConnection,
        now: MonotonicInstant,
        _ policy: WebSocketPolicy
    ) {
        webSocket = ServedWebSocket(connection)
        state = .idle(pingDue: now + policy.pingInterval)
    }

    package var heldInputBytes: Int { webSocket.heldInputBytes }
    package var isMidMessage: Bool { webSocket.isMidMessage }
    /// Whether a ping waits for its answer.
    package var isAwaitingPong: Bool { if case .awaitingPong = state { true } else { false } }

    /// Whether the time for the answer to a ping is over.
    package func isPongLate(now: MonotonicInstant) -> Bool {
        if case .awaitingPong(let due) = state { now >= due } else { false }
    }

    /// Reports that the peer is alive, though it has not answered a ping.
    package mutating func receiveSignOfLife(now: MonotonicInstant, _ policy: WebSocketPolicy) {
        switch state {
        case .idle, .awaitingPong: state = .idle(pingDue: now + policy.pingInterval)
        case .leaving: break
        }
    }

    /// Sends back the messages of the peer, until more than `bytesMax` bytes are sent back. One
    /// call handles all of them, because each access to a session and to its loop's buffer is
    /// checked at run time, and there can be thousands of messages in a read.
    package mutating func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        bytesMax: Int,
        _ policy: WebSocketPolicy,
        _ turn: inout Turn
    ) -> Echoed {
        receiveSignOfLife(now: turn.now, policy)
        var echoed = Echoed()
        let controlFrames = echo(bytes, bytesMax: bytesMax, &echoed, &turn)
        if controlFrames > 0,
            webSocket.refusesControlFrames(
                controlFrames,
                now: turn.now,
                policy,
                output: &turn.output
            )
        {
            echoed.actions.append(.count(.controlFrames))
        }
        echoed.actions += progress(now: turn.now, policy)
        return echoed
    }

    /// Returns the number of control frames.
    private mutating func echo(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        bytesMax: Int,
        _ echoed: inout Echoed,
        _ turn: inout Turn
    ) -> Int {
        var controlFrameCount = 0
        var echoedCount = 0
        var input = bytes.mutableSpan
        while let event = webSocket.connection.receive(
            &input,
            consumed: &echoed.consumed,
            output: &turn.output
        ) {
            switch event {
            case .message(let kind, let payload):
                // Refused if the closing handshake has begun.
                try? webSocket.connection.sendBack(
                    kind,
                    payload,
                    in: input.span,
                    output: &turn.output
                )
                echoed.hasMessage = true
                echoedCount += payload.length
                if echoedCount > bytesMax { return controlFrameCount }
            case .ping, .pong: controlFrameCount += 1
            case .closed: break
            case .failed(let error):
                if let bound = Bound(error) { echoed.actions.append(.count(bound)) }
            }
        }
        return controlFrameCount
    }

    /// Sends the ping that is due, or aborts the connection of a peer that has not answered in
    /// time.
    package mutating func deadlinePassed(
        _ policy: WebSocketPolicy,
        _ turn: inout Turn
    ) -> [WebSocketAction] {
        switch state {
        case .leaving: return [.count(.closeTimeout), .abort]
        case .awaitingPong(let due) where turn.now >= due: return [.count(.pongTimeout), .abort]
        case .idle(let due) where turn.now >= due:
            webSocket.ping(output: &turn.output)
            state = .awaitingPong(due: turn.now + policy.pongTimeout)
            return progress(now: turn.now, policy)
        case .idle, .awaitingPong: return progress(now: turn.now, policy)
        }
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

    private mutating func progress(
        now: MonotonicInstant,
        _ policy: WebSocketPolicy
    ) -> [WebSocketAction] {
        switch webSocket.progress(now: now, policy) {
        case .open: return [.wait(until: deadline)]
        case .closing(let deadline):
            state = .leaving
            return [.wait(until: deadline)]
        case .closed:
            state = .leaving
            return [.close]
        }
    }

    /// The deadline for calling `deadlinePassed`; nil if the peer is leaving.
    private var deadline: MonotonicInstant? {
        switch state {
        case .idle(let due), .awaitingPong(let due): due
        case .leaving: nil
        }
    }
}
