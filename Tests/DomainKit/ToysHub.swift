import Expectations
import Foundation
import HubTesting
import LoopTesting
import TokenTesting

@testable import Hub

/// A whole hub with only the toy domain, and the toy door if it is configured, and a shop on loopback.
struct ToysHub {
    let service: HubService
    let tokens: TestTokens

    static let domains: [any Domain.Type] = [ToysDomain.self, BellsDoor.self]

    /// Runs `body` with a hub in a directory of its own, and stops it.
    ///
    /// - Parameters:
    ///   - shop: the address of the shop.
    ///   - keys: further lines of the configuration.
    ///   - leads: nil for a hub that is in no cluster.
    static func run(
        shop: String,
        keys: String,
        leads: Bool? = nil,
        _ body: (ToysHub) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-toys-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let yaml = """
            listen: ["127.0.0.1:0"]
            drain: {spread: 0s, timeout: 60s}
            tokens: {secrets: ["\(TestTokens.secret)"]}
            toys: {prices_url: "\(shop)/prices"}
            \(keys)
            """
        let hub = ToysHub(
            service: try await HubService.start(
                LoadedConfiguration(
                    file: (name: "varde.yaml", text: yaml),
                    environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
                    domains: domains.configurations
                ),
                environment: [:],
                logger: silentLogger,
                domains: domains,
                leads: leads
            ),
            tokens: try await TestTokens()
        )
        let result: Result<Void, any Error>
        do { result = .success(try await body(hub)) } catch { result = .failure(error) }
        await expect(hub.service.stop())
        try result.get()
    }

    func ask(
        _ method: String,
        _ target: String,
        user: String? = nil,
        key: String? = nil,
        body: String = ""
    ) async throws -> LoopTestClient.Response {
        let client = try LoopTestClient(port: service.addresses[0].port)
        var fields: [String] = []
        if let user { fields.append("Authorization: Bearer \(try tokens.connection(user))") }
        if let key { fields.append("X-API-Key: \(key)") }
        try await client.send(httpRequest(method, target, fields, body: body))
        let response = try await client.receiveResponse()
        await client.close()
        return response
    }

    func connect(_ user: String) async throws -> LoopTestClient {
        let client = try LoopTestClient(port: service.addresses[0].port)
        _ = try await client.connectSession(token: try tokens.connection(user))
        return client
    }
}
