import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting
import PostgresTesting
import TokenTesting

@testable import Hub

@Suite("Hub: questions that all nodes of a cluster answer", .timeLimit(.minutes(10)))
struct SurveyInPostgresTests {
    private func start(_ node: String, _ schema: String) async throws -> HubService {
        let yaml = """
            listen: ["127.0.0.1:0"]
            loops: 1
            database: "\(try testServer())&schema=\(schema)"
            cluster: {node: \(node)}
            drain: {spread: 0s, timeout: 60s}
            tokens: {secrets: ["\(TestTokens.secret)"]}
            namespaces: [{name: chat, subscribe: users, history_age: 1s, forget_after: 5m}]
            """
        return try await HubService.start(
            LoadedConfiguration(
                file: (name: "varde.yaml", text: yaml),
                environment: [:],
                domains: allDomains.configurations
            ),
            environment: [:],
            logger: silentLogger,
            domains: allDomains
        )
    }

    /// Maintains the store as the leader does, when all topics are quiet.
    ///
    /// - Returns: the number of topics forgotten so far.
    private func maintain(_ hub: HubService) async throws -> UInt64 {
        let later = hub.clock.now + .seconds(30 * 86_400)
        try await HubService.maintainOnce(
            hub.store,
            now: later,
            wall: later,
            hub.namespaces,
            hub.transport,
            [],
            hub.wired.surveys
        )
        return await hub.store.statistics.topicsForgotten
    }

    @Test func topicThatOnlyAnotherNodeUsesIsCountedAndNotForgotten() async throws {
        let schema = "s" + UUID().uuidString.replacing("-", with: "").lowercased()
        let a = try await start("a", schema)
        let b = try await start("b", schema)
        let client = try LoopTestClient(port: b.addresses[0].port)
        _ = try await client.connectSession(token: try await TestTokens().connection("1"))
        try await expect(client.subscribe(2, "chat:1").contains(#""subscribe":{"#))
        let event = TopicEvent(topic: topic("chat:1"), time: a.clock.now, payload: [0x31])
        _ = try await a.store.commit(Change(events: [event]))
        try await expect(client.receiveText().contains(#""data":1"#))

        let operations = a.wired.operations
        let channels = try await operations.channels(matching: .everything)
        expectEqual(channels.map(\.topic.name), ["chat:1"])
        expectEqual(channels.map(\.subscriberCount), [1])
        let nodes = try await operations.nodes()
        expectEqual(nodes.map(\.name), ["a", "b"])
        expectEqual(nodes.map(\.connectionCount), [0, 1])
        let control = a.wired.topicControl
        let counts = await control.subscribedTopics(inNamespaces: ["chat"])
        expectEqual(counts, [topic("chat:1"): 1])
        await expectEqual(control.subscribedTopics(inNamespaces: ["other"]), [:])

        try await expectEqual(maintain(a), 0)
        await client.close()
        await expect(b.stop())
        try await expectEqual(maintain(a), 1)
        try await expectEqual(operations.nodes().map(\.name), ["a"])
        await expect(a.stop())
    }
}
