import Expectations
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

@Suite("Webhooks: sick receivers", .timeLimit(.minutes(10)))
struct SickReceiversTests {
    private func endpoint(_ name: String, _ url: String) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: name,
            url: url,
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(),
            timeout: .seconds(60)
        )
    }

    private func ids(_ requests: [ServerRequest]) -> [String?] {
        requests.map { $0.head.headers.first("webhook-id") }
    }

    /// None of the others has answered anything when the healthy one has everything.
    @Test func healthyReceiverGetsEverythingWhileOthersHangFailAndLeadInside() async throws {
        let trapped = Locked(0)
        try await ScriptedServer.run(answer: { request in
            switch request.head.target {
            case "/hanging": return .never
            case "/failing": return .status(500)
            case "/redirecting": return .status(302, ["Location": "/inside"])
            default:
                trapped.withLock { $0 += 1 }
                return .status(200)
            }
        }) { sick in
            try await ScriptedServer.run(script: [.status(200)]) { healthy in
                let port = sick.url.split(separator: ":").last ?? ""
                let endpoints =
                    try ["hanging", "failing", "redirecting"].map {
                        try endpoint($0, "\(sick.url)/\($0)")
                    } + [
                        endpoint("metadata", "http://metadata.test/inside"),
                        endpoint("moving", "http://moving.test:\(port)/redirecting"),
                        endpoint("healthy", healthy.url),
                    ]
                let resolver = ScriptedResolver([
                    "metadata.test": [["169.254.169.254"]],
                    "moving.test": [["127.0.0.1"], ["10.0.0.1"]],
                ])
                try await WebhookHub.run(
                    configured: endpoints,
                    allowing: [],
                    resolver: resolver
                ) { hub in
                    for number in 1...20 {
                        try await hub.publish("event-\(number)", subject: "subject-\(number % 7)")
                    }
                    let requests = await healthy.requests.next(20)
                    expectEqual(Set(ids(requests)), Set((1...20).map { "event-\($0)" }))
                    for subject in 0..<7 {
                        let expected = (1...20).filter { $0 % 7 == subject }.map { "event-\($0)" }
                        let found = ids(requests).filter { $0.map(expected.contains) ?? false }
                        expectEqual(found, expected, "in order within a subject")
                    }
                }
            }
        }
        expectEqual(trapped.withLock { $0 }, 0)
    }

    /// For the slow one seconds pass while the test holds its answers back, in which the healthy one gets all.
    @Test func slowReceiverDelaysNobodyAndGetsEverythingOnceInOrder() async throws {
        let gate = ScriptedServer.Gate()
        let received = Locked<[String]>([])
        try await ScriptedServer.run(answer: { request in
            received.withLock { $0.append(request.head.headers.first("webhook-id") ?? "") }
            return .held(gate, ServerResponse(status: 200, text: "at last"))
        }) { slow in
            try await ScriptedServer.run(script: [.status(200)]) { healthy in
                let endpoints = [
                    try endpoint("slow", slow.url), try endpoint("healthy", healthy.url),
                ]
                try await WebhookHub.run(configured: endpoints) { hub in
                    for number in 1...10 {
                        try await hub.publish("event-\(number)", subject: "subject-\(number % 5)")
                        hub.pass(.seconds(1))
                    }
                    expectEqual(Set(ids(await healthy.requests.next(10))).count, 10)
                    let most = OutboxLimits.standard.inFlightPerEndpointMax
                    _ = await slow.requests.next(most)
                    expectEqual(received.withLock { $0.count }, most, "no more of them at a time")
                    gate.open()
                    _ = await slow.requests.next(10 - most)
                    for _ in 1...20 { _ = await hub.line("webhook delivered") }
                    let ids = received.withLock { $0 }
                    for number in 1...5 {
                        let pair = ["event-\(number)", "event-\(number + 5)"]
                        expectEqual(ids.filter { pair.contains($0) }, pair, "in order, each once")
                    }
                    let rows = try await hub.store.deliveries(of: "slow", limit: 99)
                    expectEqual(rows.map(\.attempts), [Int](repeating: 1, count: 10))
                }
            }
        }
    }

    @Test func receiverThatFailsForDaysIsSwitchedOffAndOthersAreTold() async throws {
        try await ScriptedServer.run(script: [.status(500)]) { failing in
            try await ScriptedServer.run(script: [.status(200)]) { told in
                var watcher = try endpoint("watcher", told.url)
                watcher.filter = try WebhookFilter(types: ["webhook.endpoint.disabled"])
                let endpoints = [try endpoint("failing", failing.url), watcher]
                try await WebhookHub.run(configured: endpoints) { hub in
                    try await hub.publish("event-1")
                    try await hub.publish("event-2")
                    var lines: [String] = []
                    while lines.last != "webhook endpoint is switched off", lines.count < 40 {
                        let line = await hub.log.first {
                            $0.message == "webhook failed"
                                || $0.message == "webhook given up"
                                || $0.message == "webhook endpoint is switched off"
                        }
                        lines.append(try require(line?.message))
                        // Longer than any wait of the schedule.
                        hub.pass(.seconds(30 * 3600))
                    }
                    expectEqual(lines.last, "webhook endpoint is switched off")
                    expectEqual(hub.service.directory["failing"]?.disabledReason, .failing)
                    let request = try await require(told.requests.next(1).first)
                    let body = String(decoding: request.body, as: UTF8.self)
                    expect(body.contains(#""webhook_id":"failing","reason":"failing""#))
                    try await hub.publish("event-3")
                    let rows = try await hub.store.deliveries(of: "failing", limit: 10)
                    expect(!rows.map(\.messageID).contains("event-3"), "nothing is noted for it")
                }
            }
        }
    }

    @Test func receiverThatIsWellAgainGetsWhatWaited() async throws {
        let script = [ScriptedServer.Answer](repeating: .status(503), count: 7) + [.status(200)]
        try await ScriptedServer.run(script: script) { server in
            try await WebhookHub.run(configured: [try endpoint("pager", server.url)]) { hub in
                try await hub.publish("event-1")
                try await hub.publish("event-2")
                for _ in 1...7 {
                    _ = await hub.line("webhook failed")
                    try await hub.passToNextAttempt()
                }
                _ = await hub.line("webhook endpoint is well again")
                let requests = await server.requests.next(9)
                expectEqual(ids(requests).suffix(2), ["event-1", "event-2"])
                expectEqual(hub.service.directory.health(of: "pager"), EndpointHealth())
            }
        }
    }
}
