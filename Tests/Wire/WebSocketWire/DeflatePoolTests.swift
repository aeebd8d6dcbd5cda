import Expectations
import Wire

@Suite("What the connections of a loop share", .timeLimit(.minutes(10)))
struct DeflatePoolTests {
    private let pool = DeflatePool()

    private func server(_ window: DeflateWindow) -> WebSocketConnection {
        WebSocketConnection(role: .server, deflate: .both(window), pool: pool)
    }

    // MARK: States

    @Test
    func connectionsWithoutTakeoverShareOneOfEach() throws {
        for _ in 0..<50 {
            var connection = server(DeflateWindow())
            var transcript = Transcript()
            let payload = Zlib.Compressor().payload(sampleText(300))
            transcript.record(
                &connection,
                Wire.frame(Wire.deflatedText, payload, from: .client)
            )
            try connection.send(.text, sampleText(300), output: &transcript.output)
            expectEqual(transcript.events, [.message(.text, sampleText(300))])
            expectEqual(pool.idleInflaterCount, 1)
            expectEqual(pool.idleDeflaterCount, 1)
        }
    }

    @Test
    func eachWindowSizeHasItsOwn() throws {
        for bits in DeflateWindow.bitsRange {
            var connection = server(DeflateWindow(bits: bits))
            var output: [UInt8] = []
            try connection.send(.text, sampleText(300), output: &output)
        }
        expectEqual(pool.idleDeflaterCount, DeflateWindow.bitsRange.count)
    }

    @Test
    func connectionThatTakesItsContextOverKeepsItsOwn() throws {
        var connection = server(.takenOver)
        var transcript = Transcript()
        let payload = Zlib.Compressor().payload(sampleText(300))
        transcript.record(&connection, Wire.frame(Wire.deflatedText, payload, from: .client))
        try connection.send(.text, sampleText(300), output: &transcript.output)
        expectEqual(pool.idleInflaterCount, 0)
        expectEqual(pool.idleDeflaterCount, 0)
    }

    @Test
    func decompressorsOfManySlowPeersComeBackAndFewAreKept() {
        let count = DeflatePool.idleInflatersMax + 5
        let start = Wire.frame(Wire.deflatedTextStart, [0xF2, 0x48, 0xCD], from: .client)
        func holdOne(more: Int) {
            var connection = server(DeflateWindow())
            var transcript = Transcript()
            transcript.record(&connection, start)
            if more > 0 { holdOne(more: more - 1) }
            // A connection that ends in the middle of its message gives back what it holds.
        }
        holdOne(more: count - 1)
        expectEqual(pool.idleInflaterCount, DeflatePool.idleInflatersMax)
    }

    @Test
    func failedMessageLeavesNothingToTheNextConnection() {
        let payload = Zlib.Compressor().payload(sampleText(300))
        for bad in [Array(payload.dropLast(9)), [0x06]] {
            var failing = server(DeflateWindow())
            var transcript = Transcript()
            let frame = Wire.frame(Wire.deflatedText, bad, from: .client)
            transcript.record(&failing, frame)
            expectEqual(transcript.state, .failed)
            expectEqual(pool.idleInflaterCount, 1)
            var next = server(DeflateWindow())
            transcript = Transcript()
            transcript.record(&next, Wire.frame(Wire.deflatedText, payload, from: .client))
            expectEqual(transcript.events, [.message(.text, sampleText(300))])
        }
    }

    @Test
    func unfinishedMessageLeavesNothingToTheNextConnection() throws {
        var output: [UInt8] = []
        func abandon() throws {
            var connection = server(DeflateWindow())
            try connection.send(.text, sampleText(300), isFinal: false, output: &output)
        }
        try abandon()
        expectEqual(pool.idleDeflaterCount, 1)
        output = []
        var connection = server(DeflateWindow())
        try connection.send(.text, sampleText(300), output: &output)
        let transcript = receive(output, as: .client, deflate: .fresh)
        expectEqual(transcript.events, [.message(.text, sampleText(300))])
    }

    // MARK: Shared messages

    private func shared(_ message: [UInt8], windowBits: Int = 15) -> [UInt8]? {
        var output: [UInt8] = []
        let pays = pool.appendShared(
            .text,
            message.span,
            windowBits: windowBits,
            to: &output
        )
        expect(pays || output.isEmpty)
        return pays ? output : nil
    }

