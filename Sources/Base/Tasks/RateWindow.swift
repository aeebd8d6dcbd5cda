import Timekeeping

/// How often each caller may do something within a window of time, and what the headers tell of it.
///
/// Windows are the same for all and begin at multiples of their length, so that a caller can be told when
/// the next one begins. All callers of one window are forgotten with it: the table is bounded by who
/// comes within it, and by `callersMax`.
package struct RateWindow<Caller: Hashable & Sendable>: Sendable {
    /// Past so many, callers that come anew are refused until the window ends: a flood of made-up names
    /// takes no memory.
    package static var callersMax: Int { 1 << 16 }

    package let limit: Int
    package let length: Duration
    private var start = Timestamp(milliseconds: .min)
    private var counts: [Caller: Int] = [:]

    package init(limit: Int, length: Duration) {
        precondition(limit > 0, "the limit is at least 1")
        precondition(length >= .seconds(1), "a window of less than a second")
        self.limit = limit
        self.length = length
    }

    /// Counts one call, if it is allowed.
    package mutating func take(_ caller: Caller, now: Timestamp) -> RateStanding {
        let current = now.roundedDown(to: length)
        if current != start {
            start = current
            counts.removeAll(keepingCapacity: true)
        }
        let count = counts[caller, default: 0]
        let hasRoom = counts[caller] != nil || counts.count < RateWindow.callersMax
        let isAllowed = count < limit && hasRoom
        if isAllowed { counts[caller] = count + 1 }
        return RateStanding(
            isAllowed: isAllowed,
            limit: limit,
            remaining: hasRoom ? limit - count - (isAllowed ? 1 : 0) : 0,
            reset: current + length
        )
    }
}

/// What a caller is told: `X-RateLimit-Limit`, `-Remaining`, `-Reset`.
package struct RateStanding: Sendable, Equatable {
    package var isAllowed: Bool
    package var limit: Int
    package var remaining: Int
    /// When the next window begins.
    package var reset: Timestamp
}
