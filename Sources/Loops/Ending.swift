import Reactor

/// The end of a loop: which connections end when, and who waits until all have left.
///
/// It begins once. From then on `takeDue` returns the connections whose time has come, and
/// `takeWaiter` the one who waits, when no connection is left.
package struct Ending {
    /// Nil until it begins.
    private var plan: DrainPlan?
    private var waiter: CheckedContinuation<Void, Never>?

    package init() {}

    package var hasBegun: Bool { plan != nil }

    /// The time at which the next connection is due; nil if none is left.
    package var nextDeadline: MonotonicInstant? { plan?.next }

    /// - Parameters:
    ///   - connections: in the order of their end.
    ///   - spread: the time over which they end.
    package mutating func begin(
        _ connections: [ConnectionID],
        spread: Duration,
        now: MonotonicInstant
    ) {
        plan = DrainPlan(connections, spread: spread, now: now)
    }

    package mutating func takeDue(now: MonotonicInstant) -> ArraySlice<ConnectionID> {
        plan?.takeDue(now: now) ?? []
    }

    package mutating func wait(_ waiter: CheckedContinuation<Void, Never>) {
        self.waiter = waiter
    }

    /// Returns the one to resume; nil while connections are left, and after the first call without any.
    package mutating func takeWaiter(connectionCount: Int) -> CheckedContinuation<Void, Never>? {
        guard hasBegun, connectionCount == 0 else { return nil }
        defer { waiter = nil }
        return waiter
    }
}
