import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting
import TokenTesting

@testable import Hub

/// A hub with a configuration file that leads from time to time.
private struct LedHub {
    static let apiKey = "the-key-of-a-backend"
    static let otherKey = "the-other-key-of-a-backend"

    let service: HubService
    let source: ConfigurationSource
    let tokens: TestTokens
    private let file: String

    init(in directory: String, _ yaml: String) async throws {
        file = directory + "/varde.yaml"
        try LedHub.write(yaml, key: LedHub.apiKey, to: file)
        source = ConfigurationSource(
            path: file,
            environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
            domains: allDomains.configurations
        )
        service = try await HubService.start(
            try source.load(),
            environment: source.environment,
            logger: silentLogger,
            domains: allDomains,
            leads: false
        )
        tokens = try await TestTokens()
    }

    private static func write(_ yaml: String, key: String, to file: String) throws {
        let text = """
            listen: ["127.0.0.1:0"]
            loops: 2
            drain: {spread: 0s, timeout: 60s}
            tokens: {secrets: ["\(TestTokens.secret)"]}
            api: {keys: [\(key)]}
            """
        try (text + "\n" + yaml + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }

    func reload(_ yaml: String, key: String) async throws -> HubService.ReloadOutcome {
        try LedHub.write(yaml, key: key, to: file)
        return await service.reload(from: source)
    }

    func client() throws -> LoopTestClient {
        try LoopTestClient(port: service.addresses[0].port)
    }

    func connect(_ user: String) async throws -> LoopTestClient {
        let client = try client()
        _ = try await client.connectSession(token: try tokens.connection(user))
        return client
    }

    func ask(
        _ method: String,
        _ target: String,
        key: String? = nil,
        body: String = ""
    ) async throws -> LoopTestClient.Response {
        let client = try client()
        let credentials =
            try key.map { "X-API-Key: \($0)" }
            ?? "Authorization: Bearer \(try tokens.connection("1"))"
        try await client.send(httpRequest(method, target, [credentials], body: body))
        let response = try await client.receiveResponse()
        await client.close()
        return response
    }

    func publish(_ total: Int, key: String = apiKey) async throws {
        let body = #"{"channel":"orders:1","data":{"total":\#(total)}}"#
        let answer = try await ask("POST", "/api/publish", key: key, body: body)
        try require(answer.status == 200 && answer.body.contains("offset"), "\(answer)")
    }
}

@Suite("Hub: leading from time to time", .timeLimit(.minutes(10)))
struct LeadingTests {
    private func withHub(_ yaml: String, _ body: (LedHub) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-leading-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let hub = try await LedHub(in: directory, yaml)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(hub)) } catch { outcome = .failure(error) }
        await expect(hub.service.stop())
        try outcome.get()
    }

    private static let apps = "radar: {refresh_interval: 0s}\nactivity: {}"

    // MARK: Rules that need the state of a domain

    @Test func topicsWhoseRulesNeedTheLeadersStateAreRefusedForAWhile() async throws {
        try await withHub(Self.apps) { hub in
            for _ in 0..<2 {
                let client = try await hub.connect("1")
                for topic in ["radar:7", "watching:2"] {
                    let reply = try await client.subscribe(2, topic)
                    expectEqual(number("code", in: reply), 100, "\(reply)")
                    expect(reply.contains(#""temporary":true"#))
                }
                let history = #"{"id":3,"history":{"channel":"radar:7"}}"#
                try await expectEqual(client.errorCode(history), 100)
                // One's own topics need no friends.
                try await expect(client.subscribe(4, "activity:1").contains(#""subscribe":{"#))
                try await expect(client.subscribe(5, "watching:1").contains(#""subscribe":{"#))
                expectEqual(number("code", in: try await client.subscribe(6, "activity:2")), 102)
                let presence = #"{"channel":"radar:7","data":1}"#
                let answer = try await hub.ask(
                    "POST",
                    "/api/publish",
                    key: LedHub.apiKey,
                    body: presence
                )
                expectEqual(number("code", in: answer.body), 100)
                try await hub.service.lead()
                for topic in ["radar:7", "watching:2"] {
                    expectEqual(number("code", in: try await client.subscribe(7, topic)), 102)
                }
                await hub.service.follow()
                await client.close()
            }
        }
    }

    @Test(arguments: ["/api/ws/radar/7", "/api/ws/radar/7?token=rst_x"])
    func socketOfADomainIsUnavailable(target: String) async throws {
        try await withHub(Self.apps) { hub in
            let client = try hub.client()
            try await client.send(webSocketRequest(target))
            let head = try await client.receiveHead()
            expectEqual(head.status, 503)
            expectEqual(head.fields["retry-after"], "1")
            await client.close()
            let reader = try hub.client()
            try await reader.send(httpRequest("GET", "/events?topics=radar:7"))
            try await expectEqual(reader.receiveHead().status, 503)
            await reader.close()
        }
    }

    /// Changes of the rights do not reach this hub any longer.
    @Test func readersOfARadarAreEndedWhenTheHubEndsToLead() async throws {
        try await withHub(Self.apps) { hub in
            try await hub.service.lead()
            let made = try await hub.ask("POST", "/api/radars", body: #"{"topic":"tea"}"#)
            let id = try require(text("id", in: made.body))
            let client = try await hub.connect("1")
            try await expect(client.subscribe(2, "radar:\(id)").contains(#""subscribe":{"#))
            try await expect(client.subscribe(3, "watching:1").contains(#""subscribe":{"#))
            let socket = try hub.client()
            let token = "Authorization: Bearer \(try hub.tokens.connection("1"))"
            try await socket.send(webSocketRequest("/api/ws/radar/\(id)", [token]))
            try await require(socket.receiveHead().status == 101)
            _ = try await socket.receiveText()
            await hub.service.follow()
            let push = try await client.receiveText()
            expect(push.contains(#""unsubscribe":{"code":2500"#), "\(push)")
            try await expectEqual(socket.receiveClose().code, 1013)
            expectEqual(number("code", in: try await client.subscribe(4, "radar:\(id)")), 100)
            // The hub leads again, with the radars of the store.
            try await hub.service.lead()
            let again = try await client.subscribe(5, "radar:\(id)")
            expect(again.contains(#""subscribe":{"#))
            try await expectEqual(hub.ask("DELETE", "/api/radars/\(id)").status, 200)
            try await expect(client.receiveText().contains(#""code":2001"#))
        }
    }

    @Test func accountsOfTheHubAreWithTheLeader() async throws {
        try await withHub("accounts: {}") { hub in
            for method in ["GET", "DELETE"] {
                try await expectEqual(hub.ask(method, "/users/me").status, 503)
            }
            try await hub.service.lead()
            try await expectEqual(hub.ask("GET", "/users/me").status, 401)
        }
    }

    @Test func everyDomainLeadsTwice() async throws {
        // Its upstreams are not reachable.
        let yaml = """
            development: true
            radar: {sources: [{name: made-up, kind: sample}]}
            activity: {}
            aurora:
              user_agent: tests/1 a@b.example
              swpc_url: "http://127.0.0.1:9"
              metno_url: "http://127.0.0.1:9"
            news: {}
            """
        try await withHub(yaml) { hub in
            let paths = [
                "/api/radars", "/movies/search", "/v1/feed", "/api/alerts/rules", "/users/me",
                "/api/feeds", "/api/aurora/now",
            ]
            for _ in 0..<2 {
                for path in paths {
                    try await expectEqual(hub.ask("GET", path).status, 503, "\(path)")
                }
                try await expectEqual(hub.ask("POST", "/auth/login").status, 503)
                try await hub.service.lead()
                for path in paths.dropLast() {
                    let status = try await hub.ask("GET", path).status
                    expect(status != 503 && status != 404, "\(path) \(status)")
                }
                try await expectEqual(hub.ask("POST", "/auth/login").status, 400)
                // No metric is there twice.
                _ = try Exposition(try await hub.ask("GET", "/metrics").body)
                await hub.service.follow()
            }
        }
    }

    /// The catalogue cannot be read, which is found when the domains are prepared.
    @Test func hubThatCannotLeadGoesOnWithoutAndTriesAgain() async throws {
        let catalogue = NSTemporaryDirectory() + "varde-\(UUID().uuidString).json"
        try await withHub("radar: {}\nactivity: {catalogue: \(catalogue)}") { hub in
            await #expect(throws: (any Error).self) { try await hub.service.lead() }
            expect(!hub.service.isLeading)
            try await expectEqual(hub.ask("GET", "/api/radars").status, 503)
            let client = try await hub.connect("1")
            expectEqual(number("code", in: try await client.subscribe(2, "radar:7")), 100)
            let films = #"{"films":[{"id":"a","title":"A"}]}"#
            try Data(films.utf8).write(to: URL(filePath: catalogue))
            defer { try? FileManager.default.removeItem(atPath: catalogue) }
            try await hub.service.lead()
            try await expectEqual(hub.ask("GET", "/api/radars").status, 200)
            expectEqual(number("code", in: try await client.subscribe(3, "radar:7")), 102)
        }
    }

    @Test func everyRouteOfALeaderIsBelowAPrefix() async throws {
        try await EveryDomain.run { hub, parts in
            let prefixes = LeaderParts.prefixes(hub, parts.node).flatMap(\.paths)
            let all = Set(parts.routes(hub, access: .none).all)
            let others = Set(parts.with(nil).routes(hub, access: .none).all)
            expect(others.count >= 7)
            expect(others.isSubset(of: all))
            func isBelow(_ pattern: String) -> Bool {
                prefixes.contains { pattern == $0 || pattern.hasPrefix($0 + "/") }
            }
            expectEqual(all.subtracting(others).filter { !isBelow($0.pattern) }, [])
            expectEqual(others.filter { isBelow($0.pattern) }, [])
        }
    }

    // MARK: Alert rules

    private static let orders = """
        namespaces: [{name: orders, subscribe: users}]
        alerts: [{name: large, topics: "orders:*", when: "total >= 100"}]
        """

    /// Every publication crosses the threshold. Some are committed while the hub begins to lead.
    @Test func everyPublicationIsEvaluatedOnceWhicheverStateItIsCommittedIn() async throws {
        try await withHub(Self.orders) { hub in
            let reader = try await hub.connect("1")
            _ = try await reader.subscribe(2, "orders:1:alerts")
            var count = 0
            func publish() async throws {
                try await hub.publish(count.isMultiple(of: 2) ? 150 : 1)
                count += 1
            }
            // Before the first leader, there was no rule.
            try await hub.publish(1)
            for _ in 0..<4 {
                let leading = Task { try await hub.service.lead() }
                if count > 0 { for _ in 0..<10 { try await publish() } }
                try await leading.value
                for _ in 0..<3 { try await publish() }
                await hub.service.follow()
                for _ in 0..<3 { try await publish() }
            }
            try await hub.service.lead()
            for index in 0..<count {
                let alert = try await reader.receiveText()
                let type = index.isMultiple(of: 2) ? "raised" : "cleared"
                expect(alert.contains(".alert.\(type)"), "\(index): \(alert)")
            }
        }
    }

    // MARK: Reload

    @Test func configurationIsReloadedInBothStates() async throws {
        let more = Self.orders.replacing("[{name: orders", with: "[{name: chat}, {name: orders")
        try await withHub(Self.orders) { hub in
            let first = try await hub.reload(more, key: LedHub.otherKey)
            expectEqual(first, .reloaded(["api.keys", "namespaces[chat]"]))
            expect(!hub.service.isLeading)
            try await expectEqual(hub.ask("POST", "/api/info", key: LedHub.apiKey).status, 401)
            try await hub.service.lead()
            let rule = #"{"name":"a","topics":"chat:1","when":"total > 1"}"#
            let key = LedHub.otherKey
            let made = try await hub.ask("POST", "/api/alerts/rules", key: key, body: rule)
            expectEqual(made.status, 201)
            let second = try await hub.reload(Self.orders, key: LedHub.apiKey)
            expectEqual(second, .reloaded(["api.keys", "namespaces[chat]"]))
            expect(hub.service.isLeading)
            let list = try await hub.ask("GET", "/api/alerts/rules", key: LedHub.apiKey)
            expectEqual(list.status, 200)
            await hub.service.follow()
            try await expectEqual(hub.reload(Self.orders, key: LedHub.apiKey), .reloaded([]))
            try await expectEqual(hub.ask("GET", "/api/alerts/rules", key: key).status, 503)
        }
    }
}
