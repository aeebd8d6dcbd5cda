import ClientWire
import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service
import TokenTesting

@testable import Loops

@Suite("Loop: event streams with an API key", .timeLimit(.minutes(10)))
struct LoopStreamKeysTests {
    private struct OnlyRadars: TopicRules {
        var isOpen = true

        func exists(_ topic: Topic) -> Bool { isOpen && topic.name == "radar:7" }
        func canDecide(about topic: Topic, _ identity: Identity) -> Bool { isOpen }
        func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? { false }
    }

    private static let full = "key-that-reads-everything"
    private static let chat = "key-of-the-namespace-chat"
    private static let writer = "key-that-only-publishes-1"

    private static let namespaces = [
        Configuration.Namespace("news") { $0.presence = true },
        Configuration.Namespace("chat") {
            $0.anonymousSubscribe = false
            $0.subscribe = .nobody
            $0.presence = true
        },
        Configuration.Namespace("radar") { $0.anonymousSubscribe = false },
    ]

    private static let reserved = NamespaceTable([
        "hub": NamespaceSettings(history: HistoryLimit(count: 0, age: nil), isDurable: false)
    ])

    private static func keys(
        _ grants: (key: String, grant: APIKeyGrant)...
    ) throws -> APIKeys {
        APIKeys(scoped: try grants.map { (hash: try APIKeyHash(key: $0.key), grant: $0.grant) })
    }

    private func withHub(
        requiresToken: Bool = false,
        isOpen: Bool = true,
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        shared: HubShared = HubShared(),
        log: RecordedLog = RecordedLog(),
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        try await withLoops(
            { $0.requiresToken = requiresToken },
            namespaces: Self.namespaces,
            topicRules: ["radar": OnlyRadars(isOpen: isOpen)],
            reserved: Self.reserved,
            topicsForKeys: [Topic(trusted: "hub:stats")],
            verifier: verifier,
            apiKeys: try Self.keys(
                (Self.full, APIKeyGrant(name: "all", isReadOnly: true)),
                (Self.chat, APIKeyGrant(name: "chat", methods: ["history"], namespaces: ["chat"])),
                (Self.writer, APIKeyGrant(name: "writer", methods: ["publishing"]))
            ),
            shared: shared,
            logger: log.logger,
            body
        )
    }

    private func open(
        _ hub: LoopFixture,
        _ query: String,
        key: String?,
        _ fields: String...
    ) async throws -> (client: LoopTestClient, head: LoopTestClient.Response) {
        let client = try hub.connect()
        let keyField = key.map { ["X-API-Key: \($0)"] } ?? []
        try await client.send(httpRequest("GET", "/events?topics=\(query)", keyField + fields))
        return (client, try await client.receiveHead())
    }

    private func refusal(
        _ hub: LoopFixture,
        _ query: String,
        _ fields: String...
    ) async throws -> LoopTestClient.Response {
        let client = try hub.connect()
        try await client.send(httpRequest("GET", "/events?topics=\(query)", fields))
        return try await client.receiveResponse()
    }

    // MARK: Reading

