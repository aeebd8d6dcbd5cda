import Expectations
import Wire

@Suite("RFC 6455 §10.4, limits", .timeLimit(.minutes(10)))
struct LimitsTests {
    @Test(arguments: [200, 70_000], Role.both)
    func endTakesFrameAtTheLimitAndNotOneByteMore(limit: Int, role: Role) {
        let limits = WebSocketLimits(messageLengthMax: 100_000, frameLengthMax: limit)
        let payload = [UInt8](repeating: 7, count: limit)
        let frame = Wire.frame(Wire.binary, payload, from: role.peer)
        expectEqual(receive(frame, as: role, limits: limits).events, [.binary(payload)])
        // Told from the header.
        let header = Wire.header(Wire.binary, length: limit + 1, from: role.peer)
        let error = WebSocketError.frameTooLong(length: limit + 1, limit: limit)
        expectFailure(error, on: header, as: role, limits: limits)
    }

    @Test(arguments: Role.both)
    func endFailsConnectionOnTheLongestFrameThereIs(role: Role) {
        let header = Wire.header(Wire.binary, length: Int.max, from: role.peer)
        let error = WebSocketError.frameTooLong(length: Int.max, limit: 1 << 20)
        expectFailure(error, on: header, as: role)
    }

    @Test(arguments: Role.both)
    func endTakesFragmentedMessageAtTheLimitAndNotOneByteMore(role: Role) {
        let limits = WebSocketLimits(messageLengthMax: 10, frameLengthMax: 6)
        let start = Wire.frame(Wire.binaryStart, [1, 2, 3, 4, 5, 6], from: role.peer)
        let end = Wire.frame(Wire.continuation, [7, 8, 9, 10], from: role.peer)
        let message = Received.binary(Array(1...10))
        expectEqual(
            receive(start + end + start + end, as: role, limits: limits).events,
            [message, message]
        )
        let header = Wire.header(Wire.continuation, length: 5, from: role.peer)
        let error = WebSocketError.messageTooLong(length: 11, limit: 10)
        expectFailure(error, on: start + header, as: role, limits: limits)
    }

    @Test(arguments: Role.both)
    func controlFramesDoNotCountAgainstTheMessage(role: Role) {
        let limits = WebSocketLimits(messageLengthMax: 2, fragmentsPerMessageMax: 2)
        let frames =
            Wire.frame(Wire.binaryStart, [1], from: role.peer)
            + Wire.frame(Wire.ping, "longer than a message", from: role.peer)
            + Wire.frame(Wire.ping, "and another", from: role.peer)
            + Wire.frame(Wire.continuation, [2], from: role.peer)
        let transcript = receive(frames, as: role, limits: limits)
        expectEqual(transcript.events.last, .binary([1, 2]))
        expectEqual(transcript.events.count, 3)
    }

    @Test(arguments: [1, 2, 5], Role.both)
    func endTakesFragmentsAtTheLimitAndNotOneMore(limit: Int, role: Role) {
        let limits = WebSocketLimits(fragmentsPerMessageMax: limit)
        func frames(_ count: Int) -> [UInt8] {
            (1...count).flatMap { number in
                let opcode: UInt8 = number == 1 ? 0x02 : 0x00
                let fin: UInt8 = number == count ? 0x80 : 0
                return Wire.frame(fin | opcode, from: role.peer)
            }
        }
        let atLimit = frames(limit)
        expectEqual(
            receive(atLimit + atLimit, as: role, limits: limits).events,
            [.binary([]), .binary([])]
        )
        expectFailure(
            .tooManyFragments(limit: limit),
            on: frames(limit + 1),
            as: role,
            limits: limits
        )
    }

    @Test
    func limitsHaveTheirDefaults() {
        let limits = WebSocketLimits()
        expectEqual(limits.messageLengthMax, 1_048_576)
        expectEqual(limits.frameLengthMax, 1_048_576)
        expectEqual(limits.fragmentsPerMessageMax, 65_536)
        expectEqual(WebSocketLimits(messageLengthMax: 7).frameLengthMax, 7)
        expectEqual(WebSocketLimits(messageLengthMax: 1 << 30).messageLengthMax, 1 << 30)
    }

    @Test
    func limitsThatContradictEachOtherTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = WebSocketLimits(messageLengthMax: 10, frameLengthMax: 11)
        }
        await #expect(processExitsWith: .failure) { _ = WebSocketLimits(messageLengthMax: 0) }
        await #expect(processExitsWith: .failure) {
            _ = WebSocketLimits(messageLengthMax: 1 << 30 + 1)
        }
        await #expect(processExitsWith: .failure) {
            _ = WebSocketLimits(fragmentsPerMessageMax: 0)
        }
    }
}

@Suite("Memory of a connection", .timeLimit(.minutes(10)))
struct MemoryTests {
    @Test
    func connectionFitsInACacheLine() {
        let cacheLineSize = 64
        expect(MemoryLayout<WebSocketConnection>.size <= cacheLineSize)
    }

    @Test(arguments: Role.both)
    func idleConnectionHoldsNoMemory(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "first", from: role.peer)
            + Wire.frame(Wire.ping, "ping", from: role.peer)
            + Wire.frame(Wire.continuation, "last", from: role.peer)
        for position in 0...frames.count {
            var connection = WebSocketConnection(role: role)
            var transcript = Transcript()
            transcript.record(&connection, Array(frames[..<position]))
            transcript.record(&connection, Array(frames[position...]))
            expectEqual(connection.assembled.capacity, 0)
        }
    }

    @Test
    func wholeMessageIsNotCopied() {
        var server = WebSocketConnection(role: .server)
        var bytes = Wire.frame(Wire.text, "a whole message", from: .client)
        var input = bytes.mutableSpan
        var consumed = 0
        var output: [UInt8] = []
        let event = server.receive(&input, consumed: &consumed, output: &output)
        expectEqual(event, .message(.text, .input(6..<21)))
        expectEqual(server.assembled.capacity, 0)
    }

    @Test
    func announcedLengthAloneTakesNoMemory() {
        var server = WebSocketConnection(role: .server)
        var transcript = Transcript()
        let header = Wire.header(Wire.binary, length: 1 << 20, from: .client)
        transcript.record(&server, header + [1, 2, 3])
        expect(server.assembled.capacity < 256)
    }
}
