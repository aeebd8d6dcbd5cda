import ClientWire
import Expectations

@Suite("Server API: requests as values", .timeLimit(.minutes(10)))
struct ServerAPIRequestTests {
    private let chat = Topic(trusted: "chat:1")

    private func request(_ method: ServerAPIMethod, _ body: String) throws -> ServerAPIRequest {
        try ServerAPIRequest(method, body: Array(body.utf8))
    }

    @Test func publishKeepsEveryField() throws {
        let request = try request(
            .publish,
            #"""
            {"channel":"chat:1","data":{ "a" : [1, "å"] },"tags":{"severity":"5","k\u0041":"\"\n"},
            "idempotency_key":"k1","delta":true,"version":18446744073709551615,"version_epoch":"v",
            "skip_history":true}
            """#
        )
        expectEqual(
            request,
            .publish(
                NewPublication(
                    topic: chat,
                    data: Array(#"{ "a" : [1, "å"] }"#.utf8),
                    tags: ["severity": "5", "kA": "\"\n"],
                    idempotencyKey: "k1",
                    version: .init(number: .max, epoch: "v"),
                    keepsHistory: false,
                    allowsDelta: true
                )
            )
        )
    }

    @Test func publishIsPlainWithoutFurtherFields() throws {
        let plain = ServerAPIRequest.publish(NewPublication(topic: chat, data: Array("1".utf8)))
        try expectEqual(request(.publish, #"{"channel":"chat:1","data":1}"#), plain)
        let empty =
            #"{"channel":"chat:1","data":1,"tags":{},"idempotency_key":"","version":0,"#
            + #""version_epoch":"v","b64data":"","delta":false,"skip_history":false}"#
        try expectEqual(request(.publish, empty), plain)
    }

    @Test func base64GoesBeforeData() throws {
        guard
            case .publish(let publication) = try request(
                .publish,
                #"{"channel":"chat:1","data":"d","b64data":"IHsiYSI6MX0g"}"#
            )
        else { throw Unexpected() }
        expectEqual(publication.data, Array(#"{"a":1}"#.utf8), "without the space around it")
    }

    @Test func broadcastDiffersInTheTopicAlone() throws {
        guard
            case .broadcast(let broadcast) = try request(
                .broadcast,
                #"{"channels":["chat:1","chat:2"],"data":1,"tags":{"a":"b"},"delta":true}"#
            )
        else { throw Unexpected() }
        let publications = try broadcast.publications.map { try $0.get() }
        expectEqual(publications.map(\.topic.name), ["chat:1", "chat:2"])
        expect(publications.allSatisfy { $0.data == Array("1".utf8) && $0.allowsDelta })
        expect(publications.allSatisfy { $0.tags == ["a": "b"] })
    }

    @Test func subscribeKeepsEveryField() throws {
        let request = try request(
            .subscribe,
            #"""
            {"user":"u","channel":"chat:1","client":"c","session":"s","info":{"i":1},"b64data":"MQ==",
            "expire_at":1800000000,"recover_since":{"offset":5,"epoch":"e"},
            "override":{"presence":{"value":true},"join_leave":{"value":false},"force_recovery":{}}}
            """#
        )
        let options = ServerAPIRequest.SubscribeOptions(
            info: Array(#"{"i":1}"#.utf8),
            data: Array("1".utf8),
            expiresAt: Timestamp(milliseconds: 1_800_000_000_000),
            since: Position(offset: 5, epoch: "e"),
            override: .init(presence: true, joinLeave: false, isRecoverable: false)
        )
        expectEqual(
            request,
            .subscribe(
                .init(
                    connections: .init(user: "u", client: "c", session: "s"),
                    topic: chat,
                    options: options
                )
            )
        )
    }

    @Test func subscribeGoesByTheNamespaceWithoutFurtherFields() throws {
        let plain = ServerAPIRequest.subscribe(.init(connections: .init(user: "u"), topic: chat))
        try expectEqual(request(.subscribe, #"{"user":"u","channel":"chat:1"}"#), plain)
        let empty =
            #"{"user":"u","channel":"chat:1","client":"","session":"","info":null,"data":null,"#
            + #""expire_at":0,"recover_since":null,"override":{}}"#
        try expectEqual(request(.subscribe, empty), plain)
    }

    @Test func disconnectHasTheCodeThatWasAskedFor() throws {
        let cases: [(given: String, code: UInt16, reason: String, webSocketCode: UInt16)] = [
            ("null", 3503, "force disconnect", 1008),
            ("{}", 3503, "force disconnect", 1008),
            (#"{"code":3011}"#, 3011, "force reconnect", 1012),
            (#"{"code":3011,"reason":"moved"}"#, 3011, "moved", 1012),
            (#"{"code":4999,"reason":"banned"}"#, 4999, "banned", 1008),
            (#"{"code":4000}"#, 4000, "", 1008),
        ]
        for (given, code, reason, webSocketCode) in cases {
            guard
                case .disconnect(let disconnect) = try request(
                    .disconnect,
                    #"{"user":"u","whitelist":["c1","c2","c1"],"disconnect":\#(given)}"#
                )
            else { throw Unexpected() }
            expectEqual(disconnect.spared, ["c1", "c2"])
            expectEqual(disconnect.code.code, code, "\(given)")
            expectEqual(disconnect.code.reason, reason, "\(given)")
            expectEqual(disconnect.code.webSocketCode, webSocketCode, "\(given)")
        }
    }

    @Test(arguments: [
        (#""expired":true,"expire_at":1800000000"#, ServerAPIRequest.Refresh.Expiry.now),
        (#""expire_at":1800000000"#, .at(Timestamp(milliseconds: 1_800_000_000_000))),
        (#""expire_at":253402300799"#, .at(Timestamp(milliseconds: 253_402_300_799_000))),
        (#""expire_at":0"#, .never), (#""expired":false"#, .never),
    ])
    func refreshSaysWhenTheConnectionExpires(
        fields: String,
        expiry: ServerAPIRequest.Refresh.Expiry
    ) throws {
        try expectEqual(
            request(.refresh, #"{"user":"u",\#(fields)}"#),
            .refresh(.init(connections: .init(user: "u"), expiry: expiry))
        )
    }

    @Test func timeBeyondTheYear9999IsRefused() {
        #expect(throws: ServerAPIRequestError.self) {
            try request(.refresh, #"{"user":"u","expire_at":253402300800}"#)
        }
    }

    @Test func historyHasItsPage() throws {
        try expectEqual(
            request(
                .history,
                #"{"channel":"chat:1","limit":2147483647,"since":{"offset":3,"epoch":"e"},"reverse":true}"#
            ),
            .history(
                .init(
                    topic: chat,
                    limit: .count(2_147_483_647),
                    since: Position(offset: 3, epoch: "e"),
                    isReversed: true
                )
            )
        )
        try expectEqual(request(.history, #"{"channel":"chat:1"}"#), .history(.init(topic: chat)))
        try expectEqual(
            request(.history, #"{"channel":"chat:1","limit":-1,"since":{}}"#),
            .history(.init(topic: chat, limit: .all, since: Position(offset: 0, epoch: "")))
        )
    }

    @Test(arguments: [
        [0xFF], [0x22, 0xC3, 0x22], Array("{\"a\":\"\u{E5}\"}".utf16).map { UInt8($0) },
    ])
    func contentThatIsNotUTF8IsNotJSON(body: [UInt8]) {
        #expect(throws: ServerAPIRequestError.notJSON(reason: "not UTF-8")) {
            try ServerAPIRequest(.info, body: body)
        }
    }

    @Test func contentNestsAsDeepAsTheReaderGoes() throws {
        let nested = { (depth: Int) in
            #"{"channel":"chat:1","data":"# + String(repeating: "[", count: depth)
                + String(repeating: "]", count: depth) + "}"
        }
        #expect(throws: Never.self) { try request(.publish, nested(64)) }
        #expect(throws: ServerAPIRequestError.self) { try request(.publish, nested(65)) }
    }
}

struct Unexpected: Error {}
