import ClientWire
import Reactor

/// The actions that an event stream requires of its loop after an input, in this order.
package enum EventStreamAction: Equatable {
    /// Send these bytes.
    case send([UInt8])
    /// Call `deadlinePassed` at this instant.
    case wait(until: MonotonicInstant)
    /// Send the reconnect delay of the reader, which is random, and close the connection.
    case sendRetryAndClose
}

/// A running event stream: its heartbeats, its pauses, its end.
///
/// **States:** served, held, ended. **Inputs:** `deadlinePassed`; `hold` when the reader falls
/// behind and `resume` when it has read its queue; `subscriptionEnded`; `end`. A stream has no
/// input of the peer: its reader sends nothing, and RFC 9112 §9.3.2 lets a server ignore pipelined
/// requests.
///
/// **After each input** the caller carries out the actions in their order.
///
/// **Not done here:** the request and access control (`Admission`), the beginning of the
/// stream, publications, which take the same path for all subscribers, and the publications that a
/// held reader has missed: they are in the histories.
///
/// WHATWG HTML §9.2 (server-sent events); protocol/README.md, Event streams.
package struct EventStreamMachine: ~Copyable {
    private enum State {
        /// Publications are sent as they arrive. To `held` by `hold`, to `ended` by `end` or when
        /// the reader's token expires.
        case served
        /// The reader has everything up to a cursor; later publications wait in the histories. To
        /// `served` by `resume`, to `ended` as from `served`.
        case held(after: UInt64)
        /// Final. The code is only for the log: a stream cannot send it.
        case ended(DisconnectCode)
    }

    private var state = State.served
    private var heartbeat: EventStreamHeartbeat
    /// The expiry of the reader's token; nil for never.
    private let expiry: MonotonicInstant?

    package init(now: MonotonicInstant, heartbeat: Duration, expiry: MonotonicInstant?) {
        self.heartbeat = EventStreamHeartbeat(now: now.milliseconds, interval: heartbeat)
        self.expiry = expiry
    }

    /// The deadline for calling `deadlinePassed`.
    package var deadline: MonotonicInstant {
        let next = MonotonicInstant(milliseconds: heartbeat.deadline)
        return expiry.map { min($0, next) } ?? next
    }

    /// Whether the reader has fallen behind.
    package var isHeld: Bool { if case .held = state { true } else { false } }

    /// The hub's reason for ending the stream; nil while it is open, and if the reader ended it.
    package var disconnectCode: DisconnectCode? {
        switch state {
        case .ended(let code): code
        case .served, .held: nil
        }
    }

    /// Sends a heartbeat that is due, or ends the stream if the reader's token has expired: the
    /// reader reconnects with a fresh token.
    package mutating func deadlinePassed(now: MonotonicInstant) -> [EventStreamAction] {
        switch state {
        case .ended: return []
        case .served, .held:
            if let expiry, now >= expiry { return end(.expired) }
            let bytes = heartbeat.timerFired(now: now.milliseconds)
            return (bytes.map { [.send($0)] } ?? []) + [.wait(until: deadline)]
        }
    }

    /// Reports that the reader falls behind with the publication after `cursor`. Returns whether
    /// the caller must hold its subscriptions.
    package mutating func hold(after cursor: UInt64) -> Bool {
        switch state {
        case .served:
            state = .held(after: cursor)
            return true
        case .held, .ended:
            return false
        }
    }

    /// Reports that the reader has read its queue. Returns the cursor after which it has missed
    /// publications; nil if it was not held.
    package mutating func resume() -> UInt64? {
        switch state {
        case .held(let cursor):
            state = .served
            return cursor
        case .served, .ended:
            return nil
        }
    }

    /// Reports that the hub has ended a subscription.
    ///
    /// - Parameter isLast: whether the stream has no other one; it ends in that case.
    package mutating func subscriptionEnded(
        _ topic: Topic,
        _ code: UnsubscribeCode,
        isLast: Bool
    ) -> [EventStreamAction] {
        switch state {
        case .ended: []
        case .served, .held:
            [.send(EventStreamEncoder.unsubscribed(topic, code))]
                + (isLast ? end(code.ofLastTopic) : [])
        }
    }

    /// Ends the stream. Later codes are ignored.
    package mutating func end(_ code: DisconnectCode) -> [EventStreamAction] {
        switch state {
        case .ended: return []
        case .served, .held:
            state = .ended(code)
            return [.sendRetryAndClose]
        }
    }
}

extension UnsubscribeCode {
    /// The reason for ending a connection that exists only for its topics and has lost the last of
    /// them.
    package var ofLastTopic: DisconnectCode {
        self == .topicRemoved ? .topicRemoved : .forceNoReconnect
    }
}
