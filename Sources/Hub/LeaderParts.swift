import API

/// The parts of a hub that leads: the enabled domains, alert rules, logins, and the sender of
/// webhooks. At most one node of a cluster has them at a time, because their state is in memory and
/// their work must be done once.
///
/// **Use.** Creating it restores the stored state. Then call `prepare`, `connect` and `run`. When
/// `run` has ended and no request is in progress, call `close`. A hub that leads again creates
/// other parts.
final class LeaderParts: Sendable {
    let alerts: AlertBook
    let topicAlerts: TopicAlertsFollower
    let domains: [any DomainService]
    let deletedAccounts: DeletedAccounts
    private let alertRules: AlertRuleStore
    private let webhooks: WebhookService
    private let sender: OutboxSender
    private let metrics: DomainMetrics
    private let hub: OpenedHub
    private let node: NodeParts

    /// - Parameter rules: the current ones, which define the topics that users' alert rules may
    ///   look at.
    init(_ hub: OpenedHub, _ node: NodeParts, rules: NamespaceRules) async throws {
        self.hub = hub
        self.node = node
        metrics = DomainMetrics()
        webhooks = try await node.webhooks()
        sender = OutboxSender(
            webhooks: webhooks,
            connector: webhooks.connector,
            userAgent: Version.userAgent,
            wakeUps: node.wakeUps.next(),
            metrics: hub.metrics.outbox,
            logger: hub.logger
        )
        alerts = AlertBook(
            configured: zip(hub.configuration.alerts, hub.parts.alertRules).map {
                (settings: $0, rule: $1)
            },
            namespaces: rules,
            vocabulary: AlertVocabulary(hub.parts.registered)
        )
        alertRules = try await AlertRuleStore(
            book: alerts,
            limits: hub.configuration.alertLimits,
            store: hub.store,
            logger: hub.logger
        )
        let alertRows = try await hub.store.alertStates()
        topicAlerts = try await LeaderParts.topicAlerts(
            hub,
            alertRows,
            book: alerts,
            node.outbox,
            metrics
        )
        alertRules.connect(topicAlerts)
        let context = HubContext(
            development: hub.configuration.development,
            store: hub.store,
            clock: hub.clock,
            upstream: hub.client,
            redirects: WebhookConnector.Rules(hub.configuration).redirects,
            userAgent: Version.userAgent,
            feeds: hub.board,
            outbox: node.outbox,
            alerts: alerts,
            alertRows: alertRows,
            metrics: metrics,
            accounts: node.accounts,
            documentationScheme: hub.configuration.http.openapi
                ? hub.configuration.tls == nil ? "http" : "https" : nil,
            logger: hub.logger
        )
        do { domains = try await LeaderParts.open(hub, context) } catch {
            topicAlerts.release()
            throw error
        }
        deletedAccounts = DeletedAccounts(hub, domains, rules: alertRules, node.outbox)
        hub.metrics.use(metrics)
    }

    /// Opens all domains, or none.
    private static func open(
        _ hub: OpenedHub,
        _ context: HubContext
    ) async throws -> [any DomainService] {
        var services: [any DomainService] = []
        do {
            for domain in hub.parts.domains { services.append(try await domain.open(context)) }
            return services
        } catch {
            for domain in hub.parts.domains { domain.close() }
            throw error
        }
    }

    private static func topicAlerts(
        _ hub: OpenedHub,
        _ alertRows: [AlertRow],
        book: AlertBook,
        _ outbox: OutboxRouter,
        _ metrics: DomainMetrics
    ) async throws -> TopicAlertsFollower {
        let limits = hub.configuration.alertLimits
        let (holdings, restored) = try await holdings(
            hub.parts,
            limits,
            alertRows,
            hub.store,
            book: book
        )
        hub.logger.warn(ofUnusableAlertRows: restored.unusable)
        let namespaces = hub.namespaces.withLock { $0 }
        return TopicAlertsFollower(
            book: book,
            owned: hub.parts.domains.reduce(into: []) {
                $0.formUnion(type(of: $1).manifest.evaluatesAlerts)
            },
            restored: holdings,
            stale: restored.stale,
            store: hub.store,
            clock: hub.clock,
            outbox: outbox,
            metrics: metrics,
            budget: hub.budget,
            limits: TopicAlertsFollower.Limits(limits),
            // As long as the process runs, no namespace changes in this.
            isDurable: { namespaces.isDurable($0) },
            logger: hub.logger
        )
    }

    /// Restores the silences, and ends the listed alerts that no rule has any more.
    private func restoreAlertList() async throws {
        let rows = try await hub.store.state(domain: AlertSilences.domain)
        alerts.silences.restore(rows, hub.logger)
        let active = Set(try await hub.store.alertStates().compactMap(\.activeID))
        try await hub.store.endAlertRecords(except: active, now: hub.clock.now)
    }

