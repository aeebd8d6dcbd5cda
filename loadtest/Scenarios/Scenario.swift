import Reactor

/// What a load does: which connections it opens, what they send, and what it counts.
///
/// Its methods are called on the generator's loop, one at a time. It acts through the fleet, whose connections
/// it knows by `ConnectionID` and by the numbers it gave them.
protocol Scenario: Sendable {
    /// A connection can be used: it is connected, upgraded and, as far as its protocol has that, joined.
    ///
    /// - Parameter subscription: What the server said of the subscription, when there is one.
    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    )

    /// A message has come. One that makes a connection ready is given after `ready`.
    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ fleet: inout Fleet
    )

    /// A connection has ended, by the scenario's own doing or not.
    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet)

    /// Everything that came in this turn is handled. Returns when the next turn is wanted at the latest.
    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant?

    /// Nothing more is to be done.
    var isFinished: Bool { get }

    /// One line for whoever watches.
    func progress(now: MonotonicInstant) -> String

    /// What was found out, once it is finished.
    func report() -> Report
}

extension Scenario {
    /// Some only open connections.
    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ fleet: inout Fleet
    ) {}
}
