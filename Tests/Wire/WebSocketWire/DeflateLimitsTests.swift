import Expectations
import Wire

@Suite("RFC 7692 §8, limits of compressed messages", .timeLimit(.minutes(10)))
struct DeflateLimitsTests {
    /// A compressed message in two frames, cut in the middle of its payload.
    private func frames(_ message: [UInt8], from sender: Role) -> [UInt8] {
        let payload = Zlib.Compressor().payload(message)
        let (start, end) = (payload[..<(payload.count / 2)], payload[(payload.count / 2)...])
        return Wire.frame(Wire.deflatedBinaryStart, Array(start), from: sender)
            + Wire.frame(Wire.continuation, Array(end), from: sender)
    }

    @Test(arguments: Role.both)
    func endTakesInflatedMessageAtTheLimitAndNotOneByteMore(role: Role) {
        let limits = WebSocketLimits(messageLengthMax: 1000)
        // Noise takes more than its length: the limit is one of what is inflated.
        for content in [sampleText(1001), noise(1001), [UInt8](repeating: 7, count: 1001)] {
            let message = Array(content[..<1000])
            let atLimit = frames(message, from: role.peer)
            expectEqual(
                receive(atLimit + atLimit, as: role, limits: limits, deflate: .takenOver).events,
                [.binary(message), .binary(message)]
            )
            expectFailure(
                .messageTooLong(length: 1001, limit: 1000),
                on: frames(content, from: role.peer),
                as: role,
                limits: limits,
                deflate: .takenOver
            )
        }
    }

    @Test(arguments: Role.both)
    func endTakesCompressedFrameAtTheLimitAndNotOneByteMore(role: Role) {
        let payload = Zlib.Compressor().payload(sampleText(1000))
        let frame = Wire.frame(Wire.deflatedBinary, payload, from: role.peer)
        let limits = { WebSocketLimits(messageLengthMax: 1000, frameLengthMax: $0) }
        // A frame gets a little more than what it may have uncompressed.
        let least = (1...1000).first { limits($0).compressedFrameLengthMax >= payload.count }!
        expect(least < payload.count)
        expectEqual(
            receive(frame, as: role, limits: limits(least), deflate: .fresh).events,
            [.binary(sampleText(1000))]
        )
        let less = limits(least - 1)
        let error = WebSocketError.frameTooLong(
            length: payload.count,
            limit: less.compressedFrameLengthMax
        )
        expectFailure(error, on: frame, as: role, limits: less, deflate: .fresh)
    }

    @Test(arguments: Role.both)
    func messageOfTheGreatestLengthComesThroughHoweverItIsCompressed(role: Role) {
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<100_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let payload = Zlib.Compressor().payload(noise)
        expect(payload.count > noise.count)
        let frame = Wire.frame(Wire.deflatedBinary, payload, from: role.peer)
        let limits = WebSocketLimits(messageLengthMax: noise.count)
        expectEqual(
            receive(frame, as: role, limits: limits, deflate: .fresh).events,
            [.binary(noise)]
        )
    }

    @Test(arguments: Role.both)
    func bombIsRefusedAsSoonAsTheLimitIsPassed(role: Role) {
        // 16 MiB in 16 KiB.
        let bomb = Zlib.Compressor().payload([UInt8](repeating: 0, count: 1 << 24))
        expect(bomb.count < 1 << 15)
        let limit = 1 << 16
        let limits = WebSocketLimits(messageLengthMax: limit)
        // The first hundred bytes do: neither the end of the frame nor of the message is there.
        let start = Wire.header(Wire.deflatedBinaryStart, length: bomb.count, from: role.peer)
        let bytes = start + Wire.masked(bomb, from: role.peer)[..<100]
        let error = WebSocketError.messageTooLong(length: limit + 1, limit: limit)
        expectEqual(error.closeCode, .messageTooBig)
        expectFailure(error, on: Array(bytes), as: role, limits: limits, deflate: .fresh)
    }

    @Test(arguments: [100, 1000, 100_000], Role.both)
    func endHoldsNoMoreThanTheLimitAndAFixedBuffer(limit: Int, role: Role) {
        var connection = WebSocketConnection(
            role: role,
            limits: WebSocketLimits(messageLengthMax: limit),
            deflate: .fresh,
            pool: DeflatePool()
        )
        let payload = Zlib.Compressor().payload([UInt8](repeating: 0, count: limit))
        let frames =
            Wire.frame(Wire.deflatedBinaryStart, [0x00, 0x00, 0x00, 0xFF, 0xFF], from: role.peer)
            + Wire.frame(Wire.continuation, payload, from: role.peer)
        var capacityMax = 0
        var count = 0
        for byte in frames {
            var piece = [byte]
            var input = piece.mutableSpan
            var consumed = 0
            var output: [UInt8] = []
            while let event = connection.receive(
                &input,
                consumed: &consumed,
                output: &output,
                maskingKey: { Wire.maskingKey }
            ) {
                guard case .message(.binary, .assembled(0..<limit)) = event else {
                    Issue.record("unexpected: \(event)")
                    return
                }
                count += 1
                capacityMax = max(capacityMax, connection.assembled.capacity)
            }
            capacityMax = max(capacityMax, connection.assembled.capacity)
        }
        expectEqual(count, 1)
        // What an allocation is rounded up to: 16 bytes, or a page for the longest.
        expect(capacityMax <= limit + 1 + 4096)
        expectEqual(connection.assembled.capacity, 0)
    }

    @Test(arguments: Role.both)
    func fragmentsOfCompressedMessageAreCounted(role: Role) {
        let limits = WebSocketLimits(fragmentsPerMessageMax: 3)
        // An empty block each: nothing comes of them, however many there are.
        let empty: [UInt8] = [0x00, 0x00, 0x00, 0xFF, 0xFF]
        let frames =
            Wire.frame(Wire.deflatedTextStart, empty, from: role.peer)
            + Wire.frame(Wire.continuationMiddle, empty, from: role.peer)
            + Wire.frame(Wire.continuationMiddle, empty, from: role.peer)
            + Wire.frame(Wire.continuationMiddle, from: role.peer)
        let error = WebSocketError.tooManyFragments(limit: 3)
        expectFailure(error, on: frames, as: role, limits: limits, deflate: .fresh)
    }
}