    private static func holdings(
        _ parts: ConfiguredParts,
        _ limits: Configuration.AlertLimits,
        _ alertRows: [AlertRow],
        _ store: HubStore,
        book: AlertBook
    ) async throws -> (AlertHoldings, AlertHoldings.Restored) {
        var holdings = AlertHoldings(
            limits: AlertHoldings.Limits(limits),
            feeds: DomainFeeds(parts.registered)
        )
        let restored = holdings.restore(
            alerts: alertRows,
            fields: try await store.state(domain: FollowedTopics.domain)
                + store.state(domain: FollowedTopics.userDomain),
            cursors: try await store.state(domain: FollowedTopics.cursorDomain),
            book: book
        )
        return (holdings, restored)
    }

    /// Prepares everything that is required before the first request.
    func prepare() async throws {
        try await restoreAlertList()
        for domain in domains { try await domain.prepare() }
        // Secrets that were stored while no key was configured.
        try await webhooks.sealStored()
    }

    // MARK: Routes

    /// The paths of the routes, also for a hub that does not lead.
    static func prefixes(_ hub: OpenedHub, _ node: NodeParts) -> [RoutePrefixes] {
        [WebhookRoutes.prefixes, AlertRuleRoutes.prefixes, FeedRoutes.prefixes]
            + hub.parts.domains.flatMap { type(of: $0).manifest.prefixes }
            + (node.accounts == nil ? [] : [AccountRoutes.prefixes(hub.parts.directory.form)])
            + (hub.hasOwnUsers ? [UserRoutes.prefixes] : [])
    }

    func add(to routes: inout Routes, clients: ClientCensus, access: RouteAccess) {
        WebhookRoutes(
            service: webhooks,
            names: { [names = node.names] in names.withLock { $0 } }
        ).add(to: &routes)
        FeedRoutes(board: hub.board, clock: hub.clock).add(to: &routes)
        if let accounts = node.accounts {
            let rate = LoginRate(
                count: { clients.takeLogin(from: $0, now: $1) },
                noteReached: { [loops = hub.metrics.loops] in loops.noteReached(.addressLogins) }
            )
            let form = hub.parts.directory.form
            AccountRoutes(service: accounts, form: form, rate: rate).add(to: &routes)
        }
        let context = RouteContext(
            access: access,
            reads: FairReads(),
            userData: userData,
            forget: { [deletedAccounts] in await deletedAccounts.forgetNow($0) }
        )
        if let accounts = node.accounts, hub.hasOwnUsers {
            UserRoutes(service: accounts, context: context).add(to: &routes)
        }
        for domain in domains { domain.add(to: &routes, context) }
        AlertRoutes(
            store: hub.store,
            silences: alerts.silences,
            clock: hub.clock,
            vocabulary: alerts.vocabulary,
            logger: hub.logger
        ).add(to: &routes)
        AlertRuleRoutes(
            rules: alertRules,
            access: access,
            names: { [names = node.names] in names.withLock { $0 } }
        ).add(to: &routes)
    }

    /// The sections about a user that the domains store, followed by the hub's own.
    var userData: [UserDataSection] {
        (hub.hasOwnUsers ? [.account(hub.store)] : []) + domains.flatMap(\.userData)
            + [.alertRules(alertRules.book), .logins(hub.store)]
    }

    // MARK: Work

    /// Connects the domains to the running loops; nil disconnects them.
    func connect(_ topics: (any TopicControl)?) {
        for domain in domains { domain.connect(topics) }
        deletedAccounts.connect(topics)
    }

    /// Has the other nodes take in changes of webhook endpoints before they take effect.
    func connect(_ surveys: ClusterSurveys) {
        webhooks.setOtherNodes { _ = await surveys.ask(.endpoints) }
    }

    func run(in group: inout DiscardingTaskGroup) {
        group.addTask { [topicAlerts] in await topicAlerts.run() }
        // Those of the last run, which may have been killed.
        group.addTask { [deletedAccounts] in await deletedAccounts.forgetNow() }
        if let accounts = node.accounts { group.addTask { await accounts.run() } }
        for domain in domains { group.addTask { await domain.run() } }
        group.addTask { [sender] in await sender.run() }
    }

    /// Gives back what the hub has only while it leads.
    func close() {
        connect(nil)
        for domain in hub.parts.domains { domain.close() }
        topicAlerts.release()
        hub.board.removeAll()
        hub.metrics.use(nil)
        metrics.registry.removeAll()
    }
}
