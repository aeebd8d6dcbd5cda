import Access
import ActivityApp
import Alerting
import Aurora
import AuroraApp
import Bounds
import Configuration
import Feeds
import Foundation
import HTTPService
import Logging
import Outbox
import Polling
import PubSub
import RadarApp
import Shards
import Store
import Tasks
import Timekeeping
import Upstream

/// The domains that are switched on: their feeds, their routes, and the outbox they share.
struct Domains: Sendable {
    let radar: RadarService?
    let alerts: AlertBook
    let topicAlerts: TopicAlertsFollower
    private let alertRules: AlertRuleStore
    /// Nil where the domain is off.
    let auroraAPI: AuroraAPI?
    private let aurora: AuroraService?
    private let pollers: [(poller: FeedPoller, validators: FeedValidators)]
    /// Nil where the domain is off.
    let activity: ActivityDomain?
    private let webhooks: WebhookService
    private let sender: OutboxSender

    init(
        _ parts: ConfiguredParts,
        configuration: Configuration,
        credentials: Credentials,
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
        let userAgent = configuration.aurora?.userAgent ?? "varde"
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
        sender = OutboxSender(
            webhooks: webhooks,
            connector: webhooks.connector,
            userAgent: "varde/\(Version.text)",
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
            vocabulary: .domains
        )
        alertRules = try await AlertRuleStore(
            book: alerts,
            limits: configuration.alertLimits,
            store: store,
            logger: logger
        )
        let alertRows = try await store.alertStates()
        var holdings = AlertHoldings(
            limits: AlertHoldings.Limits(configuration.alertLimits),
            feeds: ActivityQuotes()
        )
        let stale = holdings.restore(
            alerts: alertRows,
            fields: try await store.state(domain: TopicAlerts.domain)
                + store.state(domain: TopicAlerts.userDomain),
            cursors: try await store.state(domain: TopicAlerts.cursorDomain),
            book: alerts
        )
        topicAlerts = TopicAlertsFollower(
            book: alerts,
            owned: Set(
                [
                    configuration.aurora.map { _ in "aurora" },
                    configuration.radar.map { _ in Topic.radarNamespace },
                ].compactMap(\.self)
            ),
            restored: holdings,
            stale: stale,
            store: store,
            clock: clock,
            outbox: outbox,
            metrics: metrics.domains,
            budget: budget,
            limits: TopicAlertsFollower.Limits(configuration.alertLimits),
            logger: logger
        )
        let radarAlerts = RadarAlerts(
            book: alerts,
            alerts: alertRows,
            state: try await store.state(domain: RadarAlerts.domain)
        )
        if let settings = configuration.radar {
            var runners: [SourceRunner] = []
            for configured in parts.sources {
                try await runners.append(
                    SourceRunner(
                        source: configured.source,
                        policy: configured.policy(userSharePercent: settings.userSharePercent),
                        timeout: configured.settings.timeout,
                        client: ProviderClient(
                            client: client,
                            userAgent: "varde/\(Version.text)"
                        ),
                        store: store,
                        clock: clock,
                        board: board,
                        logger: logger
                    )
                )
            }
            radar = try await RadarService(
                settings: settings,
                runners: runners,
                store: store,
                clock: clock,
                directory: parts.radars ?? RadarDirectory(),
                outbox: outbox,
                alerts: radarAlerts,
                metrics: metrics.domains,
                logger: logger
            )
        } else {
            radar = nil
        }
        if let names = configuration.radar?.sampleSources, !names.isEmpty {
            logger.notice(
                "radar: opinions of these sources are made up",
                metadata: ["sources": "\(names.joined(separator: ", "))"]
            )
        }
        if let radar {
            // Not the service itself, whose runners know the board.
            board.setRadarLag { [polls = radar.polls] in
                polls.withLock { $0.schedule.lag(now: clock.now) }
            }
        }
        activity = try configuration.activity.map { [alerts] settings in
            try ActivityDomain(
                settings: settings,
                development: configuration.development,
                credentials: credentials,
                friends: parts.friends ?? FriendTable(),
                endedLogins: endedLogins,
                store: store,
                clock: clock,
                outbox: outbox,
                alerts: alerts,
                client: client,
                metrics: metrics.domains,
                logger: logger
            )
        }
        guard let settings = configuration.aurora else {
            aurora = nil
            auroraAPI = nil
            pollers = []
            return
        }
        var pipeline = AuroraPipeline(places: parts.places, bounds: parts.levels) { [alerts] in
            alerts.rules(for: $0)
        }
        let refused = pipeline.restore(
            state: try await store.state(domain: AuroraPipeline.domain),
            alerts: alertRows.filter { !RadarAlerts.owns($0) && !TopicAlerts.owns($0) }
        )
        if !refused.isEmpty {
            logger.notice(
                "aurora: some stored state is not used",
                metadata: ["rows": "\(refused)"]
            )
        }
        let service = AuroraService(
            pipeline: pipeline,
            store: store,
            clock: clock,
            outbox: outbox,
            metrics: metrics.domains,
            logger: logger
        )
        aurora = service
        alerts.connect(service.alarm)
        auroraAPI = AuroraAPI(
            service: service,
            keys: AuroraKeys(settings, development: configuration.development)
        )
        let validators = try await Domains.validators(store)
        let fetcher = UpstreamFetcher(client: client, userAgent: userAgent)
        let feeds = AuroraFeeds(settings: settings, places: parts.places, service: service).all
        // What was fetched shortly before a restart is in the state; only the others are waited for.
        let now = clock.now
        let due = feeds.filter {
            (validators[$0.name] ?? FeedValidators()).isDue($0.policy, now: now)
        }
        service.expect(feeds: due.map(\.name))
        pollers = feeds.map {
            let poller = FeedPoller(
                feed: $0,
                fetcher: fetcher,
                clock: clock,
                board: board,
                logger: logger
            )
            return (poller, validators[$0.name] ?? FeedValidators())
        }
    }

