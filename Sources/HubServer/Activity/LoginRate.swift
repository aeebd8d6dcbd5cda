import Activity
import Reactor

/// How often one address may use `/auth`, where nobody has shown yet who they are: each request has the hub verify a
/// signature or ask the store's writer. The key `rates.address.logins`.
struct LoginRate: Sendable {
    let clients: ClientCensus
    let metrics: MetricsBoard
    let now: @Sendable () -> MonotonicInstant

    init(
        clients: ClientCensus,
        metrics: MetricsBoard,
        now: @escaping @Sendable () -> MonotonicInstant = { .now }
    ) {
        self.clients = clients
        self.metrics = metrics
        self.now = now
    }

    /// Counts one request.
    ///
    /// - Throws: when it is one too many.
    func take(_ peer: SocketAddress?) throws(ActivityError) {
        // A peer that has gone meanwhile is nobody's; all of them share one count.
        let network = peer?.network ?? 0
        let wait = clients.takeLogin(from: network, now: now().nanoseconds / 1_000_000)
        guard wait > 0 else { return }
        metrics.noteReached(.addressLogins)
        throw .rateLimitExceeded(retryAfterSeconds: Int((wait + 999) / 1000))
    }
}
