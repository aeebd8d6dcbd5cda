import Aurora
import DomainKit

/// Conditions and alerts of the northern lights at configured places.
package struct AuroraDomain: Domain {
    static let name = AuroraSection.key

    package static let manifest = DomainManifest(
        name: name,
        namespaces: [.aurora],
        migrations: AuroraTables.migrations,
        defaultAlerts: [.auroraExcellent],
        alertFields: [name: AuroraAlertFields.names],
        alertLanguages: [name: Language.all.map(\.code)],
        eventTypes: ["aurora.conditions.updated", "aurora.oval.updated"],
        topics: [
            TopicDescription("aurora:{place}", "The conditions at a place.", "aurora-event"),
            TopicDescription("aurora:oval", "The oval on the map.", "aurora-event"),
            TopicDescription("aurora:{place}:alerts", "The alerts of a place.", "alerts-event"),
        ],
        evaluatesAlerts: [name],
        prefixes: [AuroraRoutes.prefixes],
        trim: { try await AuroraForecastKeeper.trim($0, now: $1) }
    )

    let settings: AuroraSection
    package let places: [Place]
    package let levels: LevelBounds

    package init(
        _ settings: AuroraSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
        places = settings.places.enumerated().compactMap { index, place in
            do throws(PlaceError) { return try Place(place) } catch {
                report("aurora.places[\(index)]", "\(error)")
                return nil
            }
        }
        if settings.levels.bounds == nil { report("aurora.levels", "the levels do not ascend") }
        levels = settings.levels.bounds ?? .standard
    }

    /// Without places, a namespace of the domain's name is one like any other.
    package var topicRules: [String: any TopicRules] {
        places.isEmpty ? [:] : [Self.name: AuroraTopicRules(places: places)]
    }

    package func open(_ hub: HubContext) async throws -> any DomainService {
        var pipeline = AuroraPipeline(places: places, bounds: levels) { [alerts = hub.alerts] in
            alerts.rules(for: $0)
        }
        let refused = pipeline.restore(
            state: try await hub.store.state(domain: AuroraPipeline.domain),
            alerts: hub.alertRows
        )
        if !refused.isEmpty {
            hub.logger.notice(
                "aurora: some stored state is not used",
                metadata: ["rows": .stringConvertible(refused)]
            )
        }
        let keeper = AuroraForecastKeeper(
            store: hub.store,
            bounds: levels,
            registry: hub.metrics.registry,
            logger: hub.logger
        )
        try await keeper.restore()
        let service = AuroraService(
            pipeline: pipeline,
            store: hub.store,
            clock: hub.clock,
            outbox: hub.outbox,
            silences: hub.alerts.silences,
            metrics: hub.metrics,
            keeper: keeper,
            logger: hub.logger
        )
        hub.alerts.connect(service.alarm)
        hub.feeds.addProblems {
            service.problems.map { HealthBoard.Problem(part: $0.part, reason: $0.reason) }
        }
        return try await RunningAurora(self, service, hub)
    }
}

/// The aurora domain of a hub that runs.
struct RunningAurora: DomainService {
    private let service: AuroraService
    private let api: AuroraRoutes
    private let pollers: FeedPollers

    init(_ domain: AuroraDomain, _ service: AuroraService, _ hub: HubContext) async throws {
        self.service = service
        let settings = domain.settings
        api = AuroraRoutes(
            service: service,
            keys: AuroraKeys(settings, development: hub.development),
            documentationScheme: hub.documentationScheme
        )
        pollers = try await FeedPollers(
            AuroraFeeds(settings: settings, places: domain.places, service: service).all,
            hub,
            userAgent: settings.userAgent
        )
        // Products fetched shortly before a restart are in the state; only the others are awaited.
        service.expect(feeds: pollers.due)
    }

    func add(to routes: inout Routes, _ context: RouteContext) {
        routes.beside(AuroraRoutes.routes) { [api] in api.respond(to: $0) }
    }

    /// Nothing of the domain is about a user.
    func forget(_ user: String) async throws {}

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [service] in await service.tick() }
            group.addTask { [pollers] in await pollers.run() }
        }
    }
}