    @Test func keyReadsWhatNoClientMay() async throws {
        let shared = HubShared()
        try await withHub(requiresToken: true, shared: shared) { hub in
            let topics = ["chat:a", "news:a", "radar:7", "hub:stats"]
            let query = topics.joined(separator: ",")
            let (client, head) = try await open(hub, query, key: Self.full)
            expectEqual(head.status, 200)
            _ = try await client.receive(through: "\n\n")
            for topic in topics {
                hub.publish(topic, #""\#(topic)""#)
                let event = try await client.receive(through: "\n\n")
                expect(event.hasSuffix("event: \(topic)\ndata: \"\(topic)\"\n\n"))
            }
            expect(shared.presence.withLock { $0.clients(in: Topic(trusted: "news:a")) }.isEmpty)
            expectEqual(shared.clients.userCount, 0)
            await client.close()
            try await hub.wait { await hub.loops[0].subscriptionCount == 0 }
        }
    }

    @Test func keyResumesByACursor() async throws {
        try await withHub { hub in
            hub.publish("chat:a", "1", "2")
            let (client, head) = try await open(hub, "chat:a", key: Self.chat, "Last-Event-ID: 101")
            expectEqual(head.status, 200)
            let text = try await client.receive(through: "data: 2\n\n")
            expect(!text.contains("data: 1"))
            await client.close()
        }
    }

    @Test func keyOpensAReaderOfCloudEvents() async throws {
        try await withHub { hub in
            let client = try hub.connect()
            let fields = [
                "Sec-WebSocket-Protocol: cloudevents.json", "X-API-Key: \(Self.chat)",
            ]
            try await client.send(webSocketRequest("/events?topics=chat:a", fields))
            try await expectEqual(client.receiveHead().status, 101)
            await client.close()
        }
    }

    // MARK: Refusals

    @Test(arguments: [
        (full, "nowhere:a", 404, "no topic nowhere:a"), (full, "radar:8", 404, "no topic radar:8"),
        (full, "hub:webhooks", 404, "no topic hub:webhooks"), (full, "", 400, "topic is empty"),
        (chat, "hub:stats", 404, "no topic hub:stats"),
        (chat, "chat:a,news:a", 403, "the API key chat lacks the scope namespaces: news"),
        (writer, "news:a", 403, "the API key writer lacks the scope methods: history"),
        ("another-key-of-somebody", "news:a", 401, "the API key is not known"),
        ("", "news:a", 401, "found an empty API key, expected one"),
    ])
    func keyIsRefused(key: String, topics: String, status: Int, text: String) async throws {
        try await withHub { hub in
            let response = try await refusal(hub, topics, "X-API-Key: \(key)")
            expectEqual(response.status, status)
            expect(response.body.contains(text), "\(response.body)")
            expect(key.isEmpty || !response.body.contains(key))
            let challenge = status == 401 ? #"apikey realm="server API""# : nil
            expectEqual(response.fields["www-authenticate"], challenge)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    /// A key in the query is no key.
    @Test(arguments: [
        ("chat:a", 403), ("hub:stats", 404), ("chat:a&X-API-Key=\(full)", 403),
        ("chat:a&key=\(full)", 403), ("chat:a&api_key=\(full)", 403),
    ])
    func withoutAKeyItsTopicsAreClosed(query: String, status: Int) async throws {
        try await withHub { hub in
            let response = try await refusal(hub, query)
            expectEqual(response.status, status)
        }
    }

    @Test func keyAndTokenTogetherAreRefused() async throws {
        let tokens = try await TestTokens()
        let token = try tokens.connection("42")
        try await withHub(verifier: tokens.verifier) { hub in
            let key = "X-API-Key: \(Self.full)"
            for response in [
                try await refusal(hub, "news:a", key, "Authorization: Bearer \(token)"),
                try await refusal(hub, "news:a&token=\(token)", key),
            ] {
                expectEqual(response.status, 400)
                expect(response.body.contains("expected an API key or a token, found both"))
            }
            try await expectEqual(open(hub, "news:a&token=", key: Self.full).head.status, 200)
        }
    }

    @Test(arguments: [
        (writer, "chat:a", 403), ("another-key-of-somebody", "chat:a", 401), (full, "radar:8", 204),
        (full, "chat:a", 200), (full, "chat:a,radar:8", 200),
    ])
    func returningReaderWithAKeyIsAnswered(key: String, topics: String, status: Int) async throws {
        try await withHub { hub in
            let (_, head) = try await open(hub, topics, key: key, "Last-Event-ID: 101")
            expectEqual(head.status, status)
        }
    }

    @Test func domainThatCannotDecideIsATemporaryError() async throws {
        try await withHub(isOpen: false) { hub in
            let (_, head) = try await open(hub, "radar:7", key: Self.full)
            expectEqual(head.status, 503)
            let accept = "Accept: text/event-stream"
            let (_, returning) = try await open(hub, "radar:7", key: Self.full, accept)
            expectEqual(returning.status, 200, "an EventSource comes back for it")
        }
    }

    // MARK: Reloads

    private func use(_ update: LoopUpdate, _ hub: LoopFixture) async -> Int {
        await hub.loops[0].perform { $0.use(update) }
    }

    @Test func streamEndsWhenAReloadRemovesItsKeyOrScope() async throws {
        let tokens = try await TestTokens()
        try await withHub(verifier: tokens.verifier) { hub in
            var ending: [LoopTestClient] = []
            var going: [LoopTestClient] = []
            for (topics, key) in [("news:a", Self.full), ("chat:a", Self.chat)] {
                ending.append(try await open(hub, topics, key: key).client)
            }
            going.append(try await open(hub, "hub:stats", key: Self.full).client)
            going.append(try await open(hub, "news:a", key: nil).client)
            for client in ending + going { _ = try await client.receive(through: "\n\n") }
            var update = LoopUpdate(
                settings: .fixture,
                rules: NamespaceRules(
                    Self.namespaces,
                    reserved: Self.reserved.names,
                    topicsForKeys: [Topic(trusted: "hub:stats")]
                ),
                verifier: tokens.verifier
            )
            update.apiKeys = try Self.keys((Self.full, APIKeyGrant(name: "a", methods: ["info"])))
            await expectEqual(use(update, hub), 2)
            for client in ending { try await expect(client.receiveAll().hasPrefix("retry: ")) }
            hub.publish("hub:stats", "1")
            hub.publish("news:a", "1")
            for client in going {
                try await expect(client.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
            }
            try await expectEqual(open(hub, "chat:a", key: Self.chat).head.status, 401)
            try await expectEqual(open(hub, "news:a", key: Self.full).head.status, 403)
            // The same keys change nothing; without any, only the stream without a key continues.
            await expectEqual(use(update, hub), 0)
            update.apiKeys = APIKeys([])
            await expectEqual(use(update, hub), 1)
            try await expect(going[0].receiveAll().hasPrefix("retry: "))
        }
    }

    // MARK: Log

    @Test func logHasTheNameOfTheKeyAndNeverTheKey() async throws {
        let log = RecordedLog()
        try await withHub(log: log) { hub in
            let (client, _) = try await open(hub, "chat:a", key: Self.chat)
            await client.close()
            _ = try await open(hub, "news:a", key: Self.writer)
            try await hub.wait {
                log.lines.withLock { lines in
                    ["client disconnected", "API key refused"].allSatisfy { message in
                        lines.contains { $0.message == message }
                    }
                }
            }
        }
        let lines = log.lines.withLock { $0 }
        for message in ["client connected", "client disconnected"] {
            let line = try require(lines.first { $0.message == message })
            expectEqual(line.fields["key"], "chat")
            expectEqual(line.fields["user"], "")
        }
        let refused = try require(lines.first { $0.message == "API key refused" })
        expectEqual(refused.fields["method"], "GET /events")
        expectEqual(refused.fields["missing"], "methods: history")
        for line in lines {
            expect(!"\(line)".contains(Self.chat))
            expect(!"\(line)".contains(Self.writer))
        }
    }
}
