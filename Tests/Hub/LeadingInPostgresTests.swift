import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting
import PostgresTesting
import TokenTesting

@testable import Hub

@Suite("Hub: leading with a store in PostgreSQL", .timeLimit(.minutes(10)))
struct LeadingInPostgresTests {
    private func start(_ schema: String) async throws -> HubService {
        let yaml = """
            listen: ["127.0.0.1:0"]
            loops: 1
            database: "\(try testServer())&schema=\(schema)"
            drain: {spread: 0s, timeout: 60s}
            tokens: {secrets: ["\(TestTokens.secret)"]}
            namespaces: [{name: chat, subscribe: users}]
            activity: {}
            radar: {}
            """
        return try await HubService.start(
            LoadedConfiguration(
                file: (name: "varde.yaml", text: yaml),
                environment: [:],
                domains: allDomains.configurations
            ),
            environment: [:],
            logger: silentLogger,
            domains: allDomains,
            leads: false
        )
    }

    /// Publishes from SQL, as an application does.
    private func publish(_ text: String, _ schema: String) throws {
        let connection = try PostgresConnection(testServer())
        try connection.execute("SELECT \(schema).publish('chat:1', '\(text)')")
        connection.close()
    }

    @Test func publicationsFromSQLWaitForAHubThatLeads() async throws {
        let schema = "l" + UUID().uuidString.replacing("-", with: "").lowercased()
        let hub = try await start(schema)
        let client = try LoopTestClient(port: hub.addresses[0].port)
        _ = try await client.connectSession(token: try await TestTokens().connection("1"))
        try await expect(client.subscribe(2, "chat:1").contains(#""subscribe":{"#))
        for round in 0..<2 {
            let (waiting, direct) = (2 * round + 1, 2 * round + 2)
            try publish("\(waiting)", schema)
            let event = TopicEvent(
                topic: topic("chat:1"),
                time: hub.clock.now,
                payload: Array("\(direct)".utf8)
            )
            _ = try await hub.store.commit(Change(events: [event]))
            try await expect(client.receiveText().contains(#""data":\#(direct),"#))
            try await hub.lead()
            try await expect(client.receiveText().contains(#""data":\#(waiting),"#))
            await hub.follow()
        }
        await expect(hub.stop())
    }
}
