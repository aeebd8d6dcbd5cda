import Access
import Accounts
import Alerting
import Bounds
import Configuration
import DomainKit
import Foundation
import HTTPService
import Logging
import Outbox
import Polling
import PubSub
import Shards
import Store
import Tasks
import Timekeeping
import Tokens
import Upstream

/// What a hub runs beside its loops: the domains that are on, alert rules, and the outbox.
struct HubParts: Sendable {
    let alerts: AlertBook
    let topicAlerts: TopicAlertsFollower
    let domains: [any DomainService]
    let accounts: AccountService?
    private let accountForm: AccountForm
    private let alertRules: AlertRuleStore
    private let webhooks: WebhookService
    private let sender: OutboxSender

    init(
        _ parts: ConfiguredParts,
        configuration: Configuration,
        credentials: Credentials,
        appleKeys: [TokenKey]? = nil,
        store: HubStore,
        clock: HubClock,
        client: UpstreamClient,
        board: HealthBoard,
        metrics: HubMetrics,
        endedLogins: EndedLogins = EndedLogins(),
        budget: MemoryBudget = MemoryBudget(),
        logger: Logger
    ) async throws {
        let (wakeUps, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let webhooks = try await WebhookService(
            configured: parts.endpoints,
            store: store,
            connector: WebhookConnector(rules: .init(configuration)),
            limits: WebhookService.Limits(configuration.webhookLimits),
            vault: WebhookVault(secret: parts.webhookSecretKey),
            wake: { continuation.yield() },
            logger: logger
        )
        self.webhooks = webhooks
        metrics.outbox.setDisabledEndpoints { [directory = webhooks.directory] in
            directory.disabledCount
        }
        let userAgent = "varde/\(Version.text)"
        sender = OutboxSender(
            webhooks: webhooks,
            connector: webhooks.connector,
            userAgent: userAgent,
            wakeUps: wakeUps,
            metrics: metrics.outbox,
            logger: logger
        )
        let outbox = OutboxRouter(directory: webhooks.directory, wake: webhooks.wake)
        alerts = AlertBook(
            configured: zip(configuration.alerts, parts.alertRules).map {
                (settings: $0, rule: $1)
            },
            namespaces: parts.rules,
            vocabulary: AlertVocabulary(parts.registered)
        )
        alertRules = try await AlertRuleStore(
            book: alerts,
            limits: configuration.alertLimits,
            store: store,
            logger: logger
        )
        let alertRows = try await store.alertStates()
        let (holdings, restored) = try await Self.holdings(
            parts,
            configuration.alertLimits,
            alertRows,
            store,
            book: alerts
        )
        logger.warn(ofUnusableAlertRows: restored.unusable)
        topicAlerts = TopicAlertsFollower(
            book: alerts,
            owned: parts.domains.reduce(into: []) {
                $0.formUnion(type(of: $1).manifest.evaluatesAlerts)
            },
            restored: holdings,
            stale: restored.stale,
            store: store,
            clock: clock,
            outbox: outbox,
            metrics: metrics.domains,
            budget: budget,
            limits: TopicAlertsFollower.Limits(configuration.alertLimits),
            logger: logger
        )
        accountForm = parts.directory.form
        accounts = AccountService(
            parts,
            configuration,
            credentials,
            appleKeys: appleKeys,
            store: store,
            client: client,
            ended: endedLogins,
            logger: logger
        )
        alertRules.connect(topicAlerts)
        let context = HubContext(
            development: configuration.development,
            store: store,
            clock: clock,
            upstream: client,
            userAgent: userAgent,
            feeds: board,
            outbox: outbox,
            alerts: alerts,
            alertRows: alertRows,
            metrics: metrics.domains,
            accounts: accounts,
            logger: logger
        )
        var services: [any DomainService] = []
        for domain in parts.domains { services.append(try await domain.open(context)) }
        domains = services
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

    /// What has to be there before the first request.
    func prepare() async throws {
        try await accounts?.prepare()
        for domain in domains { try await domain.prepare() }
        // Secrets that were stored when there was no key.
        try await webhooks.sealStored()
    }

    func routes(
        readiness: ReadinessBoard,
        board: HealthBoard,
        clock: HubClock,
        store: HubStore,
        metrics: HubMetrics,
        clients: ClientCensus = ClientCensus(),
        access: RouteAccess
    ) -> Routes {
        var routes = Routes()
        HealthRoutes(
            readiness: readiness,
            board: board,
            clock: clock,
            store: store,
            version: Version.text
        ).add(to: &routes)
        MetricsRoutes(metrics.registry).add(to: &routes)
        WebhookRoutes(service: webhooks, acceptsKey: access.acceptsKey).add(to: &routes)
        if let accounts {
            let rate = LoginRate(
                count: { clients.takeLogin(from: $0, now: $1) },
                noteReached: { metrics.loops.noteReached(.addressLogins) }
            )
            AccountRoutes(service: accounts, form: accountForm, rate: rate).add(to: &routes)
        }
        let context = RouteContext(access: access, reads: FairReads())
        for domain in domains { domain.add(to: &routes, context) }
        AlertRuleRoutes(rules: alertRules, access: access).add(to: &routes)
        return routes
    }

    /// The loops run; nil: they have ended.
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
