import Expectations
import Wire

@Suite("RFC 6455 §7, closing the connection", .timeLimit(.minutes(10)))
struct CloseTests {
    // MARK: The peer begins, §5.5.1

    @Test(arguments: [1000, 1001, 1003, 1011, 3000, 4999] as [UInt16], Role.both)
    func endAnswersCloseFrameWithItsCode(code: UInt16, role: Role) {
        let transcript = receive(Wire.close(code, "bye", from: role.peer), as: role)
        expectEqual(transcript.events, [.closed(CloseCode(rawValue: code), reason: "bye")])
        expectEqual(transcript.output, Wire.close(code, from: role))
        expectEqual(transcript.state, .closed)
        expectEqual(transcript.heldLength, 0)
    }

    @Test(arguments: Role.both)
    func endAnswersEmptyCloseFrameWithAnEmptyOne(role: Role) {
        let transcript = receive(Wire.frame(Wire.close, from: role.peer), as: role)
        expectEqual(transcript.events, [.closed(.noStatusReceived, reason: "")])
        expectEqual(transcript.output, Wire.frame(Wire.close, from: role))
    }

    @Test(arguments: Role.both)
    func endTakesReasonUpToItsLength(role: Role) {
        let reason = String(repeating: "r", count: 121) + "å"
        let transcript = receive(Wire.close(1000, reason, from: role.peer), as: role)
        expectEqual(transcript.events, [.closed(.normalClosure, reason: reason)])
    }

    @Test(arguments: Role.both)
    func endDropsWhatFollowsTheCloseFrame(role: Role) {
        let frames =
            Wire.close(1000, from: role.peer)
            + Wire.frame(Wire.ping, "p", from: role.peer)
            + Wire.frame(Wire.text, "t", from: role.peer)
            + Wire.close(1001, from: role.peer) + [0xFF, 0xFF, 0xFF]
        let transcript = receive(frames, as: role)
        expectEqual(transcript.events, [.closed(.normalClosure, reason: "")])
        expectEqual(transcript.output, Wire.close(1000, from: role))
    }

    @Test(arguments: Role.both)
    func endFailsConnectionOnHalfACloseCode(role: Role) {
        let frame = Wire.frame(Wire.close, [0x03], from: role.peer)
        expectFailure(.closeCodeTruncated, on: frame, as: role)
    }

    @Test(
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
            as [UInt16],
        Role.both
    )
    func endFailsConnectionOnCloseCodeThatMayNotBeSent(code: UInt16, role: Role) {
        let frame = Wire.close(code, "x", from: role.peer)
        expectFailure(.closeCodeInvalid(CloseCode(rawValue: code)), on: frame, as: role)
    }

    @Test(arguments: [[0xFF], [0xC3], [0xCE, 0xBA, 0xED, 0xA0, 0x80]] as [[UInt8]], Role.both)
    func endFailsConnectionOnReasonThatIsNotUTF8(reason: [UInt8], role: Role) {
        let frame = Wire.frame(Wire.close, [0x03, 0xE8] + reason, from: role.peer)
        expectFailure(.closeReasonNotUTF8, on: frame, as: role)
    }

    // MARK: We begin, §7.1.2

    @Test(arguments: Role.both)
    func endThatBeganIsClosedByTheAnswer(role: Role) {
        var sent: [UInt8] = []
        let transcript = receive(Wire.close(1001, "too", from: role.peer), as: role) {
            sent = []
            try! $0.startClosing(.goingAway, reason: "leaving", output: &sent)
            let isClosing = $0.isClosing
            expect(isClosing)
        }
        expectEqual(sent, Wire.close(1001, "leaving", from: role))
        expectEqual(transcript.events, [.closed(.goingAway, reason: "too")])
        expectEqual(transcript.output, [])
        expectEqual(transcript.state, .closed)
    }

    @Test(arguments: Role.both)
    func endSendsCloseFrameWithoutCode(role: Role) throws {
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        try connection.startClosing(nil, reason: "ignored", output: &output)
        expectEqual(output, Wire.frame(Wire.close, from: role))
    }

    @Test(arguments: Role.both)
    func closingEndReadsAndDropsMessagesUntilTheAnswer(role: Role) {
        let frames =
            Wire.frame(Wire.text, "late", from: role.peer)
            + Wire.frame(Wire.binaryStart, [1, 2, 3], from: role.peer)
            + Wire.frame(Wire.ping, "ping", from: role.peer)
            + Wire.frame(Wire.continuation, [4], from: role.peer)
            + Wire.frame(Wire.pong, "pong", from: role.peer)
            + Wire.close(1000, "done", from: role.peer)
        let transcript = receive(frames, as: role) {
            var output: [UInt8] = []
            try! $0.startClosing(output: &output)
        }
        expectEqual(transcript.events, [.closed(.normalClosure, reason: "done")])
        expectEqual(transcript.output, [])
    }

