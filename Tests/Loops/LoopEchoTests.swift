import Expectations
import LoopTesting
import Wire

@testable import Loops

@Suite("Loop: echo", .timeLimit(.minutes(10)))
struct LoopEchoTests {
    private typealias Frame = LoopTestClient.Frame

    /// On both sides of the limits of RFC 6455 §5.2, and past the loop's buffer of 64 KiB.
    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 200_000])
    func messageComesBack(length: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            let payload = (0..<length).map { UInt8($0 % 251) }
            try await client.send(clientFrame(Frame.binary, payload))
            let echo = try await client.receiveFrame()
            expectEqual(echo, Frame(opcode: Frame.binary, payload: payload))
        }
    }

    @Test func fragmentsComeBackAsOneFrame() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send(clientFrame(Frame.text, Array("one ".utf8), isFinal: false))
            try await client.send(clientFrame(Frame.ping, [1]))
            try await client.send(clientFrame(0, Array("two".utf8)))
            let frame = try await client.receiveFrame()
            expectEqual(frame, Frame(opcode: Frame.pong, payload: [1]))
            let text = try await client.receiveText()
            expectEqual(text, "one two")
        }
    }

    @Test func messagesRightBehindTheHandshakeComeBack() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let messages = clientFrame(Frame.text, [0x61]) + clientFrame(Frame.text, [0x62])
            try await client.send(Array(webSocketRequest("/echo").utf8) + messages)
            let head = try await client.receiveHead()
            expectEqual(head.status, 101)
            let firstText = try await client.receiveText()
            expectEqual(firstText, "a")
            let secondText = try await client.receiveText()
            expectEqual(secondText, "b")
        }
    }

    @Test func closeIsAnswered() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send(
                clientFrame(Frame.text, [0x61]) + clientFrame(Frame.close, [3, 232])
            )
            let text = try await client.receiveText()
            expectEqual(text, "a")
            let close = try await client.receiveClose()
            expectEqual(close.code, 1000)
            await expect(client.endsHere())
        }
    }

    @Test func textThatIsNotUTF8FailsTheConnection() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send(clientFrame(Frame.text, [0xC0, 0x80]))
            let close = try await client.receiveClose()
            expectEqual(close.code, 1007)
            await expect(client.endsHere())
        }
    }

    @Test func echoThatIsNotOfferedIsAnOrdinaryPath() async throws {
        try await withLoops({ $0.offersEcho = false }) { hub in
            let client = try hub.connect()
            try await client.send(webSocketRequest("/echo"))
            let response = try await client.receiveResponse()
            expectEqual(response.body, "GET /echo ")
        }
    }
}
