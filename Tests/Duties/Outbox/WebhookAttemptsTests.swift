import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

@Suite("Webhooks: the attempts of an endpoint", .timeLimit(.minutes(10)))
struct WebhookAttemptsTests {
    private func endpoint(_ url: String) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: "pager",
            url: url,
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(),
            timeout: .seconds(60)
        )
    }

    private func publish(_ id: String, in hub: WebhookHub) async throws {
        let delivery = NewDelivery(
            endpoint: "pager",
            messageID: id,
            eventType: "chat.said",
            subject: id,
            body: Array("{}".utf8),
            createdAt: HubClock.wall,
            topic: Topic(trusted: "chat:room")
        )
        _ = try await hub.store.commit(Change(deliveries: [delivery]))
        hub.service.wake()
    }

    private func attempts(_ hub: WebhookHub, _ query: String = "") async throws
        -> [[String: Any]]
    {
        let page = try await hub.object("GET", "/api/webhooks/pager/attempts" + query)
        return try require(page["attempts"] as? [[String: Any]])
    }

    private func run(
        _ answers: [ScriptedServer.Answer],
        _ body: (WebhookHub) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(script: answers) { server in
            try await WebhookHub.run(configured: [try endpoint(server.url)], body)
        }
    }

    @Test func eachAttemptIsListedWithItsAnswer() async throws {
        let answers: [ScriptedServer.Answer] = [
            .response(ServerResponse(status: 503, text: "too \"busy\"")), .status(204),
        ]
        try await run(answers) { hub in
            try await publish("m1", in: hub)
            _ = await hub.line("webhook failed")
            let first = try await require(attempts(hub).first)
            let keys = [
                "time", "delivery", "type", "topic", "attempt", "duration", "status", "outcome",
                "error", "body", "next",
            ]
            expectEqual(Set(first.keys), Set(keys))
            expectEqual(first["delivery"] as? String, "m1")
            expectEqual(first["type"] as? String, "chat.said")
            expectEqual(first["topic"] as? String, "chat:room")
            expectEqual(first["attempt"] as? Int, 1)
            expectEqual(first["status"] as? Int, 503)
            expectEqual(first["outcome"] as? String, "failed")
            expect(first["error"] is NSNull)
            expectEqual(first["body"] as? String, "too \"busy\"\n")
            let time = (first["time"] as? String).flatMap { Timestamp(iso8601: $0) }
            let next = (first["next"] as? String).flatMap { Timestamp(iso8601: $0) }
            try expect(require(time) < require(next))
            try expect(require(first["duration"] as? Double) > 0)
            hub.pass(.seconds(60))
            _ = await hub.line("webhook delivered")
            let both = try await attempts(hub)
            expectEqual(both.map { $0["attempt"] as? Int }, [2, 1])
            expectEqual(both[0]["outcome"] as? String, "delivered")
            expectEqual(both[0]["status"] as? Int, 204)
            expect(both[0]["body"] is NSNull && both[0]["next"] is NSNull)
            try await expectEqual(attempts(hub, "?limit=1").count, 1)
        }
    }

    @Test func attemptWithoutAnAnswerHasItsError() async throws {
        let url = try await ScriptedServer.run(script: [.status(200)]) { $0.url }
        try await WebhookHub.run(configured: [try endpoint(url)]) { hub in
            try await publish("m1", in: hub)
            _ = await hub.line("webhook failed")
            let attempt = try await require(attempts(hub).first)
            expect(attempt["status"] is NSNull && attempt["body"] is NSNull)
            expectEqual((attempt["error"] as? String)?.hasPrefix("cannot connect: "), true)
        }
    }

    @Test(arguments: [
        (String(repeating: "x", count: 512), 512), (String(repeating: "x", count: 600), 512),
        // The last character would be cut.
        (String(repeating: "x", count: 511) + "å", 511),
        (String(repeating: "x", count: 510) + "å!", 512),
        (String(repeating: "x", count: 509) + "😀", 509),
    ])
    func beginningOfAnAnswerIsKept(text: String, length: Int) async throws {
        let head = HTTPResponseHead(status: 410)
        let answer = ServerResponse(head: head, body: Array(text.utf8))
        try await run([.response(answer)]) { hub in
            try await publish("m1", in: hub)
            _ = await hub.line("webhook endpoint is gone")
            let attempt = try await require(attempts(hub).first)
            expectEqual(attempt["outcome"] as? String, "gone")
            let body = try require(attempt["body"] as? String)
            expectEqual(body.utf8.count, length)
            expect(text.hasPrefix(body))
        }
    }

    @Test func answerThatIsNoTextIsShownWithReplacements() async throws {
        let answer = ServerResponse(
            head: HTTPResponseHead(status: 410),
            body: [0x61, 0xFF, 0, 0xC3]
        )
        try await run([.response(answer)]) { hub in
            try await publish("m1", in: hub)
            _ = await hub.line("webhook endpoint is gone")
            let attempt = try await require(attempts(hub).first)
            expectEqual(attempt["body"] as? String, "a\u{FFFD}\u{0}\u{FFFD}")
        }
    }

    @Test func errorsHaveNoControlCharactersAndABound() {
        expectEqual(NewAttempt.clipped("a\u{0}b\nc\u{85}å"), "a b c å")
        expectEqual(NewAttempt.clipped(String(repeating: "å", count: 201)).count, 200)
    }

    @Test(arguments: ["limit=0", "limit=201", "limit=x", "limit="])
    func otherLimitsAreRefused(query: String) async throws {
        try await WebhookHub.run(configured: [try endpoint("http://127.0.0.1:9")]) {
            hub async throws in
            let response = await hub.send("GET", "/api/webhooks/pager/attempts?\(query)")
            expectEqual(response.head.status, 400)
            try await expect(attempts(hub, "?limit=200").isEmpty)
        }
    }
}