    /// Seals secrets of webhooks that were stored when there was no key.
    func sealWebhookSecrets() async throws { try await webhooks.sealStored() }

    private static func validators(_ store: HubStore) async throws -> [String: FeedValidators] {
        var validators: [String: FeedValidators] = [:]
        for row in try await store.feedValidators() {
            guard let value = row.validators else { continue }
            validators[row.name] = try? JSONDecoder().decode(FeedValidators.self, from: Data(value))
        }
        return validators
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
        let reads = FairReads()
        HealthRoutes(
            readiness: readiness,
            board: board,
            clock: clock,
            store: store,
            version: Version.text
        ).add(to: &routes)
        MetricsRoutes(metrics.registry).add(to: &routes)
        WebhookRoutes(service: webhooks, acceptsKey: access.acceptsKey).add(to: &routes)
        if let radar { RadarRoutes(service: radar, access: access, reads: reads).add(to: &routes) }
        activity?.add(
            to: &routes,
            access: access,
            reads: reads,
            loginRate: LoginRate(
                count: { clients.takeLogin(from: $0, now: $1) },
                noteReached: { metrics.loops.noteReached(.addressLogins) }
            )
        )
        AlertRuleRoutes(rules: alertRules, access: access).add(to: &routes)
        return routes
    }

    func run(in group: inout DiscardingTaskGroup) {
        group.addTask { [topicAlerts] in await topicAlerts.run() }
        if let aurora { group.addTask { await aurora.tick() } }
        if let radar {
            group.addTask { await RadarScheduler(service: radar).run() }
            group.addTask { await radar.watchAlerts() }
        }
        activity?.run(in: &group)
        for (poller, validators) in pollers {
            group.addTask { await poller.run(validators: validators) }
        }
        group.addTask { [sender] in await sender.run() }
    }
}
