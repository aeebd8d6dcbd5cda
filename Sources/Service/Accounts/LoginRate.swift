import Reactor

/// The rate limit of requests to `/auth` from one address, key `rates.address.logins`. Clients are
/// not identified yet at this point, and each request costs a signature or a place in a commit.
package struct LoginRate: Sendable {
    /// Counts a login from a network at a time in milliseconds. Returns the time to wait; 0 if the
    /// login may proceed.
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
    /// - Throws: an error if the rate is exceeded.
    package func take(_ peer: SocketAddress?) throws(AccountError) {
        // Peers that have closed their connection have no address and share one count.
        let network = peer?.network ?? 0
        let wait = count(network, now().nanoseconds / 1_000_000)
        guard wait > 0 else { return }
        noteReached()
        throw .rateLimited(retryAfterSeconds: Int((wait + 999) / 1000))
    }
}
