/// The capabilities that a node of a hub gives its doors; never the hub itself.
package struct NodeContext: Sendable {
    /// The name of the node.
    package let node: String
    /// As it was at the start.
    package let configuration: Configuration
    package let store: HubStore
    package let clock: HubClock
    package let upstream: UpstreamClient
    /// The addresses to which redirects of upstreams may lead.
    package let redirects: AddressGuard
    /// The user agent of outgoing requests.
    package let userAgent: String
    /// Adds to changes the webhooks that they cause.
    package let outbox: OutboxRouter
    package let metrics: MetricsRegistry
    /// Nil while accounts are off.
    package let accounts: AccountService?
    package let logger: Logger

    package init(
        node: String,
        configuration: Configuration,
        store: HubStore,
        clock: HubClock,
        upstream: UpstreamClient,
        redirects: AddressGuard,
        userAgent: String,
        outbox: OutboxRouter,
        metrics: MetricsRegistry,
        accounts: AccountService?,
        logger: Logger
    ) {
        self.node = node
        self.configuration = configuration
        self.store = store
        self.clock = clock
        self.upstream = upstream
        self.redirects = redirects
        self.userAgent = userAgent
        self.outbox = outbox
        self.metrics = metrics
        self.accounts = accounts
        self.logger = logger
    }
}
