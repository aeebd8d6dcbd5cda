import CZlib
import Expectations
import SeededRandom
import Wire

@Suite("RFC 7692 §6.2, receiving compressed messages", .timeLimit(.minutes(10)))
struct DeflateReceiveTests {
    // MARK: RSV1, §6

    @Test(arguments: Role.both)
    func endReadsMessagesWithAndWithoutCompression(role: Role) {
        let frames =
            Wire.frame(Wire.text, "plain", from: role.peer)
            + Wire.frame(Wire.deflatedText, DeflateExamplesTests.hello, from: role.peer)
            + Wire.frame(Wire.binaryStart, [1], from: role.peer)
            + Wire.frame(Wire.continuation, [2], from: role.peer)
            + Wire.frame(Wire.deflatedBinary, DeflateExamplesTests.hello, from: role.peer)
        for deflate in DeflateParameters.either {
            let transcript = receive(frames, as: role, deflate: deflate)
            let hello = Array("Hello".utf8)
            expectEqual(
                transcript.events,
                [
                    .text("plain"), .text("Hello"), .binary([1, 2]), .binary(hello),
                ]
            )
        }
    }

    /// RSV1 on a ping, a pong, a Close frame and a continuation; RSV2 and RSV3 anywhere.
    @Test(
        arguments: [0xC9, 0xCA, 0xC8, 0xA1, 0x91, 0xE1, 0xD1, 0xF1, 0xA9, 0x98] as [UInt8],
        Role.both
    )
    func endFailsConnectionOnReservedBitInTheWrongPlace(first: UInt8, role: Role) {
        let frame = Wire.frame(first, from: role.peer)
        expectFailure(.reservedBitSet, on: frame, as: role, deflate: .fresh)
    }

    @Test(arguments: [0xC0, 0x40] as [UInt8], Role.both)
    func endFailsConnectionOnContinuationWithRSV1(first: UInt8, role: Role) {
        for start in [Wire.deflatedTextStart, Wire.textStart] {
            let frames =
                Wire.frame(start, [0xF2, 0x48, 0xCD], from: role.peer)
                + Wire.frame(first, [0xC9, 0xC9, 0x07, 0x00], from: role.peer)
            // Not as text, which these bytes are not: told before they are read.
            let binary = [frames[0] + 1] + frames[1...]
            expectFailure(.reservedBitSet, on: binary, as: role, deflate: .fresh)
        }
    }

    @Test(arguments: Role.both)
    func endWithoutTheExtensionFailsConnectionOnRSV1(role: Role) {
        let frame = Wire.frame(
            Wire.deflatedText,
            DeflateExamplesTests.hello,
            from: role.peer
        )
        expectFailure(.reservedBitSet, on: frame, as: role, deflate: nil)
    }

    // MARK: Fragments

    @Test(arguments: Role.both)
    func endInflatesFragmentsCutAnywhereWithControlFramesBetween(role: Role) {
        let message = sampleText(700)
        let payload = Zlib.Compressor().payload(message)
        for cut in 0...payload.count {
            let frames =
                Wire.frame(Wire.deflatedTextStart, Array(payload[..<cut]), from: role.peer)
                + Wire.frame(Wire.ping, "between", from: role.peer)
                + Wire.frame(Wire.continuationMiddle, from: role.peer)
                + Wire.frame(Wire.continuation, Array(payload[cut...]), from: role.peer)
            let whole = record(frames, as: role)
            expectEqual(whole.events, [.ping(Array("between".utf8)), .message(.text, message)])
        }
    }

    /// One connection given all at once: the cuts are those of the frames.
    private func record(_ bytes: [UInt8], as role: Role) -> Transcript {
        var connection = WebSocketConnection(role: role, deflate: .fresh, pool: DeflatePool())
        var transcript = Transcript()
        transcript.record(&connection, bytes)
        return transcript
    }

