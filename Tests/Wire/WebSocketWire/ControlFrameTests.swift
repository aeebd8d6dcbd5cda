import Expectations
import Wire

@Suite("RFC 6455 §5.5, control frames", .timeLimit(.minutes(10)))
struct ControlFrameTests {
    @Test(arguments: [0, 1, 124, 125], Role.both)
    func endAnswersPingWithThePayloadInAPong(length: Int, role: Role) {
        let payload = (0..<length).map { UInt8($0) }
        let transcript = receive(
            Wire.frame(Wire.ping, payload, from: role.peer),
            as: role
        )
        expectEqual(transcript.events, [.ping(payload)])
        expectEqual(transcript.output, Wire.frame(Wire.pong, payload, from: role))
        expectEqual(transcript.state, .open)
        expectEqual(transcript.heldLength, 0)
    }

    @Test(arguments: [0, 1, 124, 125], Role.both)
    func endReceivesUnsolicitedPongInSilence(length: Int, role: Role) {
        let payload = (0..<length).map { UInt8($0) }
        let transcript = receive(
            Wire.frame(Wire.pong, payload, from: role.peer),
            as: role
        )
        expectEqual(transcript.events, [.pong(payload)])
        expectEqual(transcript.output, [])
    }

    @Test(arguments: [126, 65536], Role.both)
    func endFailsConnectionOnControlFrameOverItsLength(length: Int, role: Role) {
        for first in [Wire.ping, Wire.pong, Wire.close] {
            let header = Wire.header(first, length: length, from: role.peer)
            expectFailure(.controlFrameTooLong, on: header, as: role)
        }
    }

    @Test(arguments: Role.both)
    func endFailsConnectionOnFragmentedControlFrame(role: Role) {
        for first in [Wire.ping, Wire.pong, Wire.close] {
            let frame = Wire.frame(first & 0x7F, "a", from: role.peer)
            expectFailure(.controlFrameFragmented, on: frame, as: role)
        }
    }

    @Test(arguments: Role.both)
    func endAnswersEveryPingInOrder(role: Role) {
        var frames: [UInt8] = []
        var pongs: [UInt8] = []
        for number in UInt8(0)..<20 {
            frames += Wire.frame(Wire.ping, [number, number], from: role.peer)
            pongs += Wire.frame(Wire.pong, [number, number], from: role)
        }
        let transcript = receive(frames, as: role)
        expectEqual(transcript.events, (UInt8(0)..<20).map { .ping([$0, $0]) })
        expectEqual(transcript.output, pongs)
    }

    @Test
    func clientTakesAKeyForEachAnswer() {
        var client = WebSocketConnection(role: .client)
        var bytes =
            Wire.frame(Wire.ping, from: .server) + Wire.frame(Wire.ping, from: .server)
        var input = bytes.mutableSpan
        var consumed = 0
        var output: [UInt8] = []
        var key: UInt32 = 0
        for _ in 0..<2 {
            _ = client.receive(&input, consumed: &consumed, output: &output) {
                key += 1
                return key
            }
        }
        expectEqual(output, [0x8A, 0x80, 0, 0, 0, 1, 0x8A, 0x80, 0, 0, 0, 2])
    }
}
