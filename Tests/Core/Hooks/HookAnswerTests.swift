import Expectations

@testable import Core

@Suite("Hooks: answers of the application", .timeLimit(.minutes(10)))
struct HookAnswerTests {
    private func read(_ body: String, _ event: HookEvent) throws -> HookAnswer {
        try HookAnswer(Array(body.utf8), to: event)
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    // MARK: Results

    @Test func connectHasAllFieldsOfTheProxy() throws {
        let body = """
            {"result": {"user": "ann", "expire_at": 1800000000, "info": {"name": "Ann"},
            "data": [1], "channels": ["news"], "subs": {"chat:1": {"info": 1, "b64data": "Mg==",
            "override": {"presence": {"value": true}, "join_leave": {"value": false}}}},
            "meta": {"plan": "pro"}, "labels": {"a": "b"},
            "caps": [{"channels": ["chat:*"], "allow": ["pub", "hst"], "match": "wildcard"}]}}
            """
        guard case .connect(let connect) = try read(body, .connect) else {
            Issue.record("not the answer to a connect question")
            return
        }
        var expected = HookConnect()
        expected.user = "ann"
        expected.expiresAt = Timestamp(seconds: 1_800_000_000)
        expected.info = Self.bytes(#"{"name": "Ann"}"#)
        expected.data = Self.bytes("[1]")
        expected.meta = Self.bytes(#"{"plan": "pro"}"#)
        expected.subscriptions = [
            Topic(trusted: "news"): TokenSubscription(),
            Topic(trusted: "chat:1"): TokenSubscription(
                info: Self.bytes("1"),
                data: Self.bytes("2"),
                overrides: SubscriptionOverrides(presence: true, joinLeave: false)
            ),
        ]
        expected.capabilities = [
            HookCapability(topics: ["chat:*"], isPattern: true, rights: [.publish, .history])
        ]
        expectEqual(connect, expected)
    }

    @Test func publicationHasAllFieldsOfTheProxy() throws {
        let body = """
            {"result": {"b64data": "eyJhIjoxfQ==", "data": 1, "skip_history": true, "tags": {"a": "b"},
            "idempotency_key": "k", "delta": true, "version": 7, "version_epoch": "e"}}
            """
        var expected = HookPublication()
        expected.data = Self.bytes(#"{"a":1}"#)
        expected.skipsHistory = true
        expected.tags = ["a": "b"]
        expected.idempotencyKey = "k"
        expected.allowsDelta = true
        expected.version = 7
        expected.versionEpoch = "e"
        try expectEqual(read(body, .publish), .publish(expected))
    }

    @Test func refreshAndSubscriptionHaveTheirFields() throws {
        let refresh = """
            {"result": {"expired": false, "expire_at": 5, "b64info": "MQ==", "meta": 2, "caps": []}}
            """
        var expected = HookRefresh()
        expected.expiresAt = Timestamp(seconds: 5)
        expected.info = Self.bytes("1")
        expected.meta = Self.bytes("2")
        expected.capabilities = []
        try expectEqual(read(refresh, .refresh), .refresh(expected))
        var subscription = HookSubscription()
        subscription.expiresAt = Timestamp(seconds: 5)
        subscription.subscription.overrides.forcePushJoinLeave = true
        subscription.rights = [.subscribe, .presence]
        let subscribe = """
            {"result": {"expire_at": 5, "allow": ["sub", "prs"],
            "override": {"force_push_join_leave": {"value": true}}}}
            """
        try expectEqual(read(subscribe, .subscribe), .subscribe(subscription))
        try expectEqual(read(#"{"result":{"data":null}}"#, .rpc), .rpc(nil))
        try expectEqual(read(#"{"result":{"data":[]}}"#, .rpc), .rpc(Self.bytes("[]")))
        try expectEqual(
            read(#"{"result":{"populated":true}}"#, .cacheEmpty),
            .cacheEmpty(isPopulated: true)
        )
    }

    @Test(arguments: ["{}", #"{"result":null}"#, #"{"error":null,"disconnect":null}"#])
    func answerWithoutAResultAllowsButForWhatExpires(body: String) throws {
        try expectEqual(read(body, .connect), .connect(HookConnect()))
        try expectEqual(read(body, .subscribe), .subscribe(HookSubscription()))
        try expectEqual(read(body, .publish), .publish(HookPublication()))
        try expectEqual(read(body, .rpc), .rpc(nil))
        try expectEqual(read(body, .cacheEmpty), .cacheEmpty(isPopulated: false))
        var expired = HookRefresh()
        expired.hasExpired = true
        try expectEqual(read(body, .refresh), .refresh(expired))
        try expectEqual(read(body, .subRefresh), .refresh(expired))
    }

    @Test func fieldsThatAreNullAreMissing() throws {
        let body = """
            {"result": {"user": null, "expire_at": null, "info": null, "channels": null, "subs": null,
            "caps": null, "meta": null, "b64data": null}, "error": null, "disconnect": null}
            """
        try expectEqual(read(body, .connect), .connect(HookConnect()))
        let subs = #"{"result":{"subs":{"a":{"override":{"presence":null},"info":null}}}}"#
        var connect = HookConnect()
        connect.subscriptions = [Topic(trusted: "a"): TokenSubscription()]
        try expectEqual(read(subs, .connect), .connect(connect))
    }

    // MARK: Refusals

    @Test(arguments: HookEvent.allCases)
    func errorsAndDisconnectsAreAnswersToEveryQuestion(event: HookEvent) throws {
        try expectEqual(
            read(#"{"error":{"code":1000,"message":"no","temporary":true}}"#, event),
            .error(.init(code: 1000, message: "no", isTemporary: true))
        )
        try expectEqual(
            read(
                #"{"error":{"code":1,"message":"a"},"disconnect":{"code":4001,"reason":"x"}}"#,
                event
            ),
            .disconnect(code: 4001, reason: "x")
        )
        try expectEqual(
            read(#"{"disconnect":{"code":4999}}"#, event),
            .disconnect(code: 4999, reason: "")
        )
    }

    // MARK: Faults

    @Test(arguments: [
        ("", "the body is not a JSON object"), ("[]", "the body is not a JSON object"),
        (#"{"result":{}"#, "the body is not a JSON object"),
        (#"{"result":{},"result":{}}"#, "the body is not a JSON object"),
        (#"{"result":[]}"#, "result is missing or cannot be used"),
        (#"{"result":{"user":42}}"#, "result.user is missing or cannot be used"),
        (#"{"result":{"expire_at":-1}}"#, "result.expire_at is missing or cannot be used"),
        (#"{"result":{"expire_at":1.5}}"#, "result.expire_at is missing or cannot be used"),
        (#"{"result":{"channels":[1]}}"#, "result.channels is missing or cannot be used"),
        (#"{"result":{"channels":["a b"]}}"#, "result.channels is missing or cannot be used"),
        (#"{"result":{"b64info":"{"}}"#, "result.b64info is missing or cannot be used"),
        (
            #"{"result":{"subs":{"a":{"override":{"presence":{"value":1}}}}}}"#,
            "result.subs.override.presence is missing or cannot be used"
        ),
        (
            #"{"result":{"caps":[{"channels":["a"],"match":"regex"}]}}"#,
            "result.caps.match is missing or cannot be used"
        ),
        (
            #"{"result":{"caps":[{"channels":["a"],"allow":["fly"]}]}}"#,
            "result.allow is missing or cannot be used"
        ),
        (#"{"error":{"message":"no"}}"#, "error.code is missing or cannot be used"),
        (#"{"error":{"code":-1}}"#, "error.code is missing or cannot be used"),
        (#"{"error":{"code":4294967296}}"#, "error.code is missing or cannot be used"),
        (#"{"disconnect":{"code":2999}}"#, "disconnect.code is missing or cannot be used"),
        (#"{"disconnect":{"code":5000}}"#, "disconnect.code is missing or cannot be used"),
    ])
    func faultIsNamedWithItsPlace(body: String, fault: String) {
        let error = #expect(throws: HookAnswerError.self) { try read(body, .connect) }
        expectEqual(error?.description, fault)
    }

    @Test func reasonFitsACloseFrame() throws {
        let longest = String(repeating: "x", count: 123)
        try expectEqual(
            read(#"{"disconnect":{"code":4000,"reason":"\#(longest)"}}"#, .rpc),
            .disconnect(code: 4000, reason: longest)
        )
        #expect(throws: HookAnswerError.self) {
            try read(#"{"disconnect":{"code":4000,"reason":"\#(longest)x"}}"#, .rpc)
        }
    }

    @Test func everyPrefixOfAnAnswerIsAFault() throws {
        let body = #"{"result":{"user":"ann","subs":{"a":{"info":1}},"meta":"x"},"error":null}"#
        #expect(throws: Never.self) { try read(body, .connect) }
        for length in 0..<body.utf8.count {
            #expect(throws: HookAnswerError.self) {
                try HookAnswer(Array(body.utf8.prefix(length)), to: .connect)
            }
        }
    }
}
