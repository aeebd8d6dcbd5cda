import Access
import Alerting
import HTTPService
import Logging
import Outbox
import Polling
import Store
import Tasks
import Upstream

/// What a hub gives its domains: capabilities, never the hub itself.
package struct HubContext: Sendable {
    /// Known credentials hold, and only this machine can connect.
    package let development: Bool
    package let store: HubStore
    package let clock: HubClock
    package let upstream: UpstreamClient
    /// Of requests to others.
    package let userAgent: String
    /// How the feeds are doing.
    package let feeds: HealthBoard
    package let outbox: OutboxRouter
    package let alerts: AlertBook
    /// Where the rules stood when the hub ended last, of all domains.
    package let alertRows: [AlertRow]
    package let metrics: DomainMetrics
    package let credentials: Credentials
    package let endedLogins: EndedLogins
    package let logger: Logger

    package init(
        development: Bool,
        store: HubStore,
        clock: HubClock,
        upstream: UpstreamClient,
        userAgent: String,
        feeds: HealthBoard,
        outbox: OutboxRouter,
        alerts: AlertBook,
        alertRows: [AlertRow],
        metrics: DomainMetrics,
        credentials: Credentials,
        endedLogins: EndedLogins,
        logger: Logger
    ) {
        self.development = development
        self.store = store
        self.clock = clock
        self.upstream = upstream
        self.userAgent = userAgent
        self.feeds = feeds
        self.outbox = outbox
        self.alerts = alerts
        self.alertRows = alertRows
        self.metrics = metrics
        self.credentials = credentials
        self.endedLogins = endedLogins
        self.logger = logger
    }
}

/// What the routes of domains share.
package struct RouteContext: Sendable {
    package let access: RouteAccess
    /// For reads of the store that may take long.
    package let reads: FairReads
    /// Counts a login from a network at a time in milliseconds, and returns how long it has to wait; 0 for one that may
    /// go on.
    package let countLogin: @Sendable (_ network: UInt64, _ now: Int64) -> Int64
    /// A login was one too many.
    package let noteLoginRefused: @Sendable () -> Void

    package init(
        access: RouteAccess,
        reads: FairReads,
        countLogin: @escaping @Sendable (_ network: UInt64, _ now: Int64) -> Int64,
        noteLoginRefused: @escaping @Sendable () -> Void
    ) {
        self.access = access
        self.reads = reads
        self.countLogin = countLogin
        self.noteLoginRefused = noteLoginRefused
    }
}
