import Expectations
import Wire

@Suite("RFC 6455 §4.1, client's opening handshake", .timeLimit(.minutes(10)))
struct ClientHandshakeTests {
    static let nonce = Array("the sample nonce".utf8)

    /// The response of RFC 6455 §1.3.
    static let example: HTTPHeaders = [
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    private func verify(
        status: Int = 101,
        subprotocols: [String] = [],
        change: (inout HTTPHeaders) -> Void = { _ in }
    ) throws -> String? {
        var headers = Self.example
        change(&headers)
        let handshake = ClientHandshake(
            host: "example.com",
            nonce: Self.nonce,
            subprotocols: subprotocols
        )
        let agreement = try handshake.verify(HTTPResponseHead(status: status, headers: headers))
        expectNil(agreement.deflate)
        return agreement.subprotocol
    }

    // MARK: The request

    @Test
    func clientSendsTheRequest() {
        let handshake = ClientHandshake(
            host: "example.com:8000",
            resourceName: "/chat?room=1",
            nonce: Self.nonce,
            subprotocols: ["chat", "superchat"],
            headers: ["Origin": "http://example.com"]
        )
        var bytes: [UInt8] = []
        handshake.request.append(to: &bytes)
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            """
            GET /chat?room=1 HTTP/1.1\r
            Host: example.com:8000\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Protocol: chat, superchat\r
            Origin: http://example.com\r
            \r

            """
        )
    }

    @Test(arguments: [("", "/"), ("?room=1", "/?room=1"), ("/", "/")])
    func clientCompletesTheResourceName(name: String, target: String) {
        let handshake = ClientHandshake(
            host: "example.com",
            resourceName: name,
            nonce: Self.nonce
        )
        expectEqual(handshake.request.target, target)
        expect(!handshake.request.headers.contains("Sec-WebSocket-Protocol"))
    }

    @Test
    func clientKeepsTheFieldsOfTheHandshakeItsOwn() {
        let handshake = ClientHandshake(
            host: "example.com",
            nonce: Self.nonce,
            headers: [
                "host": "other", "UPGRADE": "h2c", "connection": "close",
                "sec-websocket-key": "x", "sec-websocket-version": "8",
                "sec-websocket-protocol": "x", "sec-websocket-extensions": "x", "Cookie": "a=b",
            ]
        )
        let headers = handshake.request.headers
        expectEqual(headers.all("Host"), ["example.com"])
        expectEqual(headers.all("Upgrade"), ["websocket"])
        expectEqual(headers.all("Connection"), ["Upgrade"])
        expectEqual(headers.all("Sec-WebSocket-Version"), ["13"])
        expect(!headers.contains("Sec-WebSocket-Protocol"))
        expect(!headers.contains("Sec-WebSocket-Extensions"))
        expectEqual(headers.all("Cookie"), ["a=b"])
        expectEqual(headers.count, 6)
    }

