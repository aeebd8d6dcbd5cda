import API

/// The parts that every hub has, also one that does not lead: the webhook endpoints that receive
/// its publications, the logins that its server API ends, and the routes about the hub itself.
struct NodeParts: Sendable {
    /// Selects the webhook endpoints that receive an event.
    let outbox: OutboxRouter
    /// Nil if accounts are off. Only a hub that leads lets users log in.
    let accounts: AccountService?
    /// The names that filters and rules set through the API may use.
    let names: Locked<ServedNames>
    /// The namespaces that are served.
    let namespaces: Locked<[Configuration.Namespace]>
    /// For the sender of a hub that leads.
    let wakeUps: OutboxWakeUps
    /// Noted when another node has changed the endpoints of webhooks.
    let endpointChanges = EndpointChanges()
    let statistics = HubStatistics()
    private let hub: OpenedHub

    init(_ hub: OpenedHub) {
        self.hub = hub
        names = Locked(hub.parts.names(hub.configuration))
        namespaces = Locked(
            hub.configuration.servedNamespaces(hub.parts.domainNamespaces)
        )
        let (directory, wakeUps) = (WebhookDirectory(), OutboxWakeUps())
        outbox = OutboxRouter(directory: directory, wake: { wakeUps.wake() })
        self.wakeUps = wakeUps
        hub.metrics.outbox.setDisabledEndpoints { directory.disabledCount }
        accounts = AccountService(hub)
    }

    /// Reads the endpoints of webhooks from the store.
    func webhooks() async throws -> WebhookService {
        try await WebhookService(
            configured: hub.parts.endpoints,
            directory: outbox.directory,
            store: hub.store,
            connector: WebhookConnector(rules: .init(hub.configuration)),
            limits: WebhookService.Limits(hub.configuration.webhookLimits),
            vault: WebhookVault(secret: hub.parts.webhookSecretKey),
            wake: outbox.wake,
            logger: hub.logger
        )
    }

    /// Reads the credentials that are no longer valid. Call it before the first request.
    func prepare() async throws {
        try await accounts?.prepare()
        let rows = try await hub.store.state(domain: StoredRevocations.domain)
        hub.endedLogins.revocations.change { table in
            for revocation in rows.compactMap(StoredRevocations.revocation) {
                table.add(revocation)
            }
        }
    }

    func add(to routes: inout Routes) {
        HealthRoutes(
            readiness: hub.readiness,
            board: hub.board,
            clock: hub.clock,
            store: hub.store,
            version: Version.text,
            hidesReasons: !hub.configuration.admin.listen.isEmpty
        ).add(to: &routes)
        MetricsRoutes(hub.metrics.registry).add(to: &routes)
        StatsRoutes(statistics, node: hub.node).add(to: &routes)
        TopicRoutes(hub.metrics.loops).add(to: &routes)
        ClockRoutes(
            clock: hub.clock,
            recording: hub.configuration.clock.map { .init(start: $0.start, end: $0.end) },
            store: hub.store,
            logger: hub.logger
        ).add(to: &routes)
        if hub.configuration.http.openapi {
            // A domain with users has its own form of the account routes.
            let hasAccounts = accounts != nil && !hub.parts.domains.contains { $0.users != nil }
            DocumentRoutes(
                parts: hub.parts.domains.map { type(of: $0).manifest.name }
                    + (hasAccounts ? ["accounts"] : [])
            ).add(to: &routes)
            ChannelRoutes(
                topics: hub.parts.domains.flatMap { type(of: $0).manifest.topics },
                version: Version.text,
                namespaces: { [namespaces] in namespaces.withLock { $0 } }
            ).add(to: &routes)
        }
        let console = hub.configuration.console
        if console.enabled || hub.configuration.development {
            ConsoleRoutes(files: ConsoleFiles(directory: console.directory)).add(to: &routes)
        } else {
            ConsoleRoutes.addRefusal(to: &routes)
        }
        if hub.configuration.development { ConsoleRoutes.addRedirect(to: &routes) }
        if !hub.configuration.admin.listen.isEmpty {
            routes.closeToPublic("/metrics", "/api/health", "/debug", "/console")
        }
    }
}
