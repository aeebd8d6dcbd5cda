import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service
import StoreTesting

@testable import Duties

@Suite("Webhooks: rates, and what may wait", .timeLimit(.minutes(10)))
struct WebhookBoundsTests {
    private func endpoint(
        _ name: String,
        _ url: String = "http://127.0.0.1:9/",
        types: [String] = []
    ) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: name,
            url: url,
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(types: types),
            timeout: .seconds(60)
        )
    }

    /// Publications on the operators' topic, as its subscribers get them.
    private func told(by store: HubStore) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        store.observe(\.committed) { publications in
            for each in publications where each.topic == .webhooks {
                continuation.yield(String(decoding: each.payload, as: UTF8.self))
            }
        }
        return lines
    }

    private func log(_ hub: WebhookHub, _ name: String) async throws -> [[String: Any]] {
        let page = try await hub.object("GET", "/api/webhooks/\(name)/deliveries?limit=100")
        return try require(page["deliveries"] as? [[String: Any]])
    }

    // MARK: Rates

    @Test func whatIsOverTheRateWaitsAndIsNotLost() async throws {
        let received = Locked<[String]>([])
        try await ScriptedServer.run(answer: { request in
            received.withLock { $0.append(request.head.headers.first("webhook-id") ?? "") }
            return .status(200)
        }) { server in
            var slow = try endpoint("slow", server.url, types: ["aurora.*"])
            slow.rate = 3
            let other = try endpoint("other", server.url, types: ["radar.*"])
            try await WebhookHub.run(configured: [slow, other]) { hub in
                for number in 1...4 { try await hub.publish("e\(number)", subject: "\(number)") }
                for _ in 1...3 { _ = await hub.line("webhook delivered") }
                // Planned after those, so whatever else could be sent has been.
                try await hub.publish("marker", type: "radar.refreshed")
                _ = await hub.line("webhook delivered")
                expectEqual(Set(received.withLock { $0 }), ["e1", "e2", "e3", "marker"])
                hub.pass(.milliseconds(334))
                _ = await hub.line("webhook delivered")
                expectEqual(received.withLock { $0 }.last, "e4")
                let rows = try await hub.store.deliveries(of: "slow", limit: 9)
                expectEqual(rows.map(\.attempts), [1, 1, 1, 1])
            }
        }
    }

    @Test func rateIsGivenChangedAndTakenAwayByTheAPI() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await withTemporaryStore { store in
                var id = ""
                try await WebhookHub.run(store: store) { hub in
                    id = try await hub.verified(server.url, #","rate":10000"#).id
                    let path = "/api/webhooks/\(id)"
                    try await expectEqual(hub.object("GET", path)["rate"] as? Int, 10_000)
                    let list = try await hub.object("PATCH", path, #"{"types":["aurora.*"]}"#)
                    expectEqual(list["rate"] as? Int, 10_000, "what is left out stays")
                    _ = try await hub.object("PATCH", path, #"{"rate":7}"#)
                }
                try await WebhookHub.run(store: store) { hub in
                    let path = "/api/webhooks/\(id)"
                    let shown = try await hub.object("GET", path)
                    expectEqual(shown["rate"] as? Int, 7)
                    expectEqual(shown["types"] as? [String], ["aurora.*"])
                    let none = try await hub.object("PATCH", path, #"{"rate":0}"#)
                    expectEqual(none["rate"] as? Int, 0)
                }
            }
        }
    }

    @Test(arguments: ["-1", "10001", "1.5", #""3""#, "[]", "true"])
    func rateThatIsNoneIsRefused(rate: String) async throws {
        try await WebhookHub.run(resolver: ScriptedResolver([:])) { hub in
            let body = #"{"url":"https://example.invalid/","rate":\#(rate)}"#
            let response = await hub.send("POST", "/api/webhooks", body)
            expectEqual(response.head.status, 400)
            let text = String(decoding: response.body, as: UTF8.self)
            expect(text.contains("rate is not an integer from 0 to 10000"))
        }
    }

    // MARK: What waits

    @Test func oldestMessageThatWaitsIsDroppedWhenThereIsOneTooMany() async throws {
        let metrics = OutboxMetrics()
        try await withTemporaryStore { store in
            let told = told(by: store)
            try await ScriptedServer.run(script: [.status(200)]) { watcher in
                let endpoints = [
                    try endpoint("paused", types: ["aurora.*"]),
                    try endpoint("watcher", watcher.url, types: ["webhook.messages.dropped"]),
                ]
                let limits = WebhookService.Limits(waitingMax: 3)
                try await WebhookHub.run(
                    configured: endpoints,
                    store: store,
                    limits: limits,
                    metrics: metrics
                ) { hub in
                    try await expectOldestDropped(hub)
                    // More are dropped, and nobody is told again.
                    try await hub.publish("e5")
                    _ = await hub.line("webhooks dropped")
                    let event = try await require(told.first { _ in true })
                    expect(event.contains(#""type":"webhook.messages.dropped""#))
                    expect(event.contains(#""data":{"webhook_id":"paused","messages":1}"#))
                    let request = try await require(watcher.requests.next(1).first)
                    expectEqual(String(decoding: request.body, as: UTF8.self), event)
                    try await expectEqual(hub.store.deliveries(of: "watcher", limit: 9).count, 1)
                }
                // Nor after a restart: its queue has been full all the time.
                try await WebhookHub.run(
                    configured: endpoints,
                    store: store,
                    limits: limits,
                    metrics: metrics
                ) { hub in
                    try await hub.publish("e6")
                    _ = await hub.line("webhooks dropped")
                    try await expectEqual(hub.store.deliveries(of: "watcher", limit: 9).count, 1)
                    let text = await exposition(metrics, store)
                    expect(text.contains("hub_webhook_dropped_total{reason=\"bounds\"} 3\n"))
                }
            }
        }
    }

    /// The fourth message of three that may wait for a paused endpoint.
    private func expectOldestDropped(_ hub: WebhookHub) async throws {
        _ = try await hub.object("POST", "/api/webhooks/paused/pause")
        for number in 1...3 { try await hub.publish("e\(number)") }
        hub.service.wake()
        try await expect(log(hub, "paused").allSatisfy { $0["status"] as? String == "pending" })
        try await hub.publish("e4")
        let line = await hub.line("webhooks dropped")
        expectEqual(line?.metadata, ["endpoint": "paused", "messages": "1"])
        let rows = try await log(hub, "paused")
        expectEqual(
            rows.map { $0["status"] as? String },
            ["pending", "pending", "pending", "failed"]
        )
        expectEqual(rows.last?["message_id"] as? String, "e1")
        expectEqual(rows.last?["reason"] as? String, "dropped")
        expectEqual(rows.last?["attempts"] as? Int, 0)
    }

    @Test func queueThatWasShortMeanwhileIsToldOfAgain() async throws {
        try await withTemporaryStore { store in
            let told = told(by: store)
            try await ScriptedServer.run(script: [.status(200)]) { server in
                try await WebhookHub.run(
                    configured: [try endpoint("pager", server.url)],
                    store: store,
                    limits: .init(waitingMax: 2)
                ) { hub in
                    for round in 1...2 {
                        _ = try await hub.object("POST", "/api/webhooks/pager/pause")
                        for number in 1...3 { try await hub.publish("e\(round)-\(number)") }
                        _ = await hub.line("webhooks dropped")
                        let event = await told.first { _ in true }
                        expectEqual(
                            event?.contains("webhook.messages.dropped"),
                            true,
                            "round \(round)"
                        )
                        _ = try await hub.object("POST", "/api/webhooks/pager/resume")
                        for _ in 1...2 { _ = await hub.line("webhook delivered") }
                        // The next message has the queue looked at.
                        try await hub.publish("e\(round)-4")
                        _ = await hub.line("webhook delivered")
                    }
                }
            }
        }
    }

    @Test func messageThatWaitsForTooLongIsDropped() async throws {
        try await WebhookHub.run(
            configured: [try endpoint("paused")],
            limits: .init(waitingAgeMax: .seconds(86_400))
        ) { hub in
            _ = try await hub.object("POST", "/api/webhooks/paused/pause")
            try await hub.publish("e1")
            // The clock of the sender is a minute ahead.
            hub.pass(.seconds(86_400 - 120))
            try await expectEqual(log(hub, "paused").first?["status"] as? String, "pending")
            hub.pass(.seconds(3600))
            _ = await hub.line("webhooks dropped")
            try await expectEqual(log(hub, "paused").first?["reason"] as? String, "dropped")
        }
    }

    // MARK: Endpoints that are switched off

    @Test func operatorsAreToldOnTheirTopicAndInTheMetricsAtOnce() async throws {
        let metrics = OutboxMetrics()
        try await withTemporaryStore { store in
            let told = told(by: store)
            try await ScriptedServer.run(script: [.status(410), .status(200)]) { server in
                let endpoints = [try endpoint("pager", server.url)]
                try await WebhookHub.run(configured: endpoints, store: store, metrics: metrics) {
                    hub in
                    try await hub.publish("e1")
                    _ = await hub.line("webhook endpoint is gone")
                    await expect(exposition(metrics, store).contains(disabled(1)))
                    let event = try await require(told.first { _ in true })
                    expect(event.contains(#""type":"webhook.endpoint.disabled""#))
                    expect(event.contains(#""data":{"webhook_id":"pager","reason":"gone"}"#))
                    try await expectEqual(log(hub, "pager").first?["reason"] as? String, "gone")
                }
                // It is so from the start on, and not only when somebody is called.
                try await WebhookHub.run(configured: endpoints, store: store, metrics: metrics) {
                    hub in
                    await expect(exposition(metrics, store).contains(disabled(1)))
                    _ = try await hub.object("POST", "/api/webhooks/pager/resume")
                    await expect(exposition(metrics, store).contains(disabled(0)))
                }
            }
        }
    }

    private func disabled(_ count: Int) -> String { "hub_webhook_endpoints_disabled \(count)\n" }

    private func exposition(_ metrics: OutboxMetrics, _ store: HubStore) async -> String {
        await metrics.text(store)
    }
}
