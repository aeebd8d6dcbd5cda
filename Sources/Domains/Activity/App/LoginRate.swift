import Activity
import Reactor

/// How often one address may use `/auth`, where nobody has shown yet who they are: each request has the hub verify a
/// signature or ask the store's writer. The key `rates.address.logins`.
package struct LoginRate: Sendable {
    /// Counts a login from a network at a time in milliseconds, and returns how long it has to wait; 0 for one that
    /// may go on.
    private let count: @Sendable (_ network: UInt64, _ now: Int64) -> Int64
    private let noteReached: @Sendable () -> Void
    private let now: @Sendable () -> MonotonicInstant

    package init(
        count: @escaping @Sendable (_ network: UInt64, _ now: Int64) -> Int64,
        noteReached: @escaping @Sendable () -> Void = {},
        now: @escaping @Sendable () -> MonotonicInstant = { .now }
    ) {
        self.count = count
        self.noteReached = noteReached
        self.now = now
    }

    /// Counts one request.
    ///
    /// - Throws: when it is one too many.
    package func take(_ peer: SocketAddress?) throws(ActivityError) {
        // A peer that has gone meanwhile is nobody's; all of them share one count.
        let network = peer?.network ?? 0
        let wait = count(network, now().nanoseconds / 1_000_000)
        guard wait > 0 else { return }
        noteReached()
        throw .rateLimitExceeded(retryAfterSeconds: Int((wait + 999) / 1000))
    }
}