    @Test(arguments: Role.both)
    func endInflatesManyBlocksOfAllKinds(role: Role) {
        let compressor = Zlib.Compressor()
        var payload: [UInt8] = []
        var message: [UInt8] = []
        for length in [1, 300, 0, 5000, 70] {
            let part = length == 5000 ? noise(length) : sampleText(length)
            payload += compressor.payload(part, flush: Z_FULL_FLUSH)
            message += part
        }
        payload += compressor.payload(sampleText(10))
        message += sampleText(10)
        let frame = Wire.frame(Wire.deflatedBinary, payload, from: role.peer)
        expectEqual(receive(frame, as: role, deflate: .fresh).events, [.binary(message)])
    }

    @Test(arguments: Role.both)
    func endKeepsItsContextAcrossFinalBlocks(role: Role) {
        // A stream that ended, one whose first block refers to it, and the flush of §7.2.3.4.
        let first = Zlib.Compressor().payload(sampleText(400), flush: Z_FINISH) + [0x00]
        let compressor = Zlib.Compressor()
        _ = compressor.payload(sampleText(400))
        let second = compressor.payload(sampleText(400), flush: Z_FINISH) + [0x00]
        expect(second.count < 20, "refers to the first message")
        let frames =
            Wire.frame(Wire.deflatedText, first, from: role.peer)
            + Wire.frame(Wire.deflatedText, second, from: role.peer)
        let message = Received.message(.text, sampleText(400))
        expectEqual(receive(frames, as: role, deflate: .takenOver).events, [message, message])
    }

    // MARK: Text

