import Configuration
import ConfigurationTesting
import Core
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

@Suite("Loop: commands about which the application decides", .timeLimit(.minutes(10)))
struct LoopHooksTests {
    /// `asked`: the hook alone decides; `both`: users, and the hook; `news`: no hook.
    private static let namespaces = [
        Configuration.Namespace("news") { $0.publish = .anyone },
        Configuration.Namespace("asked") {
            $0.anonymousSubscribe = false
            $0.hooks.subscribe = "app"
            $0.hooks.publish = "app"
            $0.hooks.subRefresh = "app"
            $0.presence = true
        },
        Configuration.Namespace("both") {
            $0.anonymousSubscribe = false
            $0.subscribe = .users
            $0.publish = .subscribers
            $0.hooks.subscribe = "app"
            $0.hooks.publish = "app"
        },
    ]

    private func withHooks(
        _ hooks: ScriptedHooks,
        _ change: (inout LoopSettings) -> Void = { _ in },
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        try await withLoops(
            {
                $0.hooks.connect = "app"
                $0.hooks.refresh = "app"
                $0.hooks.methods = ["orders.*": "app", "sum": "app"]
                change(&$0)
            },
            namespaces: Self.namespaces,
            verifier: verifier,
            shared: HubShared(hooks: hooks),
            body
        )
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let ann: ScriptedHooks.Answer = { question in
        switch question.event {
        case .connect: .success(.connect { $0.user = "ann" })
        case .subscribe: .success(.subscribe())
        case .publish: .success(.publish())
        case .rpc: .success(.rpc(nil))
        case .refresh, .subRefresh: .success(.refresh())
        case .cacheEmpty: nil
        }
    }

    private func connected(
        _ hub: LoopFixture,
        fields: [String] = []
    ) async throws -> LoopTestClient {
        let client = try hub.connect()
        try await client.send(webSocketRequest("/connection/websocket", fields))
        _ = try await client.receiveHead()
        let reply = try await client.command(#"{"id":1,"connect":{}}"#)
        expect(reply.contains(#""connect":{"client""#), "\(reply)")
        return client
    }

    // MARK: Connect

    @Test func applicationSaysWhoAClientIs() async throws {
        let hooks = ScriptedHooks { _ in
            .success(
                .connect {
                    $0.user = "ann"
                    $0.info = Self.bytes(#"{"name":"Ann"}"#)
                    $0.data = Self.bytes("[7]")
                    $0.meta = Self.bytes(#"{"plan":"pro"}"#)
                    $0.subscriptions[topic("asked:own")] = TokenSubscription()
                }
            )
        }
        try await withHooks(hooks) { hub in
            let client = try hub.connect()
            let fields = ["Cookie: a=1", "X-Tenant: t", "X-Other: o"]
            try await client.send(webSocketRequest("/connection/websocket", fields))
            _ = try await client.receiveHead()
            let connect = #"{"id":1,"connect":{"data":{"k":1},"name":"js","version":"5"}}"#
            let reply = try await client.command(connect)
            expect(reply.contains(#""data":[7]"#), "\(reply)")
            expect(reply.contains(#""subs":{"asked:own":{"#), "\(reply)")
            expect(!reply.contains("expires"), "\(reply)")
            let question = try require(hooks.asked.withLock { $0.first })
            expectEqual(question.headers, [.init("Cookie", "a=1"), .init("X-Tenant", "t")])
            expectEqual(
                question.subject,
                .connect(.init(name: "js", version: "5", data: Self.bytes(#"{"k":1}"#)))
            )
            expectEqual(question.client?.transport, "websocket")
            hooks.setAnswer(Self.ann)
            // Later questions have what the application said.
            _ = try await client.command(#"{"id":2,"rpc":{"method":"sum"}}"#)
            let later = try require(hooks.asked.withLock { $0.last?.client })
            expectEqual(later.user, "ann")
            expectEqual(later.meta, Self.bytes(#"{"plan":"pro"}"#))
            let id = try require(text("client", in: reply))
            let presence = try await client.command(
                #"{"id":3,"presence":{"channel":"asked:own"}}"#
            )
            let info = #"{"user":"ann","client":"\#(id)","conn_info":{"name":"Ann"}}"#
            expect(presence.contains(info), "\(presence)")
        }
    }

    @Test func refusedClientMayTryAgainOrNot() async throws {
        let hooks = ScriptedHooks { _ in
            .success(.error(.init(code: 1000, message: "later", isTemporary: true)))
        }
        try await withHooks(hooks) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(
                #"{"id":1,"connect":{}}"# + "\n" + #"{"id":2,"subscribe":{"channel":"news:a"}}"#
            )
            let error = #""error":{"code":1000,"message":"later","temporary":true}"#
            expectEqual(reply, #"{"id":1,\#(error)}"#)
            try await expectEqual(client.receiveText(), #"{"id":2,\#(error)}"#)
            hooks.setAnswer { _ in .success(.disconnect(code: 4500, reason: "banned")) }
            try await client.sendText(#"{"id":3,"connect":{}}"#)
            let close = try await client.receiveClose()
            expectEqual(close.code, 4500)
            expectEqual(close.reason, "banned")
        }
    }

    @Test func commandsThatComeAlongWithConnectAreAskedAboutByThemselves() async throws {
        let hooks = ScriptedHooks { question in
            question.event == .connect
                ? Self.ann(question) : .success(.error(.init(code: 7, message: "no")))
        }
        try await withHooks(hooks) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let commands = [
                #"{"id":1,"connect":{}}"#, #"{"id":2,"subscribe":{"channel":"asked:a"}}"#,
                #"{"id":3,"publish":{"channel":"asked:a","data":1}}"#,
                #"{"id":4,"rpc":{"method":"sum"}}"#,
            ]
            let reply = try await client.command(commands.joined(separator: "\n"))
            expect(reply.contains(#""connect":{"client""#), "\(reply)")
            for id in 2...4 {
                let reply = try await client.receiveText()
                expect(reply.hasPrefix(#"{"id":\#(id),"error":{"code":7,"#), "\(reply)")
            }
            expectEqual(
                hooks.asked.withLock { $0.map(\.event) },
                [.connect, .subscribe, .publish, .rpc]
            )
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test(arguments: [
        HookFault.timeout, .connection("x"), .status(500), .body("x"), .tooMany, .breakerOpen,
    ])
    func missingAnswerIsATemporaryError(fault: HookFault) async throws {
        let hooks = ScriptedHooks { $0.event == .connect ? .failure(fault) : nil }
        try await withHooks(hooks) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(#"{"id":1,"connect":{}}"#)
            expect(reply.contains(#""code":100,"#) && reply.contains(#""temporary":true"#))
            hooks.setAnswer(Self.ann)
            let again = try await client.command(#"{"id":2,"connect":{}}"#)
            expect(again.contains(#""connect":{"client""#))
            hooks.setAnswer { _ in .failure(fault) }
            for command in [
                #""subscribe":{"channel":"asked:a"}"#, #""rpc":{"method":"sum"}"#,
                #""publish":{"channel":"asked:a","data":1}"#,
            ] {
                let reply = try await client.command(#"{"id":3,\#(command)}"#)
                expect(reply.contains(#""code":100,"#) && reply.contains(#""temporary":true"#))
            }
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func clientWithATokenIsNotAskedAbout() async throws {
        let tokens = try await TestTokens()
        let hooks = ScriptedHooks { _ in nil }
        try await withHooks(hooks, { $0.requiresToken = true }, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            expect(hooks.asked.withLock { $0.isEmpty })
        }
    }

    @Test func anonymousAnswerIsNoTokenWhereOneIsRequired() async throws {
        let hooks = ScriptedHooks { _ in .success(.connect()) }
        try await withHooks(hooks, { $0.requiresToken = true }) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(#"{"id":1,"connect":{}}"#)
            expectEqual(number("code", in: reply), 101)
            hooks.setAnswer(Self.ann)
            try await expect(client.command(#"{"id":2,"connect":{}}"#).contains(#""client""#))
        }
    }

    @Test func clientIsAskedAboutOnlySoOftenOnOneConnection() async throws {
        let hooks = ScriptedHooks { _ in .failure(.timeout) }
        try await withHooks(hooks) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            for id in 1...8 {
                let reply = try await client.command(#"{"id":\#(id),"connect":{}}"#)
                expectEqual(number("code", in: reply), 100)
            }
            try await client.sendText(#"{"id":9,"connect":{}}"#)
            try await expectEqual(client.receiveClose().code, 3013)
            expectEqual(hooks.asked.withLock { $0.count }, 8)
        }
    }

    // MARK: Time

    @Test func applicationIsAskedAgainWhenTheTimeOfASubscriptionHasCome() async throws {
        let hooks = ScriptedHooks { question in
            switch question.event {
            case .subscribe: .success(.subscribe { $0.expiresAt = HubClock.wall + .seconds(1) })
            case .subRefresh: nil
            default: Self.ann(question)
            }
        }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await expect(client.subscribe(2, "asked:a").contains(#""subscribe":{"#))
            // It may stay, until the next answer.
            try await hooks.release(
                .success(.refresh { $0.expiresAt = HubClock.wall + .seconds(1) }),
                in: hub
            )
            while hooks.held.withLock({ $0.isEmpty }) { try await hub.settle() }
            await expectEqual(hub.loops[0].subscriptionCount, 1)
            try await hooks.release(.success(.refresh { $0.hasExpired = true }), in: hub)
            expectEqual(number("code", in: try await client.receiveText()), 2501)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
            expectEqual(hooks.asked.withLock { $0.filter { $0.event == .subRefresh }.count }, 2)
        }
    }

    @Test func timeThatIsFarAwayNeverComes() async throws {
        let end = Timestamp(iso8601: "9999-12-31T23:59:59Z")
        let hooks = ScriptedHooks { question in
            switch question.event {
            case .connect: .success(.connect { $0.expiresAt = end })
            case .subscribe: .success(.subscribe { $0.expiresAt = end })
            default: nil
            }
        }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await expect(client.subscribe(2, "asked:a").contains(#""subscribe":{"#))
            hub.publish("asked:a", "1")
            try await expect(client.receiveText().contains(#""data":1"#))
        }
    }

    @Test func lateAnswerIsNotAboutALaterSubscription() async throws {
        let hooks = ScriptedHooks { question in
            switch question.event {
            case .subscribe: .success(.subscribe { $0.expiresAt = HubClock.wall + .seconds(1) })
            case .subRefresh: nil
            default: Self.ann(question)
            }
        }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            _ = try await client.subscribe(2, "asked:a")
            while hooks.held.withLock({ $0.isEmpty }) { try await hub.settle() }
            _ = try await client.command(#"{"id":3,"unsubscribe":{"channel":"asked:a"}}"#)
            hooks.setAnswer(Self.ann)
            _ = try await client.subscribe(4, "asked:a")
            try await hooks.release(.success(.refresh { $0.hasExpired = true }), in: hub)
            try await hub.settle()
            await expectEqual(hub.loops[0].subscriptionCount, 1)
        }
    }

    // MARK: Subscribe

    @Test func applicationAllowsASubscriptionWithItsOptions() async throws {
        let hooks = ScriptedHooks(Self.ann)
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            hooks.setAnswer { _ in
                .success(
                    .subscribe {
                        $0.subscription.data = Self.bytes(#"{"hello":1}"#)
                        $0.subscription.info = Self.bytes(#""member""#)
                    }
                )
            }
            let reply = try await client.subscribe(
                2,
                "asked:a",
                #","token":"unknown","data":{"k":2}"#
            )
            expect(reply.contains(#""data":{"hello":1}"#), "\(reply)")
            let question = try require(hooks.asked.withLock { $0.last })
            let data = Self.bytes(#"{"k":2}"#)
            expectEqual(
                question.subject,
                .subscribe(topic("asked:a"), token: "unknown", data: data)
            )
            let presence = try await client.command(#"{"id":3,"presence":{"channel":"asked:a"}}"#)
            expect(presence.contains(#""chan_info":"member""#), "\(presence)")
            hub.publish("asked:a", "1")
            try await expect(client.receiveText().contains(#""data":1"#))
            // Once more: an error, and no question.
            let count = hooks.asked.withLock { $0.count }
            try await expectEqual(
                client.errorCode(#"{"id":4,"subscribe":{"channel":"asked:a"}}"#),
                105
            )
            expectEqual(hooks.asked.withLock { $0.count }, count)
        }
    }

    @Test func refusedSubscriptionIsNone() async throws {
        let hooks = ScriptedHooks(Self.ann)
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            hooks.setAnswer { _ in .success(.error(.init(code: 103, message: "no"))) }
            let reply = try await client.subscribe(2, "asked:a")
            expectEqual(reply, #"{"id":2,"error":{"code":103,"message":"no","temporary":false}}"#)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
            hooks.setAnswer { _ in .success(.disconnect(code: 4001, reason: "x")) }
            try await client.sendText(#"{"id":3,"subscribe":{"channel":"asked:a"}}"#)
            try await expectEqual(client.receiveClose().code, 4001)
        }
    }

    @Test func namespaceDecidesBeforeTheApplicationIsAsked() async throws {
        let hooks = ScriptedHooks { $0.event == .connect ? .success(.connect()) : nil }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            // The client has no user.
            try await expectEqual(
                client.errorCode(#"{"id":2,"subscribe":{"channel":"both:a"}}"#),
                103
            )
            let publish = #"{"id":3,"publish":{"channel":"both:a","data":1}}"#
            try await expectEqual(client.errorCode(publish), 103)
            try await expectEqual(
                client.errorCode(#"{"id":4,"subscribe":{"channel":"none:a"}}"#),
                102
            )
            expectEqual(hooks.asked.withLock { $0.count }, 1)
        }
        let others = ScriptedHooks(Self.ann)
        try await withHooks(others) { hub in
            let client = try await connected(hub)
            try await expect(client.subscribe(2, "both:a").contains(#""subscribe":{"#))
            expectEqual(others.asked.withLock { $0.count }, 2)
        }
    }

    @Test func validSubscriptionTokenNeedsNoQuestion() async throws {
        let tokens = try await TestTokens()
        let hooks = ScriptedHooks(Self.ann)
        try await withHooks(hooks, verifier: tokens.verifier) { hub in
            let client = try await connected(hub)
            let token = try tokens.subscription("ann", "asked:a")
            let reply = try await client.subscribe(2, "asked:a", #","token":"\#(token)""#)
            expect(reply.contains(#""subscribe":{"#), "\(reply)")
            expectEqual(hooks.asked.withLock { $0.count }, 1)
        }
    }

    // MARK: Publish

    @Test func applicationMayChangeAPublication() async throws {
        let hooks = ScriptedHooks(Self.ann)
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            _ = try await client.subscribe(2, "asked:a")
            hooks.setAnswer { _ in .success(.publish { $0.data = Self.bytes("2") }) }
            try await client.sendText(#"{"id":3,"publish":{"channel":"asked:a","data":1}}"#)
            let texts = [try await client.receiveText(), try await client.receiveText()]
            expect(texts.contains { $0.contains(#""data":2,"offset":1"#) }, "\(texts)")
            hooks.setAnswer { _ in .success(.publish { $0.skipsHistory = true }) }
            try await client.sendText(#"{"id":4,"publish":{"channel":"asked:a","data":3}}"#)
            let more = [try await client.receiveText(), try await client.receiveText()]
            expect(more.contains { $0.contains(#""data":3"#) && !$0.contains("offset") }, "\(more)")
            hooks.setAnswer { _ in .success(.error(.init(code: 1, message: "rude"))) }
            let publish = #"{"id":5,"publish":{"channel":"asked:a","data":4}}"#
            try await expectEqual(client.errorCode(publish), 1)
        }
    }

    @Test func commandsOfAClientKeepTheirOrder() async throws {
        let hooks = ScriptedHooks { $0.event == .publish ? nil : Self.ann($0) }
        try await withHooks(hooks) { hub in
            let (client, other) = (try await connected(hub), try await connected(hub))
            _ = try await client.subscribe(2, "asked:a")
            var commands = (1...20).map {
                #"{"id":\#($0 + 2),"publish":{"channel":"asked:a","data":\#($0)}}"#
            }
            commands.insert(#"{"id":50,"rpc":{"method":"sum"}}"#, at: 10)
            // Partly in one frame, partly in frames of their own.
            try await client.sendText(commands[..<15].joined(separator: "\n"))
            for command in commands[15...] { try await client.sendText(command) }
            for number in 1...20 {
                // Others go on meanwhile.
                let echo = try await other.command(#"{"id":\#(number),"rpc":{"method":"sum"}}"#)
                expect(echo.contains(#""rpc""#))
                expect(hooks.asked.withLock { $0.filter { $0.event == .publish }.count } <= number)
                try await hooks.release(.success(.publish()), in: hub)
            }
            var (data, order): ([Int], [Int]) = ([], [])
            while data.count < 20 || order.count < 21 {
                let text = try await client.receiveText()
                for line in text.split(separator: "\n").map(String.init) {
                    if let value = number("data", in: line) { data.append(value) }
                    if let id = number("id", in: line) { order.append(id) }
                }
            }
            expectEqual(data, Array(1...20))
            expectEqual(order, Array(3...12) + [50] + Array(13...22))
        }
    }

    @Test func clientThatLeavesWhileItsQuestionIsOpenIsForgotten() async throws {
        let hooks = ScriptedHooks { $0.event == .publish ? nil : Self.ann($0) }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await client.sendText(#"{"id":3,"publish":{"channel":"asked:a","data":1}}"#)
            while hooks.held.withLock({ $0.isEmpty }) { try await hub.settle() }
            await client.reset()
            try await hub.wait { await hub.loops[0].isEmptyOfClients }
            try await hooks.release(.success(.publish()), in: hub)
            try await hub.settle()
            let next = try await connected(hub)
            let history = try await next.subscribe(2, "asked:a")
            expect(!history.contains(#""offset":1"#), "\(history)")
        }
    }

    // MARK: Calls

    @Test(arguments: [
        ("sum", true), ("orders.a", true), ("orders.a.b", true), ("orders", false),
        ("order.a", false), ("hub.none", false),
    ])
    func methodsHaveTheHookOfTheirPattern(method: String, isAsked: Bool) async throws {
        let hooks = ScriptedHooks(Self.ann)
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            hooks.setAnswer { _ in .success(.rpc(Self.bytes(#"{"sum":3}"#))) }
            let call = #"{"id":2,"rpc":{"method":"\#(method)","data":[1,2]}}"#
            let reply = try await client.command(call)
            if isAsked {
                expectEqual(reply, #"{"id":2,"rpc":{"data":{"sum":3}}}"#)
                let subject = HookQuestion.Subject.rpc(method: method, data: Self.bytes("[1,2]"))
                expectEqual(hooks.asked.withLock { $0.last?.subject }, Optional(subject))
            } else {
                expectEqual(number("code", in: reply), 104)
            }
        }
    }

    @Test func longestPatternOfAMethodCounts() {
        var names = ClientHookNames()
        names.methods = ["*": "all", "a.*": "a", "a.b.*": "ab", "a.b.c": "abc", "hub.topics": "no"]
        let expected = [
            "x": "all", "a": "all", "a.x": "a", "a.b": "a", "a.b.x": "ab", "a.b.c": "abc",
            "a.b.c.d": "ab",
        ]
        for (method, hook) in expected { expectEqual(names.hook(of: method), hook, "\(method)") }
        expectNil(names.hook(of: "hub.topics"))
        names.methods = [:]
        expectNil(names.hook(of: "a"))
    }

    @Test func callWithoutDataHasAnAnswerWithout() async throws {
        let hooks = ScriptedHooks(Self.ann)
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await expectEqual(
                client.command(#"{"id":2,"rpc":{"method":"sum"}}"#),
                #"{"id":2,"rpc":{}}"#
            )
        }
    }

    // MARK: Capabilities

    @Test func capabilitiesAddRights() async throws {
        let hooks = ScriptedHooks {
            guard $0.event == .connect else {
                return .success(.error(.init(code: 7, message: "no")))
            }
            return .success(
                .connect {
                    $0.capabilities = [
                        HookCapability(
                            topics: ["both:*"],
                            isPattern: true,
                            rights: [.subscribe, .presence]
                        ),
                        HookCapability(topics: ["news:a"], rights: [.publish]),
                        // The Kelvin sign, which is equal to K in Swift, and a pattern that is none.
                        HookCapability(topics: ["asked:\u{212A}"], rights: [.subscribe]),
                        HookCapability(topics: ["asked:{"], isPattern: true, rights: [.subscribe]),
                    ]
                }
            )
        }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            // Neither a user nor a question.
            try await expect(client.subscribe(2, "both:a").contains(#""subscribe":{"#))
            let publish = #"{"id":3,"publish":{"channel":"news:a","data":1}}"#
            try await expect(client.command(publish).contains(#""publish":{}"#))
            try await expectEqual(
                client.errorCode(#"{"id":4,"subscribe":{"channel":"none:a"}}"#),
                102
            )
            expectEqual(hooks.asked.withLock { $0.count }, 1)
        }
    }
}

extension Loop {
    fileprivate var isEmptyOfClients: Bool {
        !sessions.contains { if case .client = $0 { true } else { false } }
    }
}
