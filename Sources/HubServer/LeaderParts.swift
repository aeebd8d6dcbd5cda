import Access
import Accounts
import Alerting
import Alerts
import Bounds
import Configuration
import Diagnostics
import DomainKit
import HTTPService
import Logging
import Outbox
import PubSub
import Shards
import Store
import Tasks

/// The parts of a hub whose state is in memory and whose work must be done once: the enabled
/// domains, alert rules, logins, and the sender of webhooks.
struct LeaderParts: Sendable {
    let alerts: AlertBook
    let topicAlerts: TopicAlertsFollower
    let domains: [any DomainService]
    private let alertRules: AlertRuleStore
    private let webhooks: WebhookService
    private let sender: OutboxSender
    private let hub: OpenedHub
    private let node: NodeParts

    /// - Parameter rules: the current ones, which define the topics that users' alert rules may
    ///   look at.
    init(_ hub: OpenedHub, _ node: NodeParts, rules: NamespaceRules) async throws {
        self.hub = hub
        self.node = node
        let userAgent = "varde/\(Version.text)"
        webhooks = try await node.webhooks()
        sender = OutboxSender(
            webhooks: webhooks,
            connector: webhooks.connector,
            userAgent: userAgent,
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
            node.outbox
        )
        alertRules.connect(topicAlerts)
        let context = HubContext(
            development: hub.configuration.development,
            store: hub.store,
            clock: hub.clock,
            upstream: hub.client,
            userAgent: userAgent,
            feeds: hub.board,
            outbox: node.outbox,
            alerts: alerts,
            alertRows: alertRows,
            metrics: hub.metrics.domains,
            accounts: node.accounts,
            documentationScheme: hub.configuration.http.openapi
                ? hub.configuration.tls == nil ? "http" : "https" : nil,
            logger: hub.logger
        )
        var services: [any DomainService] = []
        for domain in hub.parts.domains { services.append(try await domain.open(context)) }
        domains = services
    }

    private static func topicAlerts(
        _ hub: OpenedHub,
        _ alertRows: [AlertRow],
        book: AlertBook,
        _ outbox: OutboxRouter
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
            metrics: hub.metrics.domains,
            budget: hub.budget,
            limits: TopicAlertsFollower.Limits(limits),
            logger: hub.logger
        )
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
        for domain in domains { try await domain.prepare() }
        // Secrets that were stored while no key was configured.
        try await webhooks.sealStored()
    }

    // MARK: Routes

    func add(to routes: inout Routes, clients: ClientCensus, access: RouteAccess) {
        WebhookRoutes(
            service: webhooks,
            acceptsKey: access.acceptsKey,
            names: { [names = node.names] in names.withLock { $0 } }
        ).add(to: &routes)
        if let accounts = node.accounts {
            let rate = LoginRate(
                count: { clients.takeLogin(from: $0, now: $1) },
                noteReached: { [loops = hub.metrics.loops] in loops.noteReached(.addressLogins) }
            )
            let form = hub.parts.directory.form
            AccountRoutes(service: accounts, form: form, rate: rate).add(to: &routes)
        }
        let context = RouteContext(access: access, reads: FairReads(), userData: userData)
        for domain in domains { domain.add(to: &routes, context) }
        AlertRuleRoutes(
            rules: alertRules,
            access: access,
            names: { [names = node.names] in names.withLock { $0 } }
        ).add(to: &routes)
    }

    /// The sections about a user that the domains store, followed by the hub's own.
    var userData: [UserDataSection] {
        domains.flatMap(\.userData) + [.alertRules(alertRules.book), .logins(hub.store)]
    }

    // MARK: Work

    /// Connects the domains to the running loops; nil disconnects them.
    func connect(_ topics: (any TopicControl)?) {
        for domain in domains { domain.connect(topics) }
    }

    func run(in group: inout DiscardingTaskGroup) {
        group.addTask { [topicAlerts] in await topicAlerts.run() }
        if let accounts = node.accounts { group.addTask { await accounts.run() } }
        for domain in domains { group.addTask { await domain.run() } }
        group.addTask { [sender] in await sender.run() }
    }
}
