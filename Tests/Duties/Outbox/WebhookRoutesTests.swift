import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

@Suite("/api/webhooks", .timeLimit(.minutes(10)))
struct WebhookRoutesTests {
    private func code(_ response: ServerResponse) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(response.body))
        return (object as? [String: Any])?["code"] as? String
    }

    private func verify(_ request: ServerRequest, _ secret: String) throws {
        let headers = request.head.headers
        try verifyWebhook(
            id: headers.first("webhook-id") ?? "",
            timestamp: headers.first("webhook-timestamp") ?? "",
            signatures: headers.first("webhook-signature") ?? "",
            body: request.body,
            secrets: [try WebhookSecret(secret)],
            now: HubClock.wall
        )
    }

    // MARK: Making one

    @Test func webhookIsMadeVerifiedAndServed() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await WebhookHub.run { hub in
                let made = try await hub.object(
                    "POST",
                    "/api/webhooks",
                    #"{"url":"\#(server.url)/in","types":["aurora.*"],"severities":["info"]}"#
                )
                let id = try require(made["id"] as? String)
                let secret = try require(made["secret"] as? String)
                expectEqual(made["status"] as? String, "pending")
                expectEqual(made["types"] as? [String], ["aurora.*"])
                expectEqual(made["severities"] as? [String], ["info"])
                // Before it is verified nothing else is meant for it.
                let request = try await require(server.requests.next(1).first)
                try verify(request, secret)
                let body = String(decoding: request.body, as: UTF8.self)
                expect(body.contains(#""type":"webhook.verification""#))
                expect(body.contains(id))
                _ = await hub.line("webhook delivered")
                let shown = try await hub.object("GET", "/api/webhooks/\(id)")
                expectEqual(shown["status"] as? String, "active")
                expectNil(shown["secret"], "shown once")
                try await hub.publish("event-1")
                let event = try await require(server.requests.next(1).first)
                expectEqual(event.head.headers.first("webhook-id"), "event-1")
                try verify(event, secret)
            }
        }
    }

    @Test func webhookThatHasNotAnsweredGetsNoEvents() async throws {
        try await ScriptedServer.run(script: [.status(404)]) { server in
            try await WebhookHub.run { hub in
                _ = try await hub.object("POST", "/api/webhooks", #"{"url":"\#(server.url)"}"#)
                _ = await hub.line("webhook failed")
                try await hub.publish("event-1")
                let counts = try await hub.store.deliveryCounts()
                expectEqual(counts.pending, 1, "the verification alone")
            }
        }
    }

    @Test func webhookThatNeverAnswersTheVerificationIsSwitchedOff() async throws {
        try await ScriptedServer.run(script: [.status(404)]) { server in
            try await WebhookHub.run { hub in
                let made = try await hub.object(
                    "POST",
                    "/api/webhooks",
                    #"{"url":"\#(server.url)"}"#
                )
                let id = try require(made["id"] as? String)
                for _ in 1..<10 {
                    _ = await hub.line("webhook failed")
                    try await hub.passToNextAttempt()
                }
                _ = await hub.line("webhook given up")
                let shown = try await hub.object("GET", "/api/webhooks/\(id)")
                expectEqual(shown["status"] as? String, "disabled")
                expectEqual(shown["reason"] as? String, "unverified")
                let again = try await hub.object("POST", "/api/webhooks/\(id)/resume")
                expectEqual(again["status"] as? String, "pending", "it is asked once more")
            }
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/", "URL_NOT_ALLOWED"), ("http://[::1]/", "URL_NOT_ALLOWED"),
        ("http://169.254.169.254/latest", "URL_NOT_ALLOWED"),
        ("https://example.org:22/", "URL_NOT_ALLOWED"),
        ("https://[::ffff:10.0.0.1]/", "URL_NOT_ALLOWED"),
        ("http://2130706433/", "INVALID_REQUEST"), ("ftp://example.org/", "INVALID_REQUEST"),
        ("http://user@example.org/", "INVALID_REQUEST"), ("", "INVALID_REQUEST"),
    ])
    func urlThatIsNotCalledIsRefusedAtOnce(url: String, expected: String) async throws {
        try await WebhookHub.run(allowing: [], ports: []) { hub in
            let response = await hub.send("POST", "/api/webhooks", #"{"url":"\#(url)"}"#)
            expectEqual(response.head.status, 400)
            expectEqual(code(response), expected)
            expect(hub.service.directory.all.isEmpty)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"url":1}"#, #"{"url":"https://example.org/","types":"a"}"#,
        #"{"url":"https://example.org/","types":[1]}"#,
        #"{"url":"https://example.org/","types":["a*b"]}"#,
        #"{"url":"https://example.org/","severities":["grave"]}"#,
    ])
    func bodyThatMakesNoWebhookIsRefused(body: String) async throws {
        try await WebhookHub.run { hub in
            let response = await hub.send("POST", "/api/webhooks", body)
            expectEqual(response.head.status, 400)
            expectEqual(code(response), "INVALID_REQUEST")
        }
    }

    @Test func numberOfWebhooksIsLimited() async throws {
        try await WebhookHub.run(
            limits: .init(subscriptionsMax: 1),
            resolver: ScriptedResolver([:])
        ) { hub in
            let body = #"{"url":"https://example.invalid/"}"#
            await expectEqual(hub.send("POST", "/api/webhooks", body).head.status, 201)
            let second = await hub.send("POST", "/api/webhooks", body)
            expectEqual(second.head.status, 409)
            expectEqual(code(second), "TOO_MANY_WEBHOOKS")
        }
    }

    @Test(arguments: [nil, "", "wrong"])
    func withoutAKeyNothingIsTold(key: String?) async throws {
        try await WebhookHub.run { hub in
            for (method, path) in [
                ("GET", ""), ("POST", ""), ("GET", "/a"), ("PATCH", "/a"), ("DELETE", "/a"),
                ("POST", "/a/test"), ("POST", "/a/rotate"), ("POST", "/a/pause"),
                ("POST", "/a/resume"), ("POST", "/a/replay"), ("GET", "/a/deliveries"),
                ("GET", "/a/attempts"),
                ("POST", "/a/deliveries/1/retry"),
            ] {
                let response = await hub.send(method, "/api/webhooks" + path, "{}", key: key)
                expectEqual(response.head.status, 401, "\(method) \(path)")
                expectEqual(code(response), "UNAUTHORIZED")
            }
        }
    }

    @Test func unknownWebhookIsNotFound() async throws {
        try await WebhookHub.run { hub in
            for (method, path) in [
                ("GET", "/a"), ("PATCH", "/a"), ("DELETE", "/a"), ("POST", "/a/test"),
                ("POST", "/a/rotate"), ("POST", "/a/pause"), ("POST", "/a/resume"),
                ("GET", "/a/deliveries"), ("GET", "/a/attempts"), ("POST", "/a/deliveries/1/retry"),
            ] {
                let response = await hub.send(method, "/api/webhooks" + path, "{}")
                expectEqual(response.head.status, 404, "\(method) \(path)")
                expectEqual(code(response), "WEBHOOK_NOT_FOUND")
            }
        }
    }

    // MARK: Changing one

    @Test func filterIsChangedAndWhatIsLeftOutStays() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await WebhookHub.run { hub in
                let (id, _) = try await hub.verified(server.url, #","types":["radar.*"]"#)
                let changed = try await hub.object(
                    "PATCH",
                    "/api/webhooks/\(id)",
                    #"{"topics":["aurora:*"]}"#
                )
                expectEqual(changed["types"] as? [String], ["radar.*"])
                expectEqual(changed["topics"] as? [String], ["aurora:*"])
                let moved = await hub.send(
                    "PATCH",
                    "/api/webhooks/\(id)",
                    #"{"url":"https://example.org/"}"#
                )
                expectEqual(moved.head.status, 400)
            }
        }
    }

    @Test func rotationSignsWithBothSecrets() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await WebhookHub.run { hub in
                let (id, former) = try await hub.verified(server.url)
                let rotated = try await hub.object("POST", "/api/webhooks/\(id)/rotate")
                let latter = try require(rotated["secret"] as? String)
                expect(latter != former)
                _ = try await hub.object("POST", "/api/webhooks/\(id)/test")
                let request = try await require(server.requests.next(2).last)
                try verify(request, former)
                try verify(request, latter)
                let publicKey = try require(rotated["public_key"] as? String)
                let signatures = request.head.headers.first("webhook-signature")?.split(
                    separator: " "
                )
                expectEqual(
                    signatures?.map { $0.prefix { $0 != "," } },
                    ["v1", "v1", "v1a", "v1a"]
                )
                let message =
                    ["webhook-id", "webhook-timestamp"].compactMap {
                        request.head.headers.first($0)
                    }.joined(separator: ".") + "." + String(decoding: request.body, as: UTF8.self)
                let isSigned = try require(signatures).filter { $0.hasPrefix("v1a,") }.contains {
                    isEd25519Signature(
                        bytes(base64: $0.dropFirst(4)) ?? [],
                        of: Array(message.utf8),
                        publicKey: bytes(base64: publicKey.dropFirst(5)) ?? []
                    )
                }
                expect(isSigned)
                let endpoint = try require(hub.service.directory[id])
                let end = HubClock.wall + WebhookService.rotation
                expectEqual(endpoint.secrets(now: end).map(\.revealed), [latter])
                expectEqual(endpoint.signingKeys(now: end).count, 1)
            }
        }
    }

    @Test func pausedWebhookGetsWhatWaitedWhenItGoesOn() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await WebhookHub.run { hub in
                let (id, _) = try await hub.verified(server.url)
                let paused = try await hub.object("POST", "/api/webhooks/\(id)/pause")
                expectEqual(paused["status"] as? String, "paused")
                try await hub.publish("event-1")
                let test = await hub.send("POST", "/api/webhooks/\(id)/test")
                expectEqual(code(test), "WRONG_STATUS")
                try await expectEqual(hub.store.deliveryCounts().pending, 1)
                _ = try await hub.object("POST", "/api/webhooks/\(id)/resume")
                let request = try await require(server.requests.next(2).last)
                expectEqual(request.head.headers.first("webhook-id"), "event-1")
            }
        }
    }

    @Test func deletedWebhookIsGoneWithItsDeliveries() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await withTemporaryStore { store in
                try await WebhookHub.run(store: store) { hub in
                    let (id, _) = try await hub.verified(server.url)
                    await expectEqual(hub.send("DELETE", "/api/webhooks/\(id)").head.status, 200)
                    await expectEqual(hub.send("GET", "/api/webhooks/\(id)").head.status, 404)
                    try await expect(store.deliveries(of: id, limit: 10).isEmpty)
                }
                try await WebhookHub.run(store: store) { hub in
                    expect(hub.service.directory.all.isEmpty)
                }
            }
        }
    }

    @Test func webhooksAndTheirStandingSurviveARestart() async throws {
        try await ScriptedServer.run(script: [.status(200), .status(410)]) { server in
            try await withTemporaryStore { store in
                var made: (id: String, secret: String)?
                try await WebhookHub.run(store: store) { hub in
                    made = try await hub.verified(server.url, #","types":["aurora.*"]"#)
                    try await hub.publish("event-1")
                    _ = await hub.line("webhook endpoint is gone")
                }
                try await WebhookHub.run(store: store) { hub in
                    let endpoint = try require(hub.service.directory.all.first)
                    expectEqual(endpoint.name, made?.id)
                    expectEqual(endpoint.secrets.map(\.revealed), [made?.secret])
                    expectEqual(endpoint.filter.types, ["aurora.*"])
                    expectEqual(endpoint.status, .disabled)
                    expectEqual(endpoint.disabledReason, .gone)
                }
            }
        }
    }

    // MARK: Those of the configuration

    @Test func configuredWebhookIsShownWithoutItsPathAndIsReadOnly() async throws {
        let endpoint = WebhookEndpoint(
            name: "pager",
            url: "https://example.org/t/credential",
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(),
            timeout: .seconds(1)
        )
        try await WebhookHub.run(configured: [endpoint]) { hub in
            let list = try await hub.object("GET", "/api/webhooks")
            let first = (list["webhooks"] as? [[String: Any]])?.first
            expectEqual(first?["id"] as? String, "pager")
            expectEqual(first?["url"] as? String, "https://example.org")
            expectEqual(first?["source"] as? String, "configuration")
            for (method, path) in [("PATCH", ""), ("DELETE", ""), ("POST", "/rotate")] {
                let response = await hub.send(method, "/api/webhooks/pager" + path, "{}")
                expectEqual(code(response), "READ_ONLY", "\(method) \(path)")
            }
            let paused = try await hub.object("POST", "/api/webhooks/pager/pause")
            expectEqual(paused["status"] as? String, "paused")
        }
    }

    // MARK: Deliveries

    @Test func deliveriesAreListedInPagesAndSentAgain() async throws {
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await WebhookHub.run { hub in
                let (id, _) = try await hub.verified(server.url)
                let before = HubClock.wall
                for number in 1...3 { try await hub.publish("event-\(number)") }
                for _ in 1...3 { _ = await hub.line("webhook delivered") }
                let path = "/api/webhooks/\(id)/deliveries"
                let page = try await hub.object("GET", path + "?limit=2")
                let rows = try require(page["deliveries"] as? [[String: Any]])
                expectEqual(rows.map { $0["message_id"] as? String }, ["event-3", "event-2"])
                expectEqual(rows.map { $0["status"] as? String }, ["delivered", "delivered"])
                expectEqual(rows.map { $0["last_status"] as? Int }, [200, 200])
                let last = try require(rows.last?["id"] as? Int)
                let next = try await hub.object("GET", path + "?limit=1&before=\(last)")
                let nextRows = next["deliveries"] as? [[String: Any]]
                expectEqual(nextRows?.first?["message_id"] as? String, "event-1")
                _ = await server.requests.next(4)

                _ = try await hub.object("POST", path + "/\(last)/retry")
                await expectEqual(ids(server, 1), ["event-2"])
                let from = before.iso8601
                let range = #"{"from":"\#(from)","to":"2999-01-01T00:00:00Z"}"#
                _ = await hub.line("webhook delivered")
                let replay = try await hub.object("POST", "/api/webhooks/\(id)/replay", range)
                expectEqual(replay["messages"] as? Int, 3)
                await expectEqual(ids(server, 3), ["event-1", "event-2", "event-3"])
            }
        }
    }

    private func ids(_ server: ScriptedServer, _ count: Int) async -> [String?] {
        await server.requests.next(count).map { $0.head.headers.first("webhook-id") }
    }

    @Test(arguments: ["limit=0", "limit=101", "limit=a", "before=0", "before=x"])
    func pageThatIsNoneIsRefused(query: String) async throws {
        try await WebhookHub.run(resolver: ScriptedResolver([:])) { hub in
            let body = #"{"url":"https://example.invalid/"}"#
            let made = try await hub.object("POST", "/api/webhooks", body)
            let id = try require(made["id"] as? String)
            let response = await hub.send("GET", "/api/webhooks/\(id)/deliveries?\(query)")
            expectEqual(response.head.status, 400)
        }
    }
}
