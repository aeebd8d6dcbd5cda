import Expectations
import SeededRandom
import Wire

@Suite("RFC 7692 §6.1, sending compressed messages", .timeLimit(.minutes(10)))
struct DeflateSendTests {
    private func connection(
        _ role: Role,
        _ deflate: DeflateParameters?,
        lengthMin: Int = 128
    ) -> WebSocketConnection {
        let pool = DeflatePool(settings: DeflateSettings(messageLengthMin: lengthMin))
        return WebSocketConnection(role: role, deflate: deflate, pool: pool)
    }

    @Test(arguments: Role.both)
    func endCompressesFromTheLeastLengthOn(role: Role) throws {
        var connection = connection(role, .fresh, lengthMin: 200)
        var output: [UInt8] = []
        try connection.send(.text, sampleText(199), output: &output)
        expectEqual(output, Wire.frame(Wire.text, sampleText(199), from: role))
        output = []
        try connection.send(.text, sampleText(200), output: &output)
        expectEqual(output.first, Wire.deflatedText)
        expect(output.count < 120)
        expectEqual(
            receive(output, as: role.peer, deflate: .fresh).events,
            [
                .message(.text, sampleText(200))
            ]
        )
    }

    @Test(arguments: Role.both)
    func endWithoutTheExtensionCompressesNothing(role: Role) throws {
        var connection = connection(role, nil, lengthMin: 0)
        var output: [UInt8] = []
        try connection.send(.text, sampleText(1000), output: &output)
        expectEqual(output, Wire.frame(Wire.text, sampleText(1000), from: role))
        expectNil(connection.sendWindowBits)
    }

    @Test(arguments: Role.both)
    func endSendsAsItIsWhatDoesNotGetSmaller(role: Role) throws {
        var connection = connection(role, .fresh)
        var output: [UInt8] = [0xEE]
        try connection.send(.binary, noise(1000), output: &output)
        expectEqual(output, [0xEE] + Wire.frame(Wire.binary, noise(1000), from: role))
    }

    @Test(arguments: Role.both)
    func endThatTakesItsContextOverKeepsItInStepWithThePeer(role: Role) throws {
        var connection = connection(role, .takenOver)
        var output: [UInt8] = []
        // The first does not get smaller, the second is a reference to it and nothing else.
        try connection.send(.binary, noise(1000), output: &output)
        let firstLength = output.count
        try connection.send(.binary, noise(1000), output: &output)
        expect(output.count - firstLength < 40)
        let transcript = receive(output, as: role.peer, deflate: .takenOver)
        expectEqual(transcript.events, [.binary(noise(1000)), .binary(noise(1000))])
    }

    @Test(arguments: Role.both)
    func endCompressesFragmentsWithControlFramesBetween(role: Role) throws {
        for deflate in DeflateParameters.either {
            var connection = connection(role, deflate)
            var output: [UInt8] = []
            for fragment in [sampleText(300), [], Array("x".utf8)] {
                try connection.send(.text, fragment, isFinal: false, output: &output)
                try connection.sendPing([1].span, output: &output) { Wire.maskingKey }
            }
            try connection.send(.text, [], output: &output)
            try connection.send(.text, Array("plain".utf8), output: &output)
            let transcript = receive(output, as: role.peer, deflate: deflate)
            expectEqual(
                transcript.events,
                [
                    .ping([1]), .ping([1]), .ping([1]),
                    .message(.text, sampleText(300) + Array("x".utf8)), .text("plain"),
                ]
            )
            expectEqual(output.first, Wire.deflatedTextStart)
        }
    }