    @Test(arguments: Role.both)
    func endChecksInflatedText(role: Role) {
        for text in ["æøå 日本 🗻", String(repeating: "🇳🇴", count: 9000)] {
            let payload = Zlib.Compressor().payload(Array(text.utf8))
            let frame = Wire.frame(Wire.deflatedText, payload, from: role.peer)
            expectEqual(receive(frame, as: role, deflate: .fresh).events, [.text(text)])
        }
        for bad in [[0x61, 0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            let payload = Zlib.Compressor().payload(bad)
            let text = Wire.frame(Wire.deflatedText, payload, from: role.peer)
            expectFailure(.textNotUTF8, on: text, as: role, deflate: .fresh)
            let binary = Wire.frame(Wire.deflatedBinary, payload, from: role.peer)
            expectEqual(receive(binary, as: role, deflate: .fresh).events, [.binary(bad)])
        }
    }

    @Test(arguments: Role.both)
    func endFailsConnectionAtTheFirstBadByteOfText(role: Role) {
        // The frame is not at its end, nor is the message.
        let payload = Zlib.Compressor().payload([0x61, 0xFF] + sampleText(100))
        let start = Wire.frame(Wire.deflatedTextStart, payload, from: role.peer)
        expectFailure(.textNotUTF8, on: start, as: role, deflate: .fresh)
    }

    // MARK: Bad data

    static let bad: [[UInt8]] = [
        [0x06],  // A block of the reserved type.
        [0x07, 0x00],
        [0x00, 0x05, 0x00, 0xFB, 0xFF, 0x48],  // A length that its complement contradicts.
        [0xF2, 0x00, 0x11, 0x00, 0x00],  // A reference to what was before the first byte.
        [],  // No block at all: the empty message is 00.
        [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x00, 0xFF, 0xFF],  // With its tail.
        [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],  // BFINAL without what must follow.
    ]

    @Test(arguments: bad, Role.both)
    func endFailsConnectionOnWhatIsNotDeflateData(payload: [UInt8], role: Role) {
        let frame = Wire.frame(Wire.deflatedBinary, payload, from: role.peer)
        for deflate in DeflateParameters.either {
            expectFailure(.compressedDataInvalid, on: frame, as: role, deflate: deflate)
        }
    }

    @Test(arguments: Role.both)
    func endFailsConnectionOnMessageCutShort(role: Role) {
        let payload = Zlib.Compressor().payload(sampleText(300))
        for count in 0..<payload.count {
            let cut = Array(payload[..<count])
            let frame = Wire.frame(Wire.deflatedBinary, cut, from: role.peer)
            expectFailure(.compressedDataInvalid, on: frame, as: role, deflate: .fresh)
        }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func damagedDataIsReadOrRefusedAndNothingElse(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var payload = Zlib.Compressor().payload(sampleText(200) + noise(100, seed: seed))
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            payload[Int.random(in: 0..<payload.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
        }
        for role in Role.both {
            let frame = Wire.frame(Wire.deflatedBinary, payload, from: role.peer)
            let limits = WebSocketLimits(messageLengthMax: 2000)
            let transcript = receive(frame, as: role, limits: limits, deflate: .fresh)
            expectEqual(transcript.events.count, 1)
            switch transcript.events.first {
            case .message(.binary, let bytes)?: expect(bytes.count <= 2000)
            case .failed(.compressedDataInvalid)?: break
            case .failed(.messageTooLong(length: 2001, limit: 2000))?: break
            default: Issue.record("neither read nor refused: \(transcript.events)")
            }
        }
    }

    // MARK: Windows

    @Test(arguments: 8...14, Role.both)
    func endRefusesReferenceBeyondTheWindow(bits: Int, role: Role) {
        let window = DeflateWindow(bits: bits, isTakenOver: true)
        // The second message refers back by the length of the first.
        func frames(_ length: Int) -> [UInt8] {
            let compressor = Zlib.Compressor()
            let bytes = noise(length)
            let first = compressor.payload(bytes)
            let second = compressor.payload(Array(bytes[..<100]))
            precondition(second.count < 50)
            return Wire.frame(Wire.deflatedBinary, first, from: role.peer)
                + Wire.frame(Wire.deflatedBinary, second, from: role.peer)
        }
        let size = 1 << bits
        let fitting = receive(frames(size), as: role, deflate: .both(window))
        expectEqual(fitting.events, [.binary(noise(size)), .binary(Array(noise(size)[..<100]))])
        // Further over than by the second message: what zlib puts out at once it also refers to.
        let length = size + 150
        expectFailure(
            .compressedDataInvalid,
            on: frames(length),
            as: role,
            after: [.binary(noise(length))],
            deflate: .both(window)
        )
    }

    @Test(arguments: Role.both)
    func endReachesTheWholeOfTheLargestWindow(role: Role) {
        let bytes = noise(32_000)
        let compressor = Zlib.Compressor()
        let frames =
            Wire.frame(Wire.deflatedBinary, compressor.payload(bytes), from: role.peer)
            + Wire.frame(Wire.deflatedBinary, compressor.payload(bytes), from: role.peer)
        let transcript = receive(frames, as: role, deflate: .takenOver)
        expectEqual(transcript.events, [.binary(bytes), .binary(bytes)])
    }

    // MARK: Ends

    @Test(arguments: Role.both)
    func endThatIsClosingDropsCompressedMessages(role: Role) {
        let frames =
            Wire.frame(Wire.deflatedText, DeflateExamplesTests.hello, from: role.peer)
            + Wire.frame(Wire.deflatedText, [0x07], from: role.peer)
            + Wire.close(1000, from: role.peer)
        let transcript = receive(frames, as: role, deflate: .fresh) {
            var sent: [UInt8] = []
            try! $0.startClosing(output: &sent)
        }
        expectEqual(transcript.events, [.closed(.normalClosure, reason: "")])
    }

    @Test(arguments: Role.both)
    func endClosedInTheMiddleOfAMessageDropsTheRest(role: Role) throws {
        let pool = DeflatePool()
        var connection = WebSocketConnection(role: role, deflate: .fresh, pool: pool)
        var transcript = Transcript()
        let start = Wire.frame(Wire.deflatedTextStart, [0xF2, 0x48, 0xCD], from: role.peer)
        transcript.record(&connection, start)
        expectEqual(pool.idleInflaterCount, 0)
        try connection.startClosing(output: &transcript.output)
        expectEqual(pool.idleInflaterCount, 1)
        let end = Wire.frame(Wire.continuation, [0xC9, 0xC9, 0x07, 0x00], from: role.peer)
        transcript.record(&connection, end + Wire.close(1000, from: role.peer))
        expectEqual(transcript.events, [.closed(.normalClosure, reason: "")])
        expectEqual(transcript.heldLength, 0)
    }
}
