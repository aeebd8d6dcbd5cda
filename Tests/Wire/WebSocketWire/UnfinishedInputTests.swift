import Expectations
import Wire

/// What a connection reports of messages whose end has not come.
@Suite("Unfinished input", .timeLimit(.minutes(10)))
struct UnfinishedInputTests {
    @Test(arguments: Role.both)
    func messageIsUnfinishedFromItsFirstHeaderToItsLastByte(role: Role) {
        var connection = WebSocketConnection(role: role)
        var transcript = Transcript()
        let first = Wire.frame(Wire.textStart, "first", from: role.peer)
        var isMidMessage: [Bool] = []
        for piece in [
            [first[0]], Array(first.dropFirst()), Wire.frame(Wire.ping, from: role.peer),
            Wire.frame(Wire.continuationMiddle, from: role.peer),
            Wire.frame(Wire.continuation, from: role.peer),
        ] {
            transcript.record(&connection, piece)
            isMidMessage.append(connection.isMidMessage)
        }
        expectEqual(isMidMessage, [false, true, true, true, false])
    }

    @Test(arguments: Role.both)
    func unfinishedMessageHoldsItsBytes(role: Role) {
        var connection = WebSocketConnection(role: role)
        var transcript = Transcript()
        let piece = [UInt8](repeating: 7, count: 5000)
        transcript.record(&connection, Wire.frame(Wire.binaryStart, piece, from: role.peer))
        var held = connection.heldInputBytes
        expect((5000...12_000).contains(held))
        transcript.record(&connection, Wire.frame(Wire.continuation, [], from: role.peer))
        held = connection.heldInputBytes
        expectEqual(held, 0)
    }

    /// A frame of each kind, byte by byte: what is said before each byte.
    @Test func mayInflateIsSaidOfCompressedMessagesAndHeaders() {
        var connection = WebSocketConnection(role: .server, deflate: .fresh, pool: DeflatePool())
        var transcript = Transcript()
        func said(_ frame: [UInt8]) -> [Bool] {
            frame.map { byte in
                let mayInflate = connection.mayInflate(byte)
                transcript.record(&connection, [byte])
                return mayInflate
            }
        }
        let payload = Zlib.Compressor().payload(Array("compressed".utf8))
        let deflated = said(Wire.frame(Wire.deflatedText, payload, from: .client))
        expect(!deflated.contains(false))
        var length = connection.inflatedLength
        expectNil(length, "the message has ended")
        // A header that has begun could be that of a compressed message.
        let plain = said(Wire.frame(Wire.text, "text", from: .client))
        expectEqual(plain, [false, true, true, true, true, true, false, false, false, false])
        let unfinished = Wire.frame(Wire.deflatedTextStart, payload, from: .client)
        let ping = Wire.frame(Wire.ping, from: .client)
        let start = said(unfinished + ping)
        expect(!start.contains(false))
        length = connection.inflatedLength
        expect((0...10).contains(length ?? -1))
    }

    @Test func nothingInflatesWithoutTheExtension() {
        let connection = WebSocketConnection(role: .server)
        let mayInflate = connection.mayInflate(Wire.deflatedText)
        expect(!mayInflate)
    }

    @Test(arguments: Role.both)
    func compressedMessageHoldsWhatItInflatesToAndItsDecompressor(role: Role) {
        var connection = WebSocketConnection(
            role: role,
            deflate: .fresh,
            pool: DeflatePool()
        )
        var transcript = Transcript()
        let payload = Zlib.Compressor().payload([UInt8](repeating: 0, count: 100_000))
        expect(payload.count < 1000)
        let frame = Wire.frame(Wire.deflatedBinaryStart, payload, from: role.peer)
        transcript.record(&connection, frame)
        var held = connection.heldInputBytes
        expect(held >= 100_000 + 32 << 10)
        transcript.record(
            &connection,
            Wire.frame(Wire.continuation, [0x00, 0x00, 0x00, 0xFF, 0xFF], from: role.peer)
        )
        held = connection.heldInputBytes
        expectEqual(held, 0)
        expectEqual(transcript.events.count, 1)
    }

    @Test(arguments: Role.both)
    func ourCloseFrameGivesUpAnUnfinishedMessage(role: Role) throws {
        var connection = WebSocketConnection(role: role)
        var transcript = Transcript()
        let piece = [UInt8](repeating: 7, count: 5000)
        transcript.record(&connection, Wire.frame(Wire.binaryStart, piece, from: role.peer))
        var output: [UInt8] = []
        try connection.sendClose(.tryAgainLater, output: &output, maskingKey: { 7 })
        let held = connection.heldInputBytes
        expectEqual(held, 0)
        // The rest of the message is read for the Close frame behind it.
        transcript.record(
            &connection,
            Wire.frame(Wire.continuation, piece, from: role.peer)
                + Wire.close(1013, from: role.peer)
        )
        expectEqual(transcript.events, [.closed(.tryAgainLater, reason: "")])
    }

    /// The Close frame of the peer comes in two pieces in the middle of its message, and ours between them.
    @Test(arguments: Role.both)
    func controlFrameUnderWayIsKeptWhenAMessageIsGivenUp(role: Role) throws {
        let start = Wire.frame(Wire.textStart, "unfinished", from: role.peer)
        let close = Wire.close(1001, "bye", from: role.peer)
        for position in 1..<close.count {
            var connection = WebSocketConnection(role: role)
            var transcript = Transcript()
            transcript.record(&connection, start + close[..<position])
            var output: [UInt8] = []
            try connection.sendClose(.policyViolation, output: &output, maskingKey: { 7 })
            transcript.record(&connection, Array(close[position...]))
            expectEqual(transcript.events, [.closed(.goingAway, reason: "bye")])
            expectEqual(transcript.heldLength, 0)
        }
    }

    @Test(arguments: Role.both)
    func limitsHoldForWhatComesNext(role: Role) {
        let limits = WebSocketLimits(messageLengthMax: 100, frameLengthMax: 80)
        var connection = WebSocketConnection(role: role, limits: limits.capped(messageLength: 10))
        var transcript = Transcript()
        let ten = [UInt8](repeating: 7, count: 10)
        transcript.record(&connection, Wire.frame(Wire.binary, ten, from: role.peer))
        connection.limits = limits
        transcript.record(&connection, Wire.frame(Wire.binary, ten + ten, from: role.peer))
        connection.limits = limits.capped(messageLength: 10)
        transcript.record(&connection, Wire.frame(Wire.binary, ten + [7], from: role.peer))
        expectEqual(
            transcript.events,
            [
                .binary(ten), .binary(ten + ten), .failed(.frameTooLong(length: 11, limit: 10)),
            ]
        )
    }

    /// A smaller limit in the middle of a message ends it with its next byte.
    @Test(arguments: DeflateParameters.either)
    func smallerLimitEndsAMessageThatIsLonger(parameters: DeflateParameters) {
        var server = WebSocketConnection(role: .server, deflate: parameters, pool: DeflatePool())
        var transcript = Transcript()
        let payload = Zlib.Compressor().payload([UInt8](repeating: 0, count: 1000))
        transcript.record(
            &server,
            Wire.frame(Wire.deflatedBinaryStart, payload, from: .client)
        )
        server.limits = server.limits.capped(messageLength: 100)
        transcript.record(
            &server,
            Wire.frame(Wire.continuation, [0x00, 0x00, 0x00, 0xFF, 0xFF], from: .client)
        )
        expectEqual(transcript.events, [.failed(.messageTooLong(length: 1000, limit: 100))])
    }
}
