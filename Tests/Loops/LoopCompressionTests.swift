import Expectations
import HubTesting
import LoopTesting
import Wire

@testable import Loops

@Suite("Loop: permessage-deflate", .timeLimit(.minutes(10)))
struct LoopCompressionTests {
    private let long = #"{"text":"\#(String(repeating: "northern lights ", count: 40))"}"#

    @Test func publicationIsCompressedForThoseWhoAgreedToIt() async throws {
        try await withLoops { hub in
            let plain = try hub.connect()
            try await plain.connectSession()
            _ = try await plain.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            let deflating = try await subscriber(hub, "permessage-deflate")
            let narrow = try await subscriber(
                hub,
                "permessage-deflate; server_max_window_bits=10"
            )
            hub.publish("news:a", long, "1")

            let expected = #"{"push":{"channel":"news:a","pub":{"data":\#(long),"offset":1}}}"#
            let text = try await plain.receiveText()
            expectEqual(text, expected)
            for subscriber in [deflating, narrow] {
                let first = try await subscriber.receive()
                expectEqual(first.text, expected)
                expect(first.isCompressed)
                expect(first.length < expected.utf8.count / 3)
                let second = try await subscriber.receive()
                expect(second.text.hasSuffix(#""pub":{"data":1,"offset":2}}}"#))
                expect(!second.isCompressed, "too short to gain by it")
            }
            let counters = await hub.loops[0].snapshot()
            expectEqual(counters.deliveries, 6)
            expect(counters.compressedBytes < counters.uncompressedBytes)
        }
    }

    /// A window of 8 bits is smaller than all that are shared.
    @Test(arguments: ["server_max_window_bits=8", "server_no_context_takeover"])
    func everyAgreementIsServed(parameter: String) async throws {
        try await withLoops({
            $0.deflate = DeflateSettings(server: DeflateWindow(isTakenOver: true))
        }) { hub in
            let subscriber = try await subscriber(hub, "permessage-deflate; \(parameter)")
            hub.publish("news:a", long)
            let message = try await subscriber.receive()
            expect(message.text.contains(long))
        }
    }

    /// What is shared refers to nothing before it; a window that is taken over would have to know of it.
    @Test func takenOverWindowGetsPublicationsAsTheyAre() async throws {
        try await withLoops({
            $0.deflate = DeflateSettings(server: DeflateWindow(isTakenOver: true))
        }) { hub in
            let subscriber = try await subscriber(hub, "permessage-deflate")
            hub.publish("news:a", long)
            let message = try await subscriber.receive()
            expect(message.text.contains(long))
            expect(!message.isCompressed)
        }
    }

    @Test func nothingIsAgreedToWhenCompressionIsOff() async throws {
        try await withLoops({ $0.deflate = nil }) { hub in
            let client = try hub.connect()
            try await client.send(
                webSocketRequest("/echo", ["Sec-WebSocket-Extensions: permessage-deflate"])
            )
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
            expectNil(head.fields["sec-websocket-extensions"])
        }
    }

    private func subscriber(_ hub: LoopFixture, _ offer: String) async throws -> Subscriber {
        let client = try hub.connect()
        let subscriber = try await Subscriber(client, offer: offer)
        try await client.sendText(#"{"id":1,"connect":{}}"#)
        _ = try await subscriber.receive()
        try await client.sendText(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
        _ = try await subscriber.receive()
        return subscriber
    }
}

/// A client that understands compressed messages, by the client's half of WebSocketWire.
private final class Subscriber {
    let client: LoopTestClient
    private var connection: WebSocketConnection

    init(_ client: LoopTestClient, offer: String) async throws {
        self.client = client
        try await client.send(
            webSocketRequest("/connection/websocket", ["Sec-WebSocket-Extensions: \(offer)"])
        )
        let head = try await client.receiveHead()
        let agreed = try require(head.fields["sec-websocket-extensions"])
        var parameters = DeflateParameters()
        parameters.server.isTakenOver = !agreed.contains("server_no_context_takeover")
        parameters.client.isTakenOver = !agreed.contains("client_no_context_takeover")
        connection = WebSocketConnection(
            role: .client,
            deflate: parameters,
            pool: DeflatePool()
        )
    }

    /// The next message that is no ping of the client protocol.
    func receive() async throws -> (text: String, isCompressed: Bool, length: Int) {
        while true {
            let header = try await client.receive(2)
            var frame = header
            var length = Int(header[1])
            if length == 126 {
                let extended = try await client.receive(2)
                length = Int(extended[0]) << 8 | Int(extended[1])
                frame += extended
            }
            frame += try await client.receive(length)
            let text = try message(frame)
            if text != "{}" { return (text, header[0] & 0x40 != 0, frame.count) }
        }
    }

    private func message(_ frame: [UInt8]) throws -> String {
        var frame = frame
        var consumed = 0
        var output: [UInt8] = []
        var input = frame.mutableSpan
        guard
            case .message(.text, let payload) = connection.receive(
                &input,
                consumed: &consumed,
                output: &output
            )
        else { throw LoopTestClient.Failure.unexpected("no text message") }
        return String(decoding: connection.bytes(of: payload, in: input.span), as: UTF8.self)
    }
}
