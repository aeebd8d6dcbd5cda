import AllDomains
import Foundation
import HubTesting
import Repository
import TokenTesting

@testable import Hub

/// A hub that has every domain, without loops.
enum EveryDomain {
    /// The `section.yaml` of every domain and door, with what a hub needs beside them.
    static func configuration() throws -> String {
        let sections = try allDomains.map { domain in
            let kind = domain is any Door.Type ? "Doors" : "Domains"
            let folder = "\(repositoryRoot)/Sources/\(kind)/\(domain.manifest.name.capitalized)"
            return try String(contentsOfFile: folder + "/section.yaml", encoding: .utf8)
        }
        return "development: true\ntokens: {audience: a, issuer: i}\n" + sections.joined()
    }

    static func run<Value: Sendable>(
        _ body: (OpenedHub, HubParts) async throws -> Value
    ) async throws -> Value {
        let loaded = try LoadedConfiguration(
            file: (name: "varde.yaml", text: try configuration()),
            environment: ["VARDE_TOKEN_SECRET": TestTokens.secret],
            domains: allDomains.configurations
        )
        let credentials = try await Credentials.load(loaded, signsTokens: true)
        return try await withTemporaryStore(migrations: allMigrations) { store in
            let hub = OpenedHub(
                loaded.configuration,
                try ConfiguredParts(loaded, environment: [:], domains: allDomains),
                credentials: credentials,
                store: store,
                clock: HubClock(.wall),
                client: UpstreamClient(),
                logger: silentLogger
            )
            defer { hub.client.shutDown() }
            return try await body(hub, HubParts(hub))
        }
    }
}
