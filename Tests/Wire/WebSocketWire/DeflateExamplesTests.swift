import Expectations
import Wire

@Suite("RFC 7692 §7.2.3, examples", .timeLimit(.minutes(10)))
struct DeflateExamplesTests {
    static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    /// Payloads that are one message "Hello" each.
    static let payloads: [[UInt8]] = [
        // §7.2.3.1, one compressed block.
        hello,
        // §7.2.3.3, a block with no compression.
        [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
        // §7.2.3.4, a block with BFINAL set to 1.
        [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
        // §7.2.3.5, two blocks.
        [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
    ]

    @Test(arguments: payloads, Role.both)
    func endReadsThePayload(payload: [UInt8], role: Role) {
        let frame = Wire.frame(Wire.deflatedText, payload, from: role.peer)
        for deflate in DeflateParameters.either {
            // Twice: what follows a block with BFINAL is read like what follows any other.
            let transcript = receive(frame + frame, as: role, deflate: deflate)
            expectEqual(transcript.events, [.text("Hello"), .text("Hello")])
            expectEqual(transcript.output, [])
            expectEqual(transcript.heldLength, 0)
        }
    }

    @Test(arguments: Role.both)
    func endReadsTheFragmentedMessage(role: Role) {
        let frames =
            Wire.frame(Wire.deflatedTextStart, [0xF2, 0x48, 0xCD], from: role.peer)
            + Wire.frame(Wire.continuation, [0xC9, 0xC9, 0x07, 0x00], from: role.peer)
        expectEqual(receive(frames, as: role, deflate: .fresh).events, [.text("Hello")])
    }

    @Test(arguments: Role.both)
    func endReadsMessageThatRefersToTheOneBefore(role: Role) {
        let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let frames =
            Wire.frame(Wire.deflatedText, Self.hello, from: role.peer)
            + Wire.frame(Wire.deflatedText, second, from: role.peer)
        let transcript = receive(frames, as: role, deflate: .takenOver)
        expectEqual(transcript.events, [.text("Hello"), .text("Hello")])
        // Without context takeover there is nothing to refer to.
        let error = WebSocketError.compressedDataInvalid
        expectFailure(error, on: frames, as: role, after: [.text("Hello")], deflate: .fresh)
    }

    @Test(arguments: Role.both)
    func endReadsTheEmptyMessage(role: Role) {
        let frame = Wire.frame(Wire.deflatedText, [0x00], from: role.peer)
        for deflate in DeflateParameters.either {
            let transcript = receive(frame + frame, as: role, deflate: deflate)
            expectEqual(transcript.events, [.text(""), .text("")])
        }
    }

    @Test(arguments: Role.both)
    func endSendsTheExamples(role: Role) throws {
        let pool = DeflatePool(settings: DeflateSettings(messageLengthMin: 0))
        var connection = WebSocketConnection(role: role, deflate: .takenOver, pool: pool)
        var output: [UInt8] = []
        try connection.send(text: "Hello", output: &output) { Wire.maskingKey }
        try connection.send(text: "Hello", output: &output) { Wire.maskingKey }
        try connection.send(text: "", output: &output) { Wire.maskingKey }
        let expected =
            Wire.frame(Wire.deflatedText, Self.hello, from: role)
            + Wire.frame(Wire.deflatedText, [0xF2, 0x00, 0x11, 0x00, 0x00], from: role)
            + Wire.frame(Wire.deflatedText, [0x00], from: role)
        expectEqual(output, expected)
    }
}
