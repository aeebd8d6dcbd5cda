import Reactor
import Timekeeping

/// Random numbers from random bytes.
package struct Chance: RandomNumberGenerator {
    package let bytes: @Sendable (_ count: Int) -> [UInt8]

    package mutating func next() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Which connections are to be ended when, so that those who come back do not come all at once.
///
/// They are ended evenly over `spread`, or sooner when that would be fewer than `perSecondMin` in a second:
/// nobody has to wait for a pace that protects from nothing.
package struct DrainPlan {
    package static let perSecondMin = 1000

    private var waiting: ArraySlice<ConnectionID>
    private let count: Int
    private var ended = 0
    private let start: MonotonicInstant
    /// Over how many they are ended.
    private let nanoseconds: Int64

    /// - Parameter connections: in the order in which they are to be ended.
    package init(_ connections: [ConnectionID], spread: Duration, now: MonotonicInstant) {
        waiting = connections[...]
        count = connections.count
        start = now
        let paced = Int64(count) * 1_000_000_000 / Int64(DrainPlan.perSecondMin)
        nanoseconds = min(spread.wholeMilliseconds * 1_000_000, paced)
    }

    /// Those whose time has come.
    package mutating func takeDue(now: MonotonicInstant) -> ArraySlice<ConnectionID> {
        var due = waiting.prefix(0)
        while let next, next <= now {
            due = waiting[due.startIndex...due.endIndex]
            ended += 1
        }
        waiting = waiting.dropFirst(due.count)
        return due
    }

    /// When the next one is due; nil when none is left.
    package var next: MonotonicInstant? {
        guard ended < count else { return nil }
        return start + .nanoseconds(nanoseconds * Int64(ended) / Int64(count))
    }
}
