import Configuration
import ConfigurationTesting
import Core
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

@Suite("Loop: readers of streams about whom the application decides", .timeLimit(.minutes(10)))
struct LoopStreamHooksTests {
    private static let namespaces = [
        Configuration.Namespace("news"),
        Configuration.Namespace("asked") {
            $0.anonymousSubscribe = false
            $0.hooks.subscribe = "app"
        },
    ]

    /// - Parameter asksWhoTheyAre: whether the application is asked about readers without a token.
    private func withHooks(
        _ hooks: ScriptedHooks,
        asksWhoTheyAre: Bool = true,
        requiresToken: Bool = false,
        _ body: (LoopFixture, TestTokens) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(
            {
                $0.hooks.connect = asksWhoTheyAre ? "app" : nil
                $0.requiresToken = requiresToken
            },
            namespaces: Self.namespaces,
            verifier: tokens.verifier,
            shared: HubShared(hooks: hooks)
        ) { hub in
            try await body(hub, tokens)
        }
    }

    private static func answer(
        topics: Set<String> = ["asked:a", "asked:b"],
        _ change: @escaping @Sendable (inout HookConnect) -> Void = { _ in }
    ) -> ScriptedHooks.Answer {
        { question in
            switch question.subject {
            case .connect:
                return .success(
                    .connect {
                        $0.user = "ann"
                        change(&$0)
                    }
                )
            case .subscribe(let topic, _, _) where topics.contains(topic.name):
                return .success(.subscribe())
            default: return .success(.error(.init(code: 1000, message: "members only")))
            }
        }
    }

    /// Requests an event stream, or a WebSocket for CloudEvents.
    private func open(
        _ hub: LoopFixture,
        _ query: String,
        asEvents: Bool = true,
        fields: [String] = []
    ) async throws -> (client: LoopTestClient, response: LoopTestClient.Response) {
        let client = try hub.connect()
        let path = "/events?topics=\(query)"
        if asEvents {
            try await client.send(httpRequest("GET", path, fields))
        } else {
            let offered = "Sec-WebSocket-Protocol: cloudevents.json"
            try await client.send(webSocketRequest(path, fields + [offered]))
        }
        return (client, try await client.receiveHead())
    }

