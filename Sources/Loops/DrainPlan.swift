import Reactor

/// Random numbers from random bytes.
package struct Chance: RandomNumberGenerator {
    package let bytes: @Sendable (_ count: Int) -> [UInt8]

    package mutating func next() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The schedule for ending connections, which spreads the clients that reconnect over time.
///
/// Connections are ended evenly over `spread`, or sooner if that would be fewer than `perSecondMin`
/// in a second: a slower pace would have no benefit.
package struct DrainPlan {
    package static let perSecondMin = 1000

    private var waiting: ArraySlice<ConnectionID>
    private let count: Int
    private var ended = 0
    private let start: MonotonicInstant
    /// The time over which the connections are ended.
    private let nanoseconds: Int64

    /// - Parameter connections: in the order of their end.
    package init(_ connections: [ConnectionID], spread: Duration, now: MonotonicInstant) {
        waiting = connections[...]
        count = connections.count
        start = now
        let paced = Int64(count) * 1_000_000_000 / Int64(DrainPlan.perSecondMin)
        nanoseconds = min(spread.wholeMilliseconds * 1_000_000, paced)
    }

    /// Takes the connections that are due.
    package mutating func takeDue(now: MonotonicInstant) -> ArraySlice<ConnectionID> {
        var due = waiting.prefix(0)
        while let next, next <= now {
            due = waiting[due.startIndex...due.endIndex]
            ended += 1
        }
        waiting = waiting.dropFirst(due.count)
        return due
    }

    /// The time at which the next connection is due; nil if none is left.
    package var next: MonotonicInstant? {
        guard ended < count else { return nil }
        return start + .nanoseconds(nanoseconds * Int64(ended) / Int64(count))
    }
}
