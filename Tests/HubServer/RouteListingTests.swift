import Access
import AllDomains
import AuroraApp
import Configuration
import DomainKit
import Foundation
import HTTPService
import HubTesting
import Polling
import Repository
import Routing
import ServerAPI
import Shards
import Tasks
import Testing
import TokenTesting
import Upstream

@testable import HubServer

@Suite("Routes: the listing and protocol/openapi", .timeLimit(.minutes(10)))
struct RouteListingTests {
    /// A hub that has every domain.
    private static let configuration = """
        development: true
        aurora:
          user_agent: tests/1 a@b.example
        activity: {}
        radar:
          sources:
            - {name: claude, kind: anthropic, url: "http://127.0.0.1:9", model: m, key: k}
        tokens: {audience: a, issuer: i}
        """

    /// For measuring, where the configuration has it: no app is written against it.
    private static let notDescribed: Set = ["GET /echo"]

    private func routesOfTheTable() async throws -> [Route] {
        let loaded = try LoadedConfiguration(
            file: (name: "varde.yaml", text: Self.configuration),
            environment: ["VARDE_TOKEN_SECRET": TestTokens.secret],
            domains: allDomains.configurations
        )
        let credentials = try await Credentials.load(loaded, signsTokens: true)
        let client = UpstreamClient()
        let routes = try await withTemporaryStore(migrations: allMigrations) { store in
            let hub = OpenedHub(
                loaded.configuration,
                try ConfiguredParts(loaded, environment: [:], domains: allDomains),
                credentials: credentials,
                store: store,
                clock: HubClock(.wall),
                client: client,
                logger: silentLogger
            )
            return try await HubParts(hub).routes(hub, access: .none).table.routes
        }
        client.shutDown()
        return routes
    }

    /// `GET /a/{}`, whatever the parameter is called.
    private func unnamed(_ method: String, _ path: String) -> String {
        "\(method) " + path.replacing(/:\w+|\{\w+\}/, with: "{}")
    }

    private func described() throws -> Set<String> {
        let folder = URL(filePath: "\(repositoryRoot)/protocol/openapi")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        var found: Set<String> = []
        for file in files where file.hasSuffix(".json") {
            let data = try Data(contentsOf: folder.appending(path: file))
            let document = try #require(
                try JSONSerialization.jsonObject(with: data) as? [String: Any]
            )
            // What other descriptions refer to has no paths of its own.
            let paths = document["paths"] as? [String: [String: Any]] ?? [:]
            for (path, item) in paths {
                for method in RouteMethod.allCases.map(\.rawValue) {
                    guard item[method.lowercased()] != nil else { continue }
                    found.insert(unnamed(method, path))
                }
            }
        }
        return found
    }

    @Test func everyRouteIsDescribedAndNoOther() async throws {
        let table = try await routesOfTheTable()
        let beside = ServerAPI.routes + AuroraRoutes.routes + Shard.routes([.radar])
        #expect(table.count >= 50 && beside.count >= 20)
        let all = table + beside
        let has = Set(all.map { unnamed($0.method.rawValue, $0.pattern) })
        #expect(has.count == all.count, "no route is there twice")
        let described = try described()
        #expect(has.subtracting(described) == Self.notDescribed)
        #expect(described.subtracting(has) == [])
    }
}