    @Test(arguments: Role.both)
    func firstFragmentDecidesForItsMessage(role: Role) throws {
        var connection = connection(role, .fresh)
        var output: [UInt8] = []
        // Shorter than what is compressed, but who knows how it goes on.
        try connection.send(.text, Array("a".utf8), isFinal: false, output: &output)
        let start = output.count
        expectEqual(output.first, Wire.deflatedTextStart)
        try connection.send(.text, noise(5).map { $0 & 0x7F }, output: &output)
        expectEqual(output[start], Wire.continuation)
        let message = Array("a".utf8) + noise(5).map { $0 & 0x7F }
        expectEqual(
            receive(output, as: role.peer, deflate: .fresh).events,
            [.message(.text, message)]
        )
    }

    @Test(arguments: [125, 126, 65_535, 65_536, 200_000], Role.both)
    func headerOfEveryLengthStandsBeforeThePayload(length: Int, role: Role) throws {
        // Half noise, so that the payload's length is in the range of each form of the header.
        let message = noise(length) + [UInt8](repeating: 0, count: length)
        var connection = connection(role, .fresh)
        var output: [UInt8] = [0xEE]
        try connection.send(.binary, message, output: &output)
        expect(output.count < 1 + length + length / 4 + 100)
        var transcript = Transcript()
        var peer = WebSocketConnection(role: role.peer, deflate: .fresh, pool: DeflatePool())
        transcript.record(&peer, Array(output[1...]))
        expectEqual(transcript.events, [.binary(message)])
    }

    @Test(arguments: Role.both)
    func echoSendsBackWhatCameInEveryForm(role: Role) throws {
        let deflated = Wire.frame(
            Wire.deflatedText,
            Zlib.Compressor().payload(sampleText(500)),
            from: role.peer
        )
        let plain = Wire.frame(Wire.binary, [1, 2, 3], from: role.peer)
        let fragments =
            Wire.frame(Wire.textStart, "ab", from: role.peer)
            + Wire.frame(Wire.continuation, "c", from: role.peer)
        var connection = connection(role, .fresh)
        var bytes = deflated + plain + fragments
        var input = bytes.mutableSpan
        var consumed = 0
        var output: [UInt8] = []
        while let event = connection.receive(&input, consumed: &consumed, output: &output) {
            guard case .message(let kind, let payload) = event else {
                Issue.record("unexpected: \(event)")
                return
            }
            try connection.sendBack(kind, payload, in: input.span, output: &output) {
                Wire.maskingKey
            }
        }
        let transcript = receive(output, as: role.peer, deflate: .fresh)
        expectEqual(
            transcript.events,
            [
                .message(.text, sampleText(500)), .binary([1, 2, 3]), .text("abc"),
            ]
        )
        expectEqual(output.first, Wire.deflatedText)
    }

    // MARK: Every window

    /// What we send is read by a peer that has the agreed window and not one byte more.
    @Test(arguments: 8...15, [false, true])
    func nothingSentReachesBeyondTheWindow(bits: Int, isTakenOver: Bool) throws {
        var random = SeededGenerator(seed: UInt64(bits))
        let window = DeflateWindow(bits: bits, isTakenOver: isTakenOver)
        for role in Role.both {
            var connection = connection(role, .both(window), lengthMin: 0)
            expectEqual(connection.sendWindowBits, bits)
            let peer = Zlib.StrictDecompressor(windowBits: bits)
            // The same words again and again, at all distances.
            let vocabulary = (0..<40).map {
                noise(Int.random(in: 3...90, using: &random), seed: $0)
            }
            for _ in 0..<12 {
                var message: [UInt8] = []
                for _ in 0..<Int.random(in: 1...400, using: &random) {
                    message += vocabulary.randomElement(using: &random)!
                }
                var output: [UInt8] = []
                try connection.send(.binary, message, output: &output)
                let header = try require(FrameHeader.decode(output.span))
                let payload = Wire.masked(Array(output[header.length...]), from: role)
                guard header.header.rsv1 else {
                    expectEqual(payload, message)
                    continue
                }
                if !isTakenOver { peer.reset() }
                expectEqual(peer.message(payload), message)
            }
        }
    }
}
