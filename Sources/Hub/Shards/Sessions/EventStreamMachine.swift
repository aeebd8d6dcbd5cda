import ClientWire
import PubSub
import Reactor

/// What an event stream asks of its shard after an input, in this order.
package enum EventStreamAction: Equatable {
    /// Send these bytes.
    case send([UInt8])
    /// Call `deadlinePassed` at this instant.
    case wait(until: MonotonicInstant)
    /// Send how long the reader is to wait before it comes back, which is random, and close the connection.
    case sendRetryAndClose
}

/// An event stream that has begun: its heartbeats, its pauses, its end.
///
/// **States:** served, held, ended. **Inputs:** `deadlinePassed`; `hold` when the reader falls behind and
/// `resume` when it has taken what was sent; `subscriptionEnded`; `end`. A stream has no input of the
/// peer: its reader has nothing to say, and RFC 9112 §9.3.2 lets a server ignore what is pipelined.
///
/// **After each input** the caller carries out the actions in their order.
///
/// **Not done here:** the request and who may read (`Shard+StreamReaders`), the beginning of the stream,
/// publications, which take the same path for all subscribers, and what a held reader has missed: the
/// histories have it.
///
/// WHATWG HTML §9.2 (server-sent events); protocol/README.md, Event streams.
package struct EventStreamMachine: ~Copyable {
    private enum State {
        /// Publications are sent as they come. To `held` by `hold`, to `ended` by `end` or when the
        /// reader's token expires.
        case served
        /// The reader has everything up to a cursor; later publications wait in the histories. To
        /// `served` by `resume`, to `ended` as from `served`.
        case held(after: UInt64)
        /// Final. The code is for the log: a stream has no place for it.
        case ended(DisconnectCode)
    }

    private var state = State.served
    private var heartbeat: EventStreamHeartbeat
    /// When the reader's token expires; nil for never.
    private let expiry: MonotonicInstant?

    package init(now: MonotonicInstant, heartbeat: Duration, expiry: MonotonicInstant?) {
        self.heartbeat = EventStreamHeartbeat(now: now.milliseconds, interval: heartbeat)
        self.expiry = expiry
    }

    /// When `deadlinePassed` is wanted.
    package var deadline: MonotonicInstant {
        let next = MonotonicInstant(milliseconds: heartbeat.deadline)
        return expiry.map { min($0, next) } ?? next
    }

    /// Why the hub ended it; nil while it goes on, and when the reader ended it.
    package var disconnectCode: DisconnectCode? {
        switch state {
        case .ended(let code): code
        case .served, .held: nil
        }
    }

    /// Sends a heartbeat that is due, or ends the stream when the reader's token has expired: the reader
    /// returns with a fresh token.
    package mutating func deadlinePassed(now: MonotonicInstant) -> [EventStreamAction] {
        switch state {
        case .ended: return []
        case .served, .held:
            if let expiry, now >= expiry { return end(.expired) }
            let bytes = heartbeat.timerFired(now: now.milliseconds)
            return (bytes.map { [.send($0)] } ?? []) + [.wait(until: deadline)]
        }
    }

    /// The reader falls behind with the publication after `cursor`. Returns whether the caller is to
    /// hold its subscriptions.
    package mutating func hold(after cursor: UInt64) -> Bool {
        switch state {
        case .served:
            state = .held(after: cursor)
            return true
        case .held, .ended:
            return false
        }
    }

    /// The reader has taken what was sent. Returns the cursor after which it has missed publications;
    /// nil if it was not held.
    package mutating func resume() -> UInt64? {
        switch state {
        case .held(let cursor):
            state = .served
            return cursor
        case .served, .ended:
            return nil
        }
    }

    /// The hub has ended a subscription.
    ///
    /// - Parameter isLast: whether the stream has no other; it ends then.
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

    /// Ends the stream; the first code stays.
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
    /// Why a connection ends that exists only for its topics and has lost the last of them.
    package var ofLastTopic: DisconnectCode {
        self == .topicRemoved ? .topicRemoved : .forceNoReconnect
    }
}
