import DomainKit

/// Toys that people have, with the prices of a shop: a domain as small as one can be that has everything.
/// CONTRIBUTING.md walks through its files.
struct ToysDomain: Domain {
    static let manifest = DomainManifest(
        name: ToysSection.key,
        namespaces: [toys],
        migrations: ToysTables.migrations,
        alertFields: [ToysSection.key: ["name", "price"]],
        prefixes: [ToysRoutes.prefixes]
    )

    private static var toys: Configuration.Namespace {
        var namespace = Configuration.Namespace()
        namespace.name = ToysSection.key
        return namespace
    }

    let settings: ToysSection

    init(
        _ settings: ToysSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
    }

    var topicRules: [String: any TopicRules] { [ToysSection.key: ToysTopicRules()] }

    func open(_ hub: HubContext) async throws -> any DomainService {
        let service = ToysService(store: hub.store, clock: hub.clock, logger: hub.logger)
        hub.metrics.registry.add { try? await $0.write(toys: service.count()) }
        let feed = toyPrices(url: settings.pricesURL, service)
        return RunningToys(service: service, pollers: try await FeedPollers([feed], hub))
    }
}

/// The toys of a hub that runs.
struct RunningToys: DomainService {
    let service: ToysService
    let pollers: FeedPollers

    func add(to routes: inout Routes, _ context: RouteContext) {
        ToysRoutes(service: service, access: context.access).add(to: &routes)
    }

    func forget(_ user: String) async throws { try await service.forget(user) }

    func run() async { await pollers.run() }
}