    @Test(arguments: [true, false])
    func applicationDecidesWhoReadsWhat(asEvents: Bool) async throws {
        let hooks = ScriptedHooks(Self.answer { $0.meta = Array("[1]".utf8) })
        try await withHooks(hooks) { hub, _ in
            let fields = ["Cookie: a=1", "X-Other: o"]
            let (client, head) = try await open(
                hub,
                "asked:a,news:n,asked:b",
                asEvents: asEvents,
                fields: fields
            )
            expectEqual(head.status, (asEvents ? 200 : 101))
            let asked = hooks.asked.withLock { $0 }
            expectEqual(asked.map(\.event), [.connect, .subscribe, .subscribe])
            let names = [topic("asked:a"), topic("news:n"), topic("asked:b")]
            expectEqual(asked.first?.subject, .connect(.init(topics: names)))
            expect(asked.allSatisfy { $0.headers == [.init("Cookie", "a=1")] })
            expectEqual(asked.last?.client?.user, "ann")
            expectEqual(asked.last?.client?.meta, Array("[1]".utf8))
            expectEqual(Set(asked.map { $0.client?.id }).count, 1)
            expectEqual(asked.last?.client?.transport, (asEvents ? "uni_sse" : "cloudevents"))
            hub.publish("asked:b", "7")
            if asEvents {
                _ = try await client.receive(through: "\n\n")
                try await expect(client.receive(through: "\n\n").hasSuffix("data: 7\n\n"))
            } else {
                _ = try await client.receiveText()
                try await expect(client.receiveText().contains(#""data":7"#))
            }
        }
    }

    @Test func topicOfTheAnswerNeedsNoQuestion() async throws {
        let hooks = ScriptedHooks(
            Self.answer {
                $0.subscriptions[topic("asked:own")] = TokenSubscription()
                $0.capabilities = [
                    HookCapability(topics: ["asked:x*"], isPattern: true, rights: [.subscribe])
                ]
            }
        )
        try await withHooks(hooks) { hub, _ in
            try await expectEqual(open(hub, "asked:own,asked:x1").response.status, 200)
            expectEqual(hooks.asked.withLock { $0.map(\.event) }, [.connect])
        }
    }

    @Test func readerWithATokenIsAskedAboutItsTopicsOnly() async throws {
        let hooks = ScriptedHooks(Self.answer())
        try await withHooks(hooks, requiresToken: true) { hub, tokens in
            let token = try tokens.connection("42", topics: ["asked:own"])
            try await expectEqual(open(hub, "asked:own,news:n&token=\(token)").response.status, 200)
            expect(hooks.asked.withLock { $0.isEmpty })
            try await expectEqual(
                open(hub, "asked:own,asked:a&token=\(token)").response.status,
                200
            )
            let asked = hooks.asked.withLock { $0 }
            expectEqual(asked.map(\.subject), [.subscribe(topic("asked:a"), token: "", data: nil)])
            expectEqual(asked.first?.client?.user, "42")
        }
    }

    @Test func readerIsOneOfItsUsersConnections() async throws {
        let hooks = ScriptedHooks(Self.answer())
        try await withHooks(hooks) { hub, _ in
            let (client, _) = try await open(hub, "asked:a")
            _ = try await client.receive(through: "\n\n")
            await hub.transport.disconnect(user: "ann")
            // The end of a stream.
            _ = try await client.receive(through: "retry: ")
        }
    }

    @Test func withoutConnectHookReadersAreAnonymous() async throws {
        let hooks = ScriptedHooks(Self.answer())
        try await withHooks(hooks, asksWhoTheyAre: false) { hub, _ in
            try await expectEqual(open(hub, "news:n").response.status, 200)
            expect(hooks.asked.withLock { $0.isEmpty })
            try await expectEqual(open(hub, "asked:a").response.status, 200)
            expectEqual(hooks.asked.withLock { $0.first?.client?.user }, "")
        }
    }

    /// The last of each round is at the bound, and the next one is asked only after an answer to all of them.
    @Test(arguments: [(8, [8]), (9, [8, 1]), (20, [8, 8, 4])])
    func fewTopicsAreAskedAboutAtTheSameTime(count: Int, rounds: [Int]) async throws {
        let hooks = ScriptedHooks { _ in nil }
        try await withHooks(hooks, asksWhoTheyAre: false) { hub, _ in
            let client = try hub.connect()
            let topics = (1...count).map { "asked:\($0)" }.joined(separator: ",")
            try await client.send(httpRequest("GET", "/events?topics=\(topics)", []))
            for round in rounds {
                while hooks.held.withLock({ $0.count }) < round { try await hub.settle() }
                expectEqual(hooks.held.withLock { $0.count }, round)
                for _ in 0..<round {
                    try await hooks.release(.success(.subscribe()), in: hub)
                }
            }
            try await expectEqual(client.receiveHead().status, 200)
            expectEqual(hooks.asked.withLock { $0.count }, count)
        }
    }

    @Test func nothingIsAskedAfterARefusal() async throws {
        let hooks = ScriptedHooks(Self.answer(topics: []))
        try await withHooks(hooks, asksWhoTheyAre: false) { hub, _ in
            let topics = (1...20).map { "asked:\($0)" }.joined(separator: ",")
            let (client, head) = try await open(hub, topics)
            expectEqual(head.status, 403)
            _ = try await client.receive(through: "topic asked:1: members only")
            expectEqual(hooks.asked.withLock { $0.count }, 8)
        }
    }

    // MARK: Refusals

    @Test(arguments: [true, false])
    func refusedTopicIsForbidden(asEvents: Bool) async throws {
        let hooks = ScriptedHooks(Self.answer())
        try await withHooks(hooks) { hub, _ in
            let (client, head) = try await open(hub, "asked:a,asked:z", asEvents: asEvents)
            expectEqual(head.status, 403)
            let body = try await client.receive(through: "members only")
            expect(body.contains("not allowed: topic asked:z: members only"))
        }
    }

    @Test func refusedTopicEndsABrowsersReturn() async throws {
        let hooks = ScriptedHooks(Self.answer())
        try await withHooks(hooks) { hub, _ in
            let (_, head) = try await open(hub, "asked:z", fields: ["Last-Event-ID: 1"])
            expectEqual(head.status, 204)
        }
    }

    struct Refused: Sendable {
        var outcome: HookOutcome
        var status: Int

        init(_ outcome: HookOutcome, _ status: Int) {
            (self.outcome, self.status) = (outcome, status)
        }
    }

    /// What passes is no error for a browser, which would not come back: an empty stream with a pause.
    @Test(arguments: [
        Refused(.success(.error(.init(code: 1, message: "no"))), 401),
        Refused(.success(.disconnect(code: 4501, reason: "no")), 401),
        Refused(.success(.disconnect(code: 3500, reason: "")), 401),
        Refused(.success(.disconnect(code: 4000, reason: "later")), 503),
        Refused(.success(.error(.init(code: 1, message: "no", isTemporary: true))), 503),
        Refused(.failure(.timeout), 503),
    ])
    func refusedReader(refused: Refused) async throws {
        let hooks = ScriptedHooks { _ in refused.outcome }
        try await withHooks(hooks) { hub, _ in
            let (client, head) = try await open(hub, "news:n")
            expectEqual(head.status, refused.status)
            if refused.status == 503 { expectEqual(head.fields["retry-after"], "5") }
            await client.close()
            let accept = ["Accept: text/event-stream"]
            let (browser, returned) = try await open(hub, "news:n", fields: accept)
            expectEqual(returned.status, (refused.status == 503 ? 200 : 401))
            if refused.status == 503 {
                try await expect(browser.receive(through: "\n\n").contains("retry: "))
            }
        }
    }

    @Test func anonymousReaderIsRefusedWhereTokensAreRequired() async throws {
        let hooks = ScriptedHooks(Self.answer { $0.user = "" })
        try await withHooks(hooks, requiresToken: true) { hub, _ in
            try await expectEqual(open(hub, "news:n").response.status, 401)
        }
    }

    // MARK: Time

    @Test func streamEndsWithTheFirstAnswer() async throws {
        let hooks = ScriptedHooks { question in
            switch question.event {
            case .connect: .success(.connect { $0.expiresAt = HubClock.wall + .seconds(3600) })
            default: .success(.subscribe { $0.expiresAt = HubClock.wall })
            }
        }
        try await withHooks(hooks) { hub, _ in
            let (client, _) = try await open(hub, "asked:a")
            _ = try await client.receive(through: "\n\n")
            // The end of a stream.
            _ = try await client.receive(through: "retry: ")
            expectEqual(hooks.asked.withLock { $0.map(\.event) }, [.connect, .subscribe])
        }
    }

    @Test func readerThatGoesWhileItWaitsIsForgotten() async throws {
        let hooks = ScriptedHooks { _ in nil }
        let shared = HubShared(hooks: hooks)
        try await withLoops(
            { $0.hooks.connect = "app" },
            namespaces: Self.namespaces,
            shared: shared
        ) { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/events?topics=news:n", []))
            while hooks.held.withLock({ $0.isEmpty }) { try await hub.settle() }
            await client.close()
            try await hooks.release(.success(.connect { $0.user = "ann" }), in: hub)
            try await hub.wait { shared.clients.userCount == 0 }
            let other = try hub.connect()
            try await other.send(httpRequest("GET", "/events?topics=news:n", []))
            try await hooks.release(.success(.connect { $0.user = "ann" }), in: hub)
            try await expectEqual(other.receiveHead().status, 200)
            expectEqual(shared.clients.userCount, 1)
        }
    }
}
