import Expectations
import LoopTesting
import Wire

@testable import Loops

@Suite("Loop: opening handshake of the client protocol", .timeLimit(.minutes(10)))
struct LoopUpgradeTests {
    @Test func handshakeIsAccepted() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(webSocketRequest("/connection/websocket"))
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
            expectEqual(head.fields["upgrade"], "websocket")
            // The example of RFC 6455 §1.3.
            expectEqual(head.fields["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            expectNil(head.fields["sec-websocket-protocol"])
        }
    }

    @Test func offeredSubprotocolIsAgreedTo() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let lines = webSocketRequest("/connection/websocket").dropLast()
            try await client.send(
                lines + "Sec-WebSocket-Protocol: centrifuge-protobuf, centrifuge-json\r\n\r\n"
            )
            let head = try await client.receiveHead()
            expectEqual(head.fields["sec-websocket-protocol"], "centrifuge-json")
        }
    }

    @Test func framesRightBehindTheHandshakeAreRead() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let commands =
                #"{"id":1,"connect":{}}"# + "\n" + #"{"id":2,"subscribe":{"channel":"news:a"}}"#
            let bytes = Array(webSocketRequest("/connection/websocket").utf8)
            try await client.send(bytes + clientFrame(1, Array(commands.utf8)))
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
            let firstText = try await client.receiveText()
            expect(firstText.hasPrefix(#"{"id":1,"connect":"#))
            let secondText = try await client.receiveText()
            expect(secondText.hasPrefix(#"{"id":2,"subscribe":"#))
        }
    }

    @Test func handshakeAndFramesComeByteByByte() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let command = Array(#"{"id":1,"connect":{}}"#.utf8)
            let bytes = Array(webSocketRequest("/connection/websocket").utf8)
            for byte in bytes + clientFrame(1, command) { try await client.send([byte]) }
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
            let text = try await client.receiveText()
            expect(text.hasPrefix(#"{"id":1,"connect":"#))
        }
    }

    @Test func handshakeMayFollowARequest() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let command = clientFrame(1, Array(#"{"id":1,"connect":{}}"#.utf8))
            let requests = httpRequest("GET", "/a") + webSocketRequest("/connection/websocket")
            try await client.send(Array(requests.utf8) + command)
            let response = try await client.receiveResponse()
            expectEqual(response.body, "GET /a ")
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
            let text = try await client.receiveText()
            expect(text.hasPrefix(#"{"id":1,"connect":"#))
        }
    }

    @Test(arguments: [("GET", 426), ("POST", 405), ("HEAD", 426)])
    func requestThatIsNoHandshakeIsRefused(method: String, status: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest(method, "/connection/websocket"))
            let response = try await client.receiveResponse(toHEAD: method == "HEAD")
            expectEqual(response.status, status)
            expectEqual(response.fields["connection"], (status == 426 ? "Upgrade, close" : "close"))
            expectEqual(response.fields["upgrade"], (status == 426 ? "websocket" : nil))
            expectEqual(response.fields["sec-websocket-version"], (status == 426 ? "13" : nil))
            expectEqual(response.fields["allow"], (status == 405 ? "GET, HEAD, OPTIONS" : nil))
            await expect(client.endsHere())
        }
    }

    /// RFC 9110 §9.3.2: HEAD has no other effect than GET, and nothing follows its answer.
    @Test func handshakeOfHEADIsNotAccepted() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let handshake = webSocketRequest("/connection/websocket")
            try await client.send("HEAD" + handshake.dropFirst("GET".count))
            let response = try await client.receiveResponse(toHEAD: true)
            expectEqual(response.status, 426)
            await expect(client.endsHere())
        }
    }

    /// RFC 9110 §7.6.1 and §7.8: both are lists of names without case.
    @Test func handshakeIsFoundInLists() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let handshake = webSocketRequest("/connection/websocket")
                .replacing("Connection: Upgrade", with: "Connection: keep-alive, UPGRADE")
                .replacing("Upgrade: websocket", with: "Upgrade: h2c\r\nUpgrade: x, WebSocket")
            try await client.send(handshake)
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
        }
    }

    /// RFC 6455 §5.1: frames of a client are masked.
    @Test func unmaskedFrameFailsTheConnection() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade()
            try await client.send([0x81, 0x01, 0x61])
            let close = try await client.receiveClose()
            expectEqual(close.code, 1002)
            await expect(client.endsHere())
        }
    }
}
