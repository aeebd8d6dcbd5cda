import AllDomains
import Expectations
import Foundation
import HubTesting
import PostgresTesting

@testable import Hub

@Suite("Hub: the store in PostgreSQL", .timeLimit(.minutes(10)))
struct HubInPostgresTests {
    private func start() async throws -> HubService {
        let schema = "h" + UUID().uuidString.replacing("-", with: "").lowercased()
        let file = FileManager.default.temporaryDirectory.appending(path: "varde-\(schema).yaml")
        let yaml = """
            listen: ["127.0.0.1:0"]
            loops: 1
            database: "\(try testServer())&schema=\(schema)"
            drain: {spread: 0s, timeout: 1s}
            activity: {}
            tokens: {secrets: [a-secret-of-at-least-thirty-two-bytes]}
            namespaces: [{name: chat}]
            """
        try yaml.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let source = ConfigurationSource(
            path: file.path,
            environment: [:],
            domains: allDomains.configurations
        )
        return try await HubService.start(
            try source.load(),
            environment: [:],
            logger: silentLogger,
            domains: allDomains
        )
    }

    /// A schema has no tables of a domain that was never on.
    @Test func rowsOfDomainsThatAreOffAreNotTrimmed() async throws {
        let service = try await start()
        let store = await service.store
        let off = allDomains.filter { $0.manifest.name != "activity" }
        expect(off.contains { !store.hasTables(of: $0.manifest.migrations) })
        try await HubService.maintainOnce(
            store,
            now: service.clock.now,
            wall: service.clock.now,
            service.namespaces,
            service.transport,
            allDomains
        )
        expectEqual(store.health, .ok)
        await service.stop()
    }
}