    @Test
    func sharedMessageIsReadByEveryClientWithThatWindow() throws {
        for bits in DeflateWindow.bitsRange {
            let frame = try require(shared(sampleText(3000), windowBits: bits))
            expectEqual(frame.first, Wire.deflatedText)
            for clientBits in bits...15 {
                for isTakenOver in [false, true] {
                    let window = DeflateWindow(bits: clientBits, isTakenOver: isTakenOver)
                    var client = WebSocketConnection(
                        role: .client,
                        deflate: .both(window),
                        pool: pool
                    )
                    var transcript = Transcript()
                    transcript.record(&client, frame + frame)
                    let message = Received.message(.text, sampleText(3000))
                    expectEqual(transcript.events, [message, message])
                }
            }
        }
    }

    @Test
    func sharedMessageStaysWithinItsWindow() throws {
        let message = noise(3000).map { $0 & 0x7F }
        for bits in DeflateWindow.bitsRange {
            let frame = try require(shared(message + message, windowBits: bits))
            let header = try require(FrameHeader.decode(frame.span))
            let peer = Zlib.StrictDecompressor(windowBits: bits)
            expectEqual(peer.message(Array(frame[header.length...])), message + message)
        }
    }

    @Test
    func sharedMessageIsNoneWhereItDoesNotPay() {
        expectNil(shared(sampleText(127)))
        expect(shared(sampleText(128)) != nil)
        expectNil(shared(noise(1000)))
        expectNil(shared([]))
    }

    @Test
    func sharedMessageIsAppended() throws {
        let frame = try require(shared(sampleText(500)))
        var output: [UInt8] = [1, 2]
        expect(pool.appendShared(.text, sampleText(500).span, windowBits: 15, to: &output))
        expectEqual(output, [1, 2] + frame)
        expect(!pool.appendShared(.text, noise(500).span, windowBits: 15, to: &output))
        expectEqual(output, [1, 2] + frame)
    }

    @Test
    func bufferOfSharedMessagesIsUsedAgain() {
        var output: [UInt8] = []
        _ = pool.appendShared(.text, sampleText(5000).span, windowBits: 15, to: &output)
        let address = output.withUnsafeBufferPointer { $0.baseAddress }
        for _ in 0..<20 {
            output.removeAll(keepingCapacity: true)
            _ = pool.appendShared(.text, sampleText(5000).span, windowBits: 15, to: &output)
            expectEqual(output.withUnsafeBufferPointer { $0.baseAddress }, address)
        }
    }

    @Test
    func ownAndSharedMessagesMixWhenTheConnectionIsTold() throws {
        let frame = try require(shared(noise(900).map { $0 & 0x3F }))
        var server = server(.takenOver)
        var wire: [UInt8] = []
        for _ in 0..<3 {
            try server.send(.text, sampleText(400), output: &wire)
            wire += frame
            server.sharedMessageWasSent()
        }
        try server.send(.text, sampleText(400), output: &wire)
        let own = Received.message(.text, sampleText(400))
        let common = Received.message(.text, noise(900).map { $0 & 0x3F })
        expectEqual(
            receive(wire, as: .client, deflate: .takenOver).events,
            [own, common, own, common, own, common, own]
        )
    }

    @Test
    func ownAndSharedMessagesMixWithoutTakeover() throws {
        let frame = try require(shared(sampleText(900)))
        var server = server(DeflateWindow())
        var wire: [UInt8] = []
        try server.send(.text, sampleText(400), output: &wire)
        wire += frame
        try server.send(.text, sampleText(400), output: &wire)
        let own = Received.message(.text, sampleText(400))
        expectEqual(
            receive(wire, as: .client, deflate: .fresh).events,
            [own, .message(.text, sampleText(900)), own]
        )
    }

    @Test
    func sharedMessageInsideAnotherTraps() async {
        await #expect(processExitsWith: .failure) {
            let pool = DeflatePool()
            var server = WebSocketConnection(role: .server, deflate: .takenOver, pool: pool)
            var output: [UInt8] = []
            try server.send(.text, [0x61], isFinal: false, output: &output)
            server.sharedMessageWasSent()
        }
    }
}
