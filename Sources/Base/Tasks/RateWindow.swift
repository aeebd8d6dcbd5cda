/// Limits the requests of each caller within a window of time, and returns the values of the
/// headers.
///
/// Windows are the same for all and begin at multiples of their length, so that an answer can
/// contain the beginning of the next one. All callers of one window are removed with it: the table
/// is bounded by the number of callers within it, and by `callersMax`.
package struct RateWindow<Caller: Hashable & Sendable>: Sendable {
    /// Beyond this number, new callers are refused until the window ends: a flood of invented names
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

/// The values of a caller's headers: `X-RateLimit-Limit`, `-Remaining`, `-Reset`.
package struct RateStanding: Sendable, Equatable {
    package var isAllowed: Bool
    package var limit: Int
    package var remaining: Int
    /// When the next window begins.
    package var reset: Timestamp
}
