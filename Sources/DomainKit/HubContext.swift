/// The capabilities that a hub gives its domains; never the hub itself.
package struct HubContext: Sendable {
    /// Whether known credentials are accepted, and only this machine can connect.
    package let development: Bool
    package let store: HubStore
    package let clock: HubClock
    package let upstream: UpstreamClient
    /// The addresses to which redirects of upstreams may lead.
    package let redirects: AddressGuard
    /// The user agent of outgoing requests.
    package let userAgent: String
    /// The health of the feeds.
    package let feeds: HealthBoard
    package let outbox: OutboxRouter
    package let alerts: AlertBook
    /// The states of the rules of all domains at the end of the last run.
    package let alertRows: [AlertRow]
    package let metrics: DomainMetrics
    /// Nil while accounts are off.
    package let accounts: AccountService?
    /// The scheme of the page that describes the routes, `https` if the hub itself has TLS; nil if
    /// the hub does not serve the page.
    package let documentationScheme: String?
    package let logger: Logger

    package init(
        development: Bool,
        store: HubStore,
        clock: HubClock,
        upstream: UpstreamClient,
        redirects: AddressGuard,
        userAgent: String,
        feeds: HealthBoard,
        outbox: OutboxRouter,
        alerts: AlertBook,
        alertRows: [AlertRow],
        metrics: DomainMetrics,
        accounts: AccountService?,
        documentationScheme: String?,
        logger: Logger
    ) {
        self.development = development
        self.store = store
        self.clock = clock
        self.upstream = upstream
        self.redirects = redirects
        self.userAgent = userAgent
        self.feeds = feeds
        self.outbox = outbox
        self.alerts = alerts
        self.alertRows = alertRows
        self.metrics = metrics
        self.accounts = accounts
        self.documentationScheme = documentationScheme
        self.logger = logger
    }
}

/// The context that the routes of domains share.
package struct RouteContext: Sendable {
    package let access: RouteAccess
    /// For reads of the store that may take long.
    package let reads: FairReads
    /// The stored data of all parts of the hub about a user.
    package let userData: [UserDataSection]
    /// Deletes the data of a user whose account was just deleted (`DeletedAccount`) from all parts
    /// of the hub. It returns when they are gone, or when the hub has to try again later.
    package let forget: @Sendable (_ user: String) async -> Void

    package init(
        access: RouteAccess,
        reads: FairReads,
        userData: [UserDataSection] = [],
        forget: @escaping @Sendable (_ user: String) async -> Void = { _ in }
    ) {
        self.access = access
        self.reads = reads
        self.userData = userData
        self.forget = forget
    }
}
