import Access
import Accounts
import Alerting
import Bounds
import Configuration
import Diagnostics
import DomainKit
import Foundation
import HTTPService
import Locking
import Logging
import Outbox
import PubSub
import ServerAPI
import Shards
import Store
import Tasks

/// The parts of a hub in addition to its loops: the enabled domains, alert rules, and the outbox.
/// Creating it is the second phase of a start: all parts restore their stored state.
struct HubParts: Sendable {
    let alerts: AlertBook
    let topicAlerts: TopicAlertsFollower
    let domains: [any DomainService]
    let accounts: AccountService?
    private let accountForm: AccountForm
    private let alertRules: AlertRuleStore
    /// Selects the webhook endpoints that receive an event.
    let outbox: OutboxRouter
    /// The names that filters and rules set through the API may use.
    let names: Locked<ServedNames>
    private let webhooks: WebhookService
    private let sender: OutboxSender
    private let store: HubStore
    private let revocations: Revocations

    init(_ hub: OpenedHub) async throws {
        let userAgent = "varde/\(Version.text)"
        store = hub.store
        revocations = hub.endedLogins.revocations
        names = Locked(hub.parts.names(hub.configuration))
        (webhooks, sender) = try await HubParts.webhooks(hub, userAgent: userAgent)
        outbox = OutboxRouter(directory: webhooks.directory, wake: webhooks.wake)
        alerts = AlertBook(
            configured: zip(hub.configuration.alerts, hub.parts.alertRules).map {
                (settings: $0, rule: $1)
            },
            namespaces: hub.parts.rules,
            vocabulary: AlertVocabulary(hub.parts.registered)
        )
        alertRules = try await AlertRuleStore(
            book: alerts,
            limits: hub.configuration.alertLimits,
            store: hub.store,
            logger: hub.logger
        )
        let alertRows = try await hub.store.alertStates()
        topicAlerts = try await HubParts.topicAlerts(hub, alertRows, book: alerts, outbox)
        alertRules.connect(topicAlerts)
        accountForm = hub.parts.directory.form
        accounts = AccountService(hub)
        let context = HubContext(
            development: hub.configuration.development,
            store: hub.store,
            clock: hub.clock,
            upstream: hub.client,
            userAgent: userAgent,
            feeds: hub.board,
            outbox: outbox,
            alerts: alerts,
            alertRows: alertRows,
            metrics: hub.metrics.domains,
            accounts: accounts,
            documentationScheme: hub.configuration.http.openapi
                ? hub.configuration.tls == nil ? "http" : "https" : nil,
            logger: hub.logger
        )
        var services: [any DomainService] = []
        for domain in hub.parts.domains { services.append(try await domain.open(context)) }
        domains = services
    }

    private static func webhooks(
        _ hub: OpenedHub,
        userAgent: String
    ) async throws -> (WebhookService, OutboxSender) {
        let (wakeUps, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let webhooks = try await WebhookService(
            configured: hub.parts.endpoints,
            store: hub.store,
            connector: WebhookConnector(rules: .init(hub.configuration)),
            limits: WebhookService.Limits(hub.configuration.webhookLimits),
            vault: WebhookVault(secret: hub.parts.webhookSecretKey),
            wake: { continuation.yield() },
            logger: hub.logger
        )
        hub.metrics.outbox.setDisabledEndpoints { [directory = webhooks.directory] in
            directory.disabledCount
        }
        let sender = OutboxSender(
            webhooks: webhooks,
            connector: webhooks.connector,
            userAgent: userAgent,
            wakeUps: wakeUps,
            metrics: hub.metrics.outbox,
            logger: hub.logger
        )
        return (webhooks, sender)
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
        try await accounts?.prepare()
        let rows = try await store.state(domain: StoredRevocations.domain)
        revocations.change { table in
            for revocation in rows.compactMap(StoredRevocations.revocation) {
                table.add(revocation)
            }
        }
        for domain in domains { try await domain.prepare() }
        // Secrets that were stored while no key was configured.
        try await webhooks.sealStored()
    }

    func routes(
        _ hub: OpenedHub,
        clients: ClientCensus = ClientCensus(),
        access: RouteAccess
    ) -> Routes {
        var routes = Routes()
        HealthRoutes(
            readiness: hub.readiness,
            board: hub.board,
            clock: hub.clock,
            store: hub.store,
            version: Version.text,
            hidesReasons: !hub.configuration.admin.listen.isEmpty
        ).add(to: &routes)
        MetricsRoutes(hub.metrics.registry).add(to: &routes)
        WebhookRoutes(
            service: webhooks,
            acceptsKey: access.acceptsKey,
            names: { [names] in names.withLock { $0 } }
        ).add(to: &routes)
        if let accounts {
            let rate = LoginRate(
                count: { clients.takeLogin(from: $0, now: $1) },
                noteReached: { [loops = hub.metrics.loops] in loops.noteReached(.addressLogins) }
            )
            AccountRoutes(service: accounts, form: accountForm, rate: rate).add(to: &routes)
        }
        let context = RouteContext(
            access: access,
            reads: FairReads(),
            userData: userData(hub.store)
        )
        for domain in domains { domain.add(to: &routes, context) }
        AlertRuleRoutes(
            rules: alertRules,
            access: access,
            names: { [names] in names.withLock { $0 } }
        ).add(to: &routes)
        if hub.configuration.http.openapi {
            // A domain with users has its own form of the account routes.
            let hasAccounts = accounts != nil && !hub.parts.domains.contains { $0.users != nil }
            DocumentRoutes(
                parts: hub.parts.domains.map { type(of: $0).manifest.name }
                    + (hasAccounts ? ["accounts"] : [])
            ).add(to: &routes)
        }
        if !hub.configuration.admin.listen.isEmpty {
            routes.closeToPublic("/metrics", "/api/health", "/debug")
        }
        return routes
    }

    /// Returns the sections about a user that the domains store, followed by the hub's own.
    func userData(_ store: HubStore) -> [UserDataSection] {
        domains.flatMap(\.userData) + [.alertRules(alertRules.book), .logins(store)]
    }

    /// Connects the parts to the running loops; nil disconnects them after the loops have ended.
    func connect(_ topics: (any TopicControl)?) {
        accounts?.connect(topics)
        for domain in domains { domain.connect(topics) }
    }

    func run(in group: inout DiscardingTaskGroup) {
        group.addTask { [topicAlerts] in await topicAlerts.run() }
        if let accounts { group.addTask { await accounts.run() } }
        for domain in domains { group.addTask { await domain.run() } }
        group.addTask { [sender] in await sender.run() }
    }
}
