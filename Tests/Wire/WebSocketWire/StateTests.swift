import Expectations
import Wire

/// Every input in every state.
@Suite("States of a connection", .timeLimit(.minutes(10)))
struct StateTests {
    typealias State = WebSocketConnection.State
    static let states: [State] = [.open, .closing, .closed, .failed]

    private func connection(_ role: Role, in state: State) throws -> WebSocketConnection {
        var connection = WebSocketConnection(role: role)
        var transcript = Transcript()
        switch state {
        case .open: break
        case .closing: try connection.startClosing(output: &transcript.output)
        case .closed: transcript.record(&connection, Wire.close(1000, from: role.peer))
        case .failed: transcript.record(&connection, Wire.frame(0x83, from: role.peer))
        }
        expectEqual(connection.state, state)
        return connection
    }

    private func transcript(
        _ bytes: [UInt8],
        _ role: Role,
        in state: State
    ) throws -> Transcript {
        var connection = try connection(role, in: state)
        var transcript = Transcript()
        transcript.record(&connection, bytes)
        return transcript
    }

    @Test(arguments: states, Role.both)
    func propertiesFollowTheState(state: State, role: Role) throws {
        let connection = try connection(role, in: state)
        expectEqual(connection.isOpen, (state == .open))
        expectEqual(connection.isClosing, (state == .closing))
        expectEqual(connection.isClosed, (state == .closed || state == .failed))
        let shouldClose = state == .failed || (state == .closed && role == .server)
        expectEqual(connection.shouldCloseTransport, shouldClose)
    }

    @Test(arguments: states, Role.both)
    func messageIsDeliveredWhenOpenOnly(state: State, role: Role) throws {
        let frame = Wire.frame(Wire.text, "hi", from: role.peer)
        let transcript = try transcript(frame, role, in: state)
        expectEqual(transcript.events, (state == .open ? [.text("hi")] : []))
        expectEqual(transcript.output, [])
        expectEqual(transcript.state, state)
    }

    @Test(arguments: states, Role.both)
    func pingIsAnsweredWhenOpenOnly(state: State, role: Role) throws {
        let frame = Wire.frame(Wire.ping, "hi", from: role.peer)
        let transcript = try transcript(frame, role, in: state)
        let isOpen = state == .open
        expectEqual(transcript.events, (isOpen ? [.ping(Array("hi".utf8))] : []))
        expectEqual(transcript.output, (isOpen ? Wire.frame(Wire.pong, "hi", from: role) : []))
        expectEqual(transcript.state, state)
    }

    @Test(arguments: states, Role.both)
    func pongIsReportedWhenOpenOnly(state: State, role: Role) throws {
        let frame = Wire.frame(Wire.pong, "hi", from: role.peer)
        let transcript = try transcript(frame, role, in: state)
        expectEqual(transcript.events, (state == .open ? [.pong(Array("hi".utf8))] : []))
        expectEqual(transcript.state, state)
    }

    @Test(arguments: states, Role.both)
    func closeFrameClosesOnce(state: State, role: Role) throws {
        let transcript = try transcript(Wire.close(1001, from: role.peer), role, in: state)
        switch state {
        case .open, .closing:
            expectEqual(transcript.events, [.closed(.goingAway, reason: "")])
            expectEqual(transcript.state, .closed)
        case .closed, .failed:
            expectEqual(transcript.events, [])
            expectEqual(transcript.state, state)
        }
        let answer = Wire.close(1001, from: role)
        expectEqual(transcript.output, (state == .open ? answer : []))
    }

    @Test(arguments: states, Role.both)
    func peersErrorFailsTheConnectionOnce(state: State, role: Role) throws {
        let transcript = try transcript(Wire.frame(0x8B, from: role.peer), role, in: state)
        let error = WebSocketError.reservedOpcode(11)
        switch state {
        case .open, .closing:
            expectEqual(transcript.events, [.failed(error)])
            expectEqual(transcript.state, .failed)
        case .closed, .failed:
            expectEqual(transcript.events, [])
            expectEqual(transcript.state, state)
        }
        expectEqual(transcript.output, (state == .open ? Wire.close(for: error, from: role) : []))
    }

    @Test(arguments: states, Role.both)
    func endOfStreamIsToldOnce(state: State, role: Role) throws {
        var connection = try connection(role, in: state)
        let event = connection.endOfStream()
        switch state {
        case .open, .closing:
            expectEqual(event, .closed(.abnormalClosure, reason: ""))
            expectEqual(connection.state, .failed)
        case .closed, .failed:
            expectNil(event)
            expectEqual(connection.state, state)
        }
        let second = connection.endOfStream()
        expectNil(second)
    }

    @Test(arguments: states, Role.both)
    func nothingIsSentUnlessOpen(state: State, role: Role) throws {
        var connection = try connection(role, in: state)
        var output: [UInt8] = []
        guard state != .open else {
            try connection.send(.text, [0x61], output: &output)
            try connection.startClosing(output: &output)
            expectEqual(connection.state, .closing)
            return
        }
        let refusal = WebSocketSendError.connectionNotOpen
        #expect(throws: refusal) { try connection.send(.text, [0x61], output: &output) }
        #expect(throws: refusal) {
            try connection.send(text: "a", output: &output) { Wire.maskingKey }
        }
        #expect(throws: refusal) {
            try connection.sendPing([1].span, output: &output) { Wire.maskingKey }
        }
        #expect(throws: refusal) {
            try connection.sendPong([1].span, output: &output) { Wire.maskingKey }
        }
        #expect(throws: refusal) { try connection.startClosing(output: &output) }
        expectEqual(output, [])
        expectEqual(connection.state, state)
    }
}