    @Test(arguments: Role.both)
    func closingEndFinishesFramesThatBeganBefore(role: Role) throws {
        // Our Close frame goes out at each point inside the peer's frames.
        let limits = WebSocketLimits(messageLengthMax: 4)
        let start =
            Wire.frame(Wire.binaryStart, [1, 2], from: role.peer)
            + Wire.frame(Wire.ping, "ping", from: role.peer)
        let frames =
            start
            + Wire.frame(Wire.continuation, [3, 4], from: role.peer)
            + Wire.frame(Wire.binary, [5, 6, 7, 8], from: role.peer)
            + Wire.close(1000, "done", from: role.peer)
        for position in 0..<frames.count {
            var connection = WebSocketConnection(role: role, limits: limits)
            var transcript = Transcript()
            transcript.record(&connection, Array(frames[..<position]))
            try connection.startClosing(output: &transcript.output)
            transcript.record(&connection, Array(frames[position...]))
            expectEqual(
                transcript.events.last,
                .closed(.normalClosure, reason: "done"),
                "closing at \(position)"
            )
            // The ping is answered if it was whole before.
            let pong = position < start.count ? [] : Wire.frame(Wire.pong, "ping", from: role)
            expectEqual(transcript.output, pong + Wire.close(1000, from: role))
            expectEqual(transcript.heldLength, 0)
        }
    }

    @Test(arguments: Role.both)
    func closingEndFailsConnectionWithoutASecondCloseFrame(role: Role) {
        let transcript = receive(Wire.frame(0x83, from: role.peer), as: role) {
            var output: [UInt8] = []
            try! $0.startClosing(output: &output)
        }
        expectEqual(transcript.events, [.failed(.reservedOpcode(3))])
        expectEqual(transcript.output, [])
        expectEqual(transcript.state, .failed)
    }

    @Test(arguments: Role.both)
    func closingEndHoldsThePeerToTheOrderOfFragments(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "a", from: role.peer)
            + Wire.frame(Wire.continuation, "b", from: role.peer)
            + Wire.frame(Wire.continuation, "c", from: role.peer)
        let transcript = receive(frames, as: role) {
            var output: [UInt8] = []
            try! $0.startClosing(output: &output)
        }
        expectEqual(transcript.events, [.failed(.continuationWithoutStart)])
    }

    @Test(arguments: [1005, 1006, 1015, 999, 2000, 5000] as [UInt16], Role.both)
    func endRefusesToSendAReservedCode(code: UInt16, role: Role) {
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        let code = CloseCode(rawValue: code)
        #expect(throws: WebSocketSendError.closeCodeNotSendable(code)) {
            try connection.startClosing(code, output: &output)
        }
        expectEqual(output, [])
        let isOpen = connection.isOpen
        expect(isOpen)
    }

    @Test(arguments: Role.both)
    func endCutsTheReasonBetweenScalars(role: Role) throws {
        let cases: [(reason: String, sent: String)] = [
            (String(repeating: "r", count: 123), String(repeating: "r", count: 123)),
            (String(repeating: "r", count: 124), String(repeating: "r", count: 123)),
            (String(repeating: "å", count: 62), String(repeating: "å", count: 61)),
            (String(repeating: "r", count: 120) + "🗻", String(repeating: "r", count: 120)),
            (
                String(repeating: "r", count: 119) + "🗻x",
                String(repeating: "r", count: 119) + "🗻"
            ),
        ]
        for (reason, expected) in cases {
            var connection = WebSocketConnection(role: role)
            var output: [UInt8] = []
            try connection.startClosing(.goingAway, reason: reason, output: &output)
            expectEqual(output, Wire.close(1001, expected, from: role))
        }
    }

    // MARK: The TCP connection, §7.1.1

    @Test
    func serverClosesTheTransportFirst() {
        var server = WebSocketConnection(role: .server)
        var transcript = Transcript()
        transcript.record(&server, Wire.close(1000, from: .client))
        let shouldClose = server.shouldCloseTransport
        expect(shouldClose)
    }

    @Test
    func clientWaitsForTheServerToCloseTheTransport() {
        var client = WebSocketConnection(role: .client)
        var transcript = Transcript()
        transcript.record(&client, Wire.close(1000, from: .server))
        let shouldClose = client.shouldCloseTransport
        expect(!shouldClose)
        let event = client.endOfStream()
        expectNil(event, "an orderly end is no event")
    }

    @Test(arguments: Role.both)
    func endClosesTheTransportAfterAFailure(role: Role) {
        var connection = WebSocketConnection(role: role)
        var transcript = Transcript()
        transcript.record(&connection, [0xFF])
        let shouldClose = connection.shouldCloseTransport
        expect(shouldClose)
    }

    // MARK: The end of the stream, §7.1.5

    @Test(arguments: Role.both)
    func endOfStreamWithoutCloseFrameIsAbnormal(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "never finished", from: role.peer)
            + Wire.close(1000, from: role.peer)
        for position in 0..<frames.count {
            var connection = WebSocketConnection(role: role)
            var transcript = Transcript()
            transcript.record(&connection, Array(frames[..<position]))
            let event = connection.endOfStream()
            expectEqual(event, .closed(.abnormalClosure, reason: ""))
            let (state, held) = (connection.state, connection.assembled.capacity)
            expectEqual(state, .failed)
            expectEqual(held, 0)
        }
    }
}
