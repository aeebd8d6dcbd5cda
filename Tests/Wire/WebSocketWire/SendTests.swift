import Expectations
import Wire

@Suite("RFC 6455 §6.1, sending data", .timeLimit(.minutes(10)))
struct SendTests {
    @Test(arguments: [0, 1, 125, 126, 65535, 65536], Role.both)
    func endSendsWholeMessageInOneFrame(length: Int, role: Role) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = [0xEE]
        try connection.send(.binary, payload, output: &output)
        expectEqual(output, [0xEE] + Wire.frame(Wire.binary, payload, from: role))
    }

    @Test(arguments: ["", "a", "æøå", "🇳🇴 varde"], Role.both)
    func endSendsText(text: String, role: Role) throws {
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        try connection.send(text: text, output: &output) { Wire.maskingKey }
        expectEqual(output, Wire.frame(Wire.text, text, from: role))
    }

    @Test(arguments: Role.both)
    func endSendsFragmentsWithControlFramesBetween(role: Role) throws {
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        try connection.send(.text, [0x61], isFinal: false, output: &output)
        try connection.sendPing([1, 2].span, output: &output) { Wire.maskingKey }
        try connection.send(.text, [], isFinal: false, output: &output)
        try connection.sendPong([3].span, output: &output) { Wire.maskingKey }
        try connection.send(.text, [0x62], output: &output)
        try connection.send(.binary, [4], output: &output)
        let expected =
            Wire.frame(Wire.textStart, "a", from: role)
            + Wire.frame(Wire.ping, [1, 2], from: role)
            + Wire.frame(Wire.continuationMiddle, from: role)
            + Wire.frame(Wire.pong, [3], from: role)
            + Wire.frame(Wire.continuation, "b", from: role)
            + Wire.frame(Wire.binary, [4], from: role)
        expectEqual(output, expected)
    }

    @Test(arguments: Role.both)
    func endRefusesAnotherMessageWhileOneIsUnfinished(role: Role) throws {
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        try connection.send(.text, [0x61], isFinal: false, output: &output)
        let sent = output
        #expect(throws: WebSocketSendError.messageUnfinished) {
            try connection.send(.binary, [1], output: &output)
        }
        #expect(throws: WebSocketSendError.messageUnfinished) {
            try connection.send(text: "b", output: &output) { Wire.maskingKey }
        }
        expectEqual(output, sent)
        try connection.send(.text, [], output: &output)
        expectEqual(output, sent + Wire.frame(Wire.continuation, from: role))
    }

    @Test(arguments: [0, 125], Role.both)
    func endSendsControlFrameUpToItsLength(length: Int, role: Role) throws {
        let payload = [UInt8](repeating: 7, count: length)
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        try connection.sendPing(payload.span, output: &output) { Wire.maskingKey }
        try connection.sendPong(payload.span, output: &output) { Wire.maskingKey }
        let expected =
            Wire.frame(Wire.ping, payload, from: role) + Wire.frame(Wire.pong, payload, from: role)
        expectEqual(output, expected)
    }

    @Test(arguments: Role.both)
    func endRefusesControlFrameOverItsLength(role: Role) {
        let payload = [UInt8](repeating: 7, count: 126)
        var connection = WebSocketConnection(role: role)
        var output: [UInt8] = []
        #expect(throws: WebSocketSendError.controlPayloadTooLong(126)) {
            try connection.sendPing(payload.span, output: &output) { Wire.maskingKey }
        }
        #expect(throws: WebSocketSendError.controlPayloadTooLong(126)) {
            try connection.sendPong(payload.span, output: &output) { Wire.maskingKey }
        }
        expectEqual(output, [])
    }

    @Test
    func clientTakesAKeyForEachFrame() throws {
        var client = WebSocketConnection(role: .client)
        var output: [UInt8] = []
        var key: UInt32 = 0
        for _ in 0..<2 {
            try client.send(text: "", output: &output) {
                key += 1
                return key
            }
        }
        expectEqual(output, [0x81, 0x80, 0, 0, 0, 1, 0x81, 0x80, 0, 0, 0, 2])
    }

    @Test
    func clientWithoutKeysTraps() async {
        await #expect(processExitsWith: .failure) {
            var client = WebSocketConnection(role: .client)
            var output: [UInt8] = []
            try client.send(text: "", output: &output)
        }
    }

    @Test
    func everySendErrorSaysWhatHappened() {
        let errors: [WebSocketSendError] = [
            .connectionNotOpen, .messageUnfinished, .controlPayloadTooLong(126),
            .closeCodeNotSendable(.noStatusReceived),
        ]
        expectEqual(
            errors.map(\.description),
            [
                "connection is not open", "another message is unfinished",
                "control payload length 126 over limit 125", "close code 1005 may not be sent",
            ]
        )
    }
}
