import DomainKit
import Radar

/// Radars: the opinions on a topic, requested from sources and published to apps.
package struct RadarDomain: Domain {
    package static let manifest = DomainManifest(
        name: RadarSection.key,
        namespaces: [.radar],
        reserved: .reserved,
        migrations: RadarTables.migrations,
        alertFields: [Topic.radarNamespace: RadarAlertFields.names],
        eventTypes: [
            "radar.interpretation.changed", "radar.opinion.created", "radar.position.changed",
            "radar.refresh.failed", "radar.refreshed", "radar.trend.changed",
        ],
        topics: [
            TopicDescription(
                "radar:{id}",
                "The changes of a radar.",
                "radar-event",
                readers: "Only users who may read the radar may."
            ),
            TopicDescription(
                "radar:{id}:alerts",
                "The alerts of a radar.",
                "alerts-event",
                readers: "Only users who may read the radar may."
            ),
        ],
        evaluatesAlerts: [Topic.radarNamespace],
        prefixes: [RadarRoutes.prefixes],
        trim: { try await RadarService.trim($0, now: $1) },
        forget: { try await $0.deleteRadars(of: $1) }
    )

    let settings: RadarSection
    package let sources: [ConfiguredSource]
    /// Closed until the store has been read.
    let radars: RadarDirectory
    let door: RadarSocketDoor

    package init(
        _ settings: RadarSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
        radars = RadarDirectory(nil)
        door = RadarSocketDoor(radars)
        sources = settings.sources.enumerated().compactMap { index, source in
            ConfiguredSource(
                source,
                environment: environment,
                readFile: { try? String(contentsOfFile: $0, encoding: .utf8) }
            ) {
                report("radar.sources[\(index)].\($0)", $1)
            }
        }
    }

    package var topicRules: [String: any TopicRules] {
        [Topic.radarNamespace: RadarTopicRules(radars: radars)]
    }

    package var sockets: [TopicSocket] { [.radar(door)] }

    package func open(_ hub: HubContext) async throws -> any DomainService {
        var asked: [AskedSource] = []
        for configured in sources {
            try await asked.append(
                AskedSource(
                    source: configured.source,
                    policy: configured.policy(userSharePercent: settings.userSharePercent),
                    timeout: configured.settings.timeout,
                    client: ProviderClient(client: hub.upstream, userAgent: hub.userAgent),
                    store: hub.store,
                    clock: hub.clock,
                    board: hub.feeds,
                    logger: hub.logger
                )
            )
        }
        let alerts = DomainAlerts(
            RadarAlertSubjects(),
            book: hub.alerts,
            alerts: hub.alertRows,
            fields: try await hub.store.state(domain: RadarAlertSubjects.domain),
            logger: hub.logger
        )
        let service = try await RadarService(
            settings: settings,
            sources: asked,
            store: hub.store,
            clock: hub.clock,
            directory: radars,
            outbox: hub.outbox,
            alerts: alerts,
            metrics: hub.metrics,
            socketKey: try await RadarDomain.socketKey(hub.store),
            logger: hub.logger
        )
        let samples = settings.sampleSources
        if !samples.isEmpty {
            hub.logger.notice(
                "radar: opinions of these sources are made up",
                metadata: ["sources": "\(samples.joined(separator: ", "))"]
            )
        }
        // Not the service itself, which has a reference to the metrics.
        hub.metrics.registry.add { [polls = service.polls, clock = hub.clock] in
            $0.writeRadarLag(polls.withLock { $0.schedule.lag(now: clock.now) })
        }
        return RunningRadar(service: service, door: door)
    }

    package func close() { radars.close() }

    private static let socketsDomain = "radar-sockets"
    private static let socketKeyRow = "token_key"

    /// The key of socket tokens. It is stored, so that they hold after a restart.
    private static func socketKey(_ store: HubStore) async throws -> [UInt8] {
        let rows = try await store.state(domain: socketsDomain)
        if let key = rows.first(where: { $0.key == socketKeyRow })?.value,
            key.count >= RadarSocketTokens.keyLengthMin
        {
            return key
        }
        let key = randomBytes(RadarSocketTokens.keyLengthMin)
        let row = StateRow(domain: socketsDomain, key: socketKeyRow, value: key)
        _ = try await store.commit(Change(state: [row]))
        return key
    }
}

/// The radars of a hub that runs.
struct RunningRadar: DomainService {
    let service: RadarService
    let door: RadarSocketDoor

    func add(to routes: inout Routes, _ context: RouteContext) {
        RadarRoutes(service: service, access: context.access, reads: context.reads)
            .add(to: &routes)
    }

    var userData: [UserDataSection] { service.store.radarUserData }

    func forget(_ user: String) async throws { try await service.forget(user) }

    func connect(_ topics: (any TopicControl)?) {
        service.connect(topics)
        // A circle otherwise: the loops have the door.
        door.connect(topics == nil ? nil : service)
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [service] in await RadarScheduler(service: service).run() }
            group.addTask { [service] in await service.watchAlerts() }
        }
        // Without sources, there is no scheduler that ends the polls of users.
        await service.endPolls()
    }
}

extension MetricsText {
    mutating func writeRadarLag(_ lag: Duration) {
        gauge(
            "hub_poll_lag_seconds",
            "The delay of the radar that has been due the longest.",
            [([], lag.inSeconds)]
        )
    }
}
