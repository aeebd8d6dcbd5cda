import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

@Suite("Webhooks: what is erased", .timeLimit(.minutes(10)))
struct WebhookErasureTests {
    private let topic = Topic(trusted: "activity:2")

    private func endpoint(_ url: String) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: "pager",
            url: url,
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(types: ["activity.*"]),
            timeout: .seconds(60)
        )
    }

    private func publish(
        _ id: String,
        by actor: String,
        subject: String = "s",
        in hub: WebhookHub
    ) async throws {
        let delivery = NewDelivery(
            endpoint: "pager",
            messageID: id,
            eventType: "activity.created",
            subject: subject,
            body: Array("{}".utf8),
            createdAt: HubClock.wall,
            topics: [topic],
            tags: ["actor": actor]
        )
        _ = try await hub.store.commit(Change(deliveries: [delivery]))
        hub.service.wake()
    }

    private func erase(_ actor: String, in hub: WebhookHub) async throws {
        let erasure = Erasure(topic: topic, tag: "actor", value: actor)
        _ = try await hub.store.commit(Change(erasures: [erasure]))
        hub.service.wake()
    }

    private func log(_ hub: WebhookHub) async throws -> [String?] {
        let page = try await hub.object("GET", "/api/webhooks/pager/deliveries?limit=100")
        let rows = try require(page["deliveries"] as? [[String: Any]])
        return rows.map { $0["message_id"] as? String }
    }

    private func id(_ request: ServerRequest) -> String {
        request.head.headers.first("webhook-id") ?? ""
    }

    private func erasedCount(_ metrics: OutboxMetrics, _ store: HubStore) async -> String? {
        let name = #"hub_webhook_dropped_total{reason="erased"} "#
        return await metrics.text(store).split(separator: "\n").first { $0.hasPrefix(name) }
            .map { String($0.dropFirst(name.count)) }
    }

    @Test func messageThatWaitsIsNeverSentAndWhatCameBehindItIs() async throws {
        let received = Locked<[String]>([])
        let metrics = OutboxMetrics()
        try await ScriptedServer.run(answer: { request in
            received.withLock { $0.append(id(request)) }
            return .status(id(request) == "e1" ? 500 : 200)
        }) { server in
            try await WebhookHub.run(configured: [try endpoint(server.url)], metrics: metrics) {
                hub in
                try await publish("e1", by: "1", in: hub)
                _ = await hub.line("webhook failed")
                // Both wait for the next attempt of the first, and are known to the sender.
                try await publish("e2", by: "1", in: hub)
                try await publish("e3", by: "2", in: hub)
                try await erase("1", in: hub)
                let dropped = await hub.line("webhooks dropped: erased")
                expectEqual(dropped?.metadata, ["messages": "2"])
                _ = await hub.line("webhook delivered")
                try await expectEqual(log(hub), ["e3"])
                await expectEqual(erasedCount(metrics, hub.store), "2")
                let range = #"{"from":"2000-01-01T00:00:00Z","to":"2100-01-01T00:00:00Z"}"#
                let replay = try await hub.object("POST", "/api/webhooks/pager/replay", range)
                expectEqual(replay["messages"] as? Int, 1)
                _ = await hub.line("webhook delivered")
            }
        }
        expectEqual(received.withLock { $0 }, ["e1", "e3", "e3"])
    }

    @Test(arguments: [200, 500])
    func attemptUnderWayEndsAndIsNotRepeatedAndTheNextWaitsForIt(status: Int) async throws {
        let gate = ScriptedServer.Gate()
        let received = Locked<[String]>([])
        let metrics = OutboxMetrics()
        try await ScriptedServer.run(answer: { request in
            received.withLock { $0.append(id(request)) }
            guard id(request) == "e1" else { return .status(200) }
            return .held(gate, ServerResponse(status: status, text: "at last"))
        }) { server in
            try await WebhookHub.run(configured: [try endpoint(server.url)], metrics: metrics) {
                hub in
                try await publish("e1", by: "1", in: hub)
                _ = await server.requests.next(1)
                try await publish("e2", by: "2", in: hub)
                try await erase("1", in: hub)
                // Planned after those, so whatever else could be sent has been.
                try await publish("marker", by: "2", subject: "t", in: hub)
                _ = await hub.line("webhook delivered")
                expectEqual(received.withLock { $0 }, ["e1", "marker"])
                gate.open()
                _ = await server.requests.next(1)
                hub.pass(.seconds(3600))
                let last = await hub.log.first { $0.metadata["id"] == "e2" }
                expectEqual(last?.message, "webhook delivered")
                try await expectEqual(log(hub), ["marker", "e2"])
                // What was delivered all the same was not dropped.
                await expectEqual(erasedCount(metrics, hub.store), (status == 200 ? "0" : "1"))
            }
        }
        expectEqual(received.withLock { $0 }, ["e1", "marker", "e2"])
    }
}