    @Test
    func nonceOfAnotherLengthTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = ClientHandshake(host: "h", nonce: [UInt8](repeating: 0, count: 15))
        }
        await #expect(processExitsWith: .failure) {
            _ = ClientHandshake(host: "h", nonce: [UInt8](repeating: 0, count: 17))
        }
    }

    // MARK: The response

    @Test
    func clientAcceptsTheExampleOfTheRFC() throws {
        try expectNil(verify())
        try expectEqual(
            verify(subprotocols: ["chat"]) {
                $0.append("Sec-WebSocket-Protocol", "chat")
            },
            "chat"
        )
    }

    @Test
    func clientComparesNamesOfProtocolsWithoutCase() throws {
        try expectNil(verify { $0.replace("Upgrade", with: "WebSocket") })
        try expectNil(verify { $0.replace("Connection", with: "keep-alive, upgrade") })
    }

    @Test(arguments: [200, 301, 401, 426, 503, 100])
    func clientRefusesOtherStatus(status: Int) {
        #expect(throws: HandshakeError.upgradeRefused(status: status)) {
            try verify(status: status)
        }
    }

    @Test
    func clientRefusesResponseWithoutUpgrade() {
        let error = HandshakeError.upgradeInvalid
        #expect(throws: error) { try verify { $0.remove("Upgrade") } }
        #expect(throws: error) { try verify { $0.replace("Upgrade", with: "h2c") } }
        #expect(throws: error) { try verify { $0.replace("Upgrade", with: "h2c, websocket") } }
        #expect(throws: error) { try verify { $0.append("Upgrade", "websocket") } }
    }

    @Test
    func clientRefusesResponseWithoutConnection() {
        let error = HandshakeError.connectionInvalid
        #expect(throws: error) { try verify { $0.remove("Connection") } }
        #expect(throws: error) { try verify { $0.replace("Connection", with: "close") } }
    }

    @Test
    func clientRefusesResponseToAnotherKey() {
        let error = HandshakeError.acceptInvalid
        let name = "Sec-WebSocket-Accept"
        #expect(throws: error) { try verify { $0.remove(name) } }
        #expect(throws: error) { try verify { $0.replace(name, with: "") } }
        #expect(throws: error) {
            try verify { $0.replace(name, with: "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }
        }
        #expect(throws: error) {
            try verify { $0.append(name, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }
        }
    }

    @Test(arguments: ["permessage-deflate", "x-one; a=1", ";;"])
    func clientRefusesExtensionItDidNotOffer(value: String) {
        #expect(throws: HandshakeError.extensionNotOffered) {
            try verify { $0.append("Sec-WebSocket-Extensions", value) }
        }
    }

    @Test(arguments: ["superchat", "Chat", "chat, chat", ""])
    func clientRefusesSubprotocolItDidNotOffer(value: String) {
        #expect(throws: HandshakeError.subprotocolNotOffered) {
            try verify(subprotocols: ["chat"]) { $0.append("Sec-WebSocket-Protocol", value) }
        }
    }

    @Test
    func clientRefusesTwoSubprotocols() {
        #expect(throws: HandshakeError.subprotocolNotOffered) {
            try verify(subprotocols: ["chat", "superchat"]) {
                $0.append("Sec-WebSocket-Protocol", "chat")
                $0.append("Sec-WebSocket-Protocol", "superchat")
            }
        }
    }

    @Test
    func everyHandshakeErrorSaysWhatHappened() {
        let errors: [HandshakeError] = [
            .upgradeRefused(status: 401), .upgradeInvalid, .connectionInvalid, .acceptInvalid,
            .extensionNotOffered, .extensionInvalid, .subprotocolNotOffered,
        ]
        expectEqual(Set(errors.map(\.description)).count, errors.count)
        expectEqual(errors[0].description, "handshake answered with status 401")
    }

    // MARK: Both halves

    @Test
    func clientAndServerOpenAConnectionOverTheWire() throws {
        let handshake = ClientHandshake(
            host: "example.com",
            resourceName: "/connection/websocket",
            nonce: Self.nonce,
            subprotocols: ["centrifuge-json"]
        )
        var requestBytes: [UInt8] = []
        handshake.request.append(to: &requestBytes)
        // What a hasty client sends right behind its request.
        requestBytes += Wire.frame(Wire.text, "early", from: .client)

        var requests = HTTPRequestParser()
        var consumed = 0
        let requestEvent = try requests.next(requestBytes.span, consumed: &consumed)
        guard case .head(let request)? = requestEvent else {
            Issue.record("no request but \(String(describing: requestEvent))")
            return
        }
        try expectEqual(requests.next(requestBytes.span, consumed: &consumed), .end)
        expectEqual(receive(Array(requestBytes[consumed...]), as: .server).events, [.text("early")])

        let answer = ServerHandshake.respond(
            to: request,
            subprotocols: ["other", "centrifuge-json"]
        )
        let agreement = HandshakeAgreement(subprotocol: "centrifuge-json")
        guard case .accept(let head, agreement) = answer else {
            Issue.record("no agreement: \(answer)")
            return
        }
        var responseBytes: [UInt8] = []
        head.append(to: &responseBytes)
        responseBytes += Wire.frame(Wire.text, "welcome", from: .server)

        var responses = HTTPResponseParser()
        responses.expectResponse(to: "GET")
        consumed = 0
        let responseEvent = try responses.next(responseBytes.span, consumed: &consumed)
        guard case .head(let response)? = responseEvent else {
            Issue.record("no response but \(String(describing: responseEvent))")
            return
        }
        try expectEqual(handshake.verify(response), agreement)
        try expectEqual(responses.next(responseBytes.span, consumed: &consumed), .end)
        expectEqual(
            receive(Array(responseBytes[consumed...]), as: .client).events,
            [.text("welcome")]
        )
    }
}
