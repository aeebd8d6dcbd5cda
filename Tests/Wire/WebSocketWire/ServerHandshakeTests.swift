import Expectations
import Wire

@Suite("RFC 6455 §4.2, server's opening handshake", .timeLimit(.minutes(10)))
struct ServerHandshakeTests {
    /// The request of RFC 6455 §1.2.
    static let example: HTTPHeaders = [
        "Host": "server.example.com",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Origin": "http://example.com",
        "Sec-WebSocket-Protocol": "chat, superchat",
        "Sec-WebSocket-Version": "13",
    ]

    private func respond(
        method: String = "GET",
        version: HTTPVersion = .http11,
        subprotocols: [String] = [],
        change: (inout HTTPHeaders) -> Void = { _ in }
    ) -> ServerHandshake.Answer {
        var headers = Self.example
        change(&headers)
        let request = HTTPRequestHead(
            method: method,
            target: "/chat",
            version: version,
            headers: headers
        )
        return ServerHandshake.respond(to: request, subprotocols: subprotocols)
    }

    /// The status and body of a refusal, whose fields have to describe it.
    private func refusal(
        _ answer: ServerHandshake.Answer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (head: HTTPResponseHead, body: String) {
        guard case .reject(let head, let body) = answer else {
            Issue.record("the handshake was accepted", sourceLocation: sourceLocation)
            throw HandshakeError.upgradeInvalid
        }
        expectEqual(head.headers.first("Content-Length"), String(body.utf8.count))
        expectEqual(head.headers.first("Content-Type"), "text/plain; charset=utf-8")
        return (head, body)
    }

    private func expectAccepted(
        _ answer: ServerHandshake.Answer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .accept = answer else {
            Issue.record("refused: \(answer)", sourceLocation: sourceLocation)
            return
        }
    }

    @Test
    func serverAcceptsTheExampleOfTheRFC() {
        var bytes: [UInt8] = []
        guard case .accept(let head, let agreement) = respond(subprotocols: ["chat"]) else {
            Issue.record("the example was refused")
            return
        }
        head.append(to: &bytes)
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
            Sec-WebSocket-Protocol: chat\r
            \r

            """
        )
        expectEqual(agreement, HandshakeAgreement(subprotocol: "chat"))
    }

    @Test(arguments: ["WebSocket", "WEBSOCKET", "h2c, websocket", "foo/1,websocket"])
    func serverFindsUpgradeInAnyCaseAndPlace(upgrade: String) {
        expectAccepted(respond { $0.replace("Upgrade", with: upgrade) })
    }

    @Test(arguments: ["upgrade", "UPGRADE", "keep-alive, Upgrade", "Upgrade,keep-alive"])
    func serverFindsConnectionInAnyCaseAndPlace(connection: String) {
        expectAccepted(respond { $0.replace("Connection", with: connection) })
    }

    // MARK: Refusals

    @Test(arguments: ["POST", "HEAD", "OPTIONS", "get"])
    func serverRefusesOtherMethods(method: String) throws {
        let (head, _) = try refusal(respond(method: method))
        expectEqual(head.status, 405)
        expectEqual(head.headers.first("Allow"), "GET")
    }

    @Test
    func serverAsksForTheUpgradeItNeeds() throws {
        let changes: [(inout HTTPHeaders) -> Void] = [
            { $0.remove("Upgrade") },
            { $0.remove("Connection") },
            { $0.replace("Upgrade", with: "h2c") },
            { $0.replace("Upgrade", with: "websockets") },
            { $0.replace("Connection", with: "keep-alive") },
        ]
        for change in changes {
            let (head, _) = try refusal(respond(change: change))
            expectEqual(head.status, 426)
            expectEqual(head.headers.first("Upgrade"), "websocket")
            expectEqual(head.headers.first("Connection"), "Upgrade")
        }
    }

    @Test
    func serverIgnoresUpgradeOverHTTP10() throws {
        try expectEqual(refusal(respond(version: .http10)).head.status, 426)
    }

    @Test(arguments: [nil, "8", "12", "14", "", "013", "13, 8", "thirteen"])
    func serverTellsItsVersion(version: String?) throws {
        let answer = respond { headers in
            headers.remove("Sec-WebSocket-Version")
            if let version { headers.append("Sec-WebSocket-Version", version) }
        }
        let (head, body) = try refusal(answer)
        expectEqual(head.status, 426)
        expectEqual(head.headers.all("Sec-WebSocket-Version"), ["13"])
        expectEqual(body, "websocket version 13 is the only one supported\n")
    }

    @Test
    func serverRefusesRepeatedVersion() throws {
        let (head, body) = try refusal(
            respond { $0.append("Sec-WebSocket-Version", "13") }
        )
        expectEqual(head.status, 400)
        expectEqual(body, "Sec-WebSocket-Version must be there once, not 2 times\n")
    }

    @Test
    func serverRefusesRequestWithoutHost() throws {
        let (head, body) = try refusal(respond { $0.remove("Host") })
        expectEqual(head.status, 400)
        expectEqual(body, "the Host field is missing\n")
    }

    @Test
    func serverRefusesMissingAndRepeatedKey() throws {
        let missing = try refusal(respond { $0.remove("Sec-WebSocket-Key") })
        expectEqual(missing.head.status, 400)
        expectEqual(missing.body, "Sec-WebSocket-Key must be there once, not 0 times\n")
        let repeated = try refusal(
            respond { $0.append("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==") }
        )
        expectEqual(repeated.head.status, 400)
        expectEqual(repeated.body, "Sec-WebSocket-Key must be there once, not 2 times\n")
    }

    @Test(arguments: [
        "",
        "dGhlIHNhbXBsZSBub25jZQ",  // Without padding.
        "dGhlIHNhbXBsZSBub25j",  // 15 bytes.
        "dGhlIHNhbXBsZSBub25jZWU=",  // 17 bytes.
        "dGhlIHNhbXBsZSBub25jZ!==",  // A foreign character.
        "dGhlIHNhbXBsZSBub25jZQ== ",
        "dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==",
    ])
    func serverRefusesKeyThatIsNot16BytesInBase64(key: String) throws {
        let (head, body) = try refusal(
            respond { $0.replace("Sec-WebSocket-Key", with: key) }
        )
        expectEqual(head.status, 400)
        expectEqual(body, "Sec-WebSocket-Key must be 16 bytes in base64\n")
    }

    @Test
    func serverRefusesHandshakeWithABody() throws {
        let bodies: [(name: String, value: String)] = [
            ("Content-Length", "5"), ("Transfer-Encoding", "chunked"),
        ]
        for (name, value) in bodies {
            let (head, body) = try refusal(respond { $0.append(name, value) })
            expectEqual(head.status, 400)
            expectEqual(body, "a websocket handshake has no body\n")
        }
        expectAccepted(respond { $0.append("Content-Length", "0") })
    }

    // MARK: Subprotocols

    /// The subprotocol of the response, which has to be the one that the caller is told.
    private func agreed(_ offers: [String], supported: [String]) throws -> String? {
        let answer = respond(subprotocols: supported) { headers in
            headers.remove("Sec-WebSocket-Protocol")
            for offer in offers { headers.append("Sec-WebSocket-Protocol", offer) }
        }
        guard case .accept(let head, let agreement) = answer else {
            Issue.record("refused: \(answer)")
            return nil
        }
        let subprotocol = agreement.subprotocol
        expectEqual(head.headers.all("Sec-WebSocket-Protocol"), [subprotocol].compactMap(\.self))
        return subprotocol
    }

    @Test
    func serverChoosesTheSubprotocolItLikesBest() throws {
        let supported = ["centrifuge-protobuf", "centrifuge-json"]
        try expectEqual(
            agreed(["centrifuge-json, centrifuge-protobuf"], supported: supported),
            "centrifuge-protobuf"
        )
        try expectEqual(
            agreed(["mqtt", "other,centrifuge-json"], supported: supported),
            "centrifuge-json"
        )
    }

    @Test
    func serverAgreesToNoSubprotocolWhenNoneIsCommon() throws {
        try expectNil(agreed(["mqtt"], supported: ["centrifuge-json"]))
        try expectNil(agreed(["Centrifuge-JSON"], supported: ["centrifuge-json"]))
        try expectNil(agreed([], supported: ["centrifuge-json"]))
        try expectNil(agreed(["mqtt"], supported: []))
    }

    @Test(arguments: ["a b", "chat, \"x\"", "chat;q=1", "å"])
    func serverRefusesMalformedSubprotocols(value: String) throws {
        let (head, body) = try refusal(
            respond { $0.replace("Sec-WebSocket-Protocol", with: value) }
        )
        expectEqual(head.status, 400)
        expectEqual(body, "Sec-WebSocket-Protocol must be a list of tokens\n")
    }

    // MARK: Extensions

    @Test
    func serverWithoutExtensionsDeclinesThemBySilence() {
        let answer = respond {
            $0.append("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
        }
        guard case .accept(let head, HandshakeAgreement()) = answer else {
            Issue.record("refused: \(answer)")
            return
        }
        expect(!head.headers.contains("Sec-WebSocket-Extensions"))
    }

    @Test
    func serverRefusesMalformedExtensions() throws {
        let (head, body) = try refusal(
            respond { $0.append("Sec-WebSocket-Extensions", "permessage-deflate; =10") }
        )
        expectEqual(head.status, 400)
        expectEqual(body, "Sec-WebSocket-Extensions is malformed\n")
    }
}
