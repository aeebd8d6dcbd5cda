import Expectations
import Wire

@Suite("RFC 6455 §5.7, examples", .timeLimit(.minutes(10)))
struct FrameExamplesTests {
    static let unmaskedHello: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
    static let maskedHello: [UInt8] = [
        0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
    ]
    static let fragmentedHello: [UInt8] = [
        0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F,
    ]
    static let unmaskedPing: [UInt8] = [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
    static let maskedPong: [UInt8] = [
        0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
    ]

    @Test
    func clientReceivesUnmaskedTextMessage() {
        expectEqual(receive(Self.unmaskedHello, as: .client).events, [.text("Hello")])
    }

    @Test
    func serverReceivesMaskedTextMessage() {
        expectEqual(receive(Self.maskedHello, as: .server).events, [.text("Hello")])
    }

    @Test
    func clientReceivesFragmentedTextMessage() {
        expectEqual(receive(Self.fragmentedHello, as: .client).events, [.text("Hello")])
    }

    @Test
    func clientAnswersUnmaskedPingWithMaskedPong() {
        let transcript = receive(Self.unmaskedPing, as: .client)
        expectEqual(transcript.events, [.ping(Array("Hello".utf8))])
        expectEqual(transcript.output, Self.maskedPong)
    }

    @Test
    func serverReceivesMaskedPong() {
        expectEqual(receive(Self.maskedPong, as: .server).events, [.pong(Array("Hello".utf8))])
    }

    @Test
    func clientReceives256BytesInOneUnmaskedFrame() {
        let payload = [UInt8](repeating: 7, count: 256)
        let frame = [0x82, 0x7E, 0x01, 0x00] + payload
        expectEqual(receive(frame, as: .client).events, [.binary(payload)])
    }

    @Test
    func clientReceives64KiBInOneUnmaskedFrame() {
        let payload = [UInt8](repeating: 7, count: 65536)
        let frame = [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + payload
        expectEqual(receive(frame, as: .client).events, [.binary(payload)])
    }

    @Test
    func endsSendTheExamples() throws {
        var server = WebSocketConnection(role: .server)
        var client = WebSocketConnection(role: .client)
        var output: [UInt8] = []
        try server.send(text: "Hello", output: &output)
        expectEqual(output, Self.unmaskedHello)

        output = []
        try client.send(text: "Hello", output: &output) { Wire.maskingKey }
        expectEqual(output, Self.maskedHello)

        output = []
        try server.send(.text, [0x48, 0x65, 0x6C], isFinal: false, output: &output)
        try server.send(.text, [0x6C, 0x6F], output: &output)
        expectEqual(output, Self.fragmentedHello)

        output = []
        let hello = Array("Hello".utf8)
        try server.sendPing(hello.span, output: &output)
        expectEqual(output, Self.unmaskedPing)

        output = []
        try client.sendPong(hello.span, output: &output) { Wire.maskingKey }
        expectEqual(output, Self.maskedPong)
    }
}
