import Access
import Configuration
import DomainKit
import HTTPService
import Store

/// Toys that people have, with the prices of a shop: a domain as small as one can be that has everything.
/// CONTRIBUTING.md walks through its files.
struct ToysDomain: Domain {
    static let name = "toys"

    static let manifest = DomainManifest(
        name: name,
        migrations: ToysTables.migrations,
        alertFields: [name: ["name", "price"]]
    )

    /// Where the shop tells its prices.
    let pricesURL: String

    /// A domain of the hub would ask its section of the configuration; the toys are where the environment says.
    init?(
        _ configuration: Configuration,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        guard let url = environment["TOYS_PRICES_URL"] else { return nil }
        if !url.hasPrefix("http") { report("toys.prices_url", "found \"\(url)\", expected a URL") }
        pricesURL = url
    }

    var namespaces: [Configuration.Namespace] {
        var namespace = Configuration.Namespace()
        namespace.name = Self.name
        return [namespace]
    }

    var topicRules: [String: any TopicRules] { [Self.name: ToysTopicRules()] }

    func open(_ hub: HubContext) async throws -> any DomainService {
        let service = ToysService(store: hub.store, clock: hub.clock, logger: hub.logger)
        hub.metrics.registry.add { try? await $0.write(toys: service.count()) }
        let feed = toyPrices(url: pricesURL, service)
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

    func run() async { await pollers.run() }
}
