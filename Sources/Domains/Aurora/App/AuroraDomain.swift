import Access
import Alerting
import Aurora
import Configuration
import DomainKit
import Feeds
import Foundation
import HTTPService
import Polling
import Store

/// Conditions and alerts of the northern lights at configured places.
package struct AuroraDomain: Domain {
    static let name = "aurora"

    package static let manifest = DomainManifest(
        name: name,
        alertFields: [name: AuroraAlertFields.names],
        evaluatesAlerts: [name]
    )

    let settings: Configuration.Aurora
    package let places: [Place]
    package let levels: LevelBounds

    package init?(
        _ configuration: Configuration,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        guard let settings = configuration.aurora else { return nil }
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

    package var namespaces: [Configuration.Namespace] { [.aurora] }

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
            // The subjects of others have a prefix.
            alerts: hub.alertRows.filter { !$0.subject.contains(":") }
        )
        if !refused.isEmpty {
            hub.logger.notice(
                "aurora: some stored state is not used",
                metadata: ["rows": "\(refused)"]
            )
        }
        let service = AuroraService(
            pipeline: pipeline,
            store: hub.store,
            clock: hub.clock,
            outbox: hub.outbox,
            metrics: hub.metrics,
            logger: hub.logger
        )
        hub.alerts.connect(service.alarm)
        return try await RunningAurora(self, service, hub)
    }
}

/// The aurora domain of a hub that runs.
struct RunningAurora: DomainService {
    private let service: AuroraService
    private let api: AuroraAPI
    private let pollers: [(poller: FeedPoller, validators: FeedValidators)]

    init(_ domain: AuroraDomain, _ service: AuroraService, _ hub: HubContext) async throws {
        self.service = service
        let settings = domain.settings
        api = AuroraAPI(
            service: service,
            keys: AuroraKeys(settings, development: hub.development)
        )
        let validators = try await Self.validators(hub.store)
        let fetcher = UpstreamFetcher(client: hub.upstream, userAgent: settings.userAgent)
        let feeds = AuroraFeeds(settings: settings, places: domain.places, service: service).all
        // What was fetched shortly before a restart is in the state; only the others are waited for.
        let now = hub.clock.now
        let due = feeds.filter {
            (validators[$0.name] ?? FeedValidators()).isDue($0.policy, now: now)
        }
        service.expect(feeds: due.map(\.name))
        pollers = feeds.map {
            let poller = FeedPoller(
                feed: $0,
                fetcher: fetcher,
                clock: hub.clock,
                board: hub.feeds,
                logger: hub.logger
            )
            return (poller, validators[$0.name] ?? FeedValidators())
        }
    }

    private static func validators(_ store: HubStore) async throws -> [String: FeedValidators] {
        var validators: [String: FeedValidators] = [:]
        for row in try await store.feedValidators() {
            guard let value = row.validators else { continue }
            validators[row.name] = try? JSONDecoder().decode(FeedValidators.self, from: Data(value))
        }
        return validators
    }

    func add(to routes: inout Routes, _ context: RouteContext) {
        routes.beside(methods: []) { [api] in api.respond(to: $0) }
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [service] in await service.tick() }
            for (poller, validators) in pollers {
                group.addTask { await poller.run(validators: validators) }
            }
        }
    }
}
