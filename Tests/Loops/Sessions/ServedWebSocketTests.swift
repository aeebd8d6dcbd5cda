import Expectations
import LoopTesting
import Reactor
import Wire

@testable import Loops

@Suite("Served WebSocket, by state and input", .timeLimit(.minutes(10)))
struct ServedWebSocketTests {
    private static let policy = WebSocketPolicy(
        pingInterval: .seconds(25),
        pongTimeout: .seconds(8),
        closeTimeout: .seconds(5),
        controlFramesMax: 2
    )
    private static let answered = clientFrame(Frame.close, [3, 232])

    /// Swift Testing's macros take no noncopyable values.
    private final class Tester {
        var socket = ServedWebSocket(.server())
        var output: [UInt8] = []

        func progress(at seconds: Int64) -> ServedWebSocket.Progress {
            socket.progress(now: .seconds(seconds), ServedWebSocketTests.policy)
        }

        func refusesControlFrames(_ count: Int, at seconds: Int64) -> Bool {
            let now = MonotonicInstant.seconds(seconds)
            return socket.refusesControlFrames(
                count,
                now: now,
                ServedWebSocketTests.policy,
                output: &output
            )
        }

        func close() { socket.close(.goingAway, "bye", output: &output) }
        func ping() { socket.ping(output: &output) }
        func send() { socket.send(.text, [0x61], output: &output) }

        func receive(_ frame: [UInt8]) {
            var bytes = frame
            var consumed = 0
            bytes.withUnsafeMutableBufferPointer { buffer in
                var input = buffer.mutableSpan
                while socket.connection.receive(&input, consumed: &consumed, output: &output) != nil
                {}
            }
        }

        func takeFrames() -> [Frame] {
            defer { output = [] }
            return serverFrames(output)
        }
    }

    private func closing() -> Tester {
        let tester = Tester()
        tester.close()
        expectEqual(tester.progress(at: 10), .closing(until: .seconds(15)))
        _ = tester.takeFrames()
        return tester
    }

    private func closed() -> Tester {
        let tester = closing()
        tester.receive(ServedWebSocketTests.answered)
        expectEqual(tester.progress(at: 11), .closed)
        return tester
    }

    // MARK: Open

    @Test func openSocketSendsMessagesAndPings() {
        let tester = Tester()
        tester.send()
        tester.ping()
        expectEqual(tester.takeFrames(), [Frame(opcode: Frame.text, payload: [0x61]), .emptyPing])
        expectEqual(tester.progress(at: 1), .open)
    }

    @Test func openSocketTakesControlFramesUpToTheLimitInEachSecond() {
        let tester = Tester()
        expect(!tester.refusesControlFrames(2, at: 1))
        expect(!tester.refusesControlFrames(2, at: 2))
        expect(tester.takeFrames().isEmpty)
        expect(tester.refusesControlFrames(1, at: 2))
        let reason = "more than 2 control frames in a second"
        expectEqual(tester.takeFrames(), [.close(1008, reason)])
        expectEqual(tester.progress(at: 2), .closing(until: .seconds(7)))
    }

    @Test func closeIsSentWithItsReason() {
        let tester = Tester()
        tester.close()
        expectEqual(tester.takeFrames(), [.close(1001, "bye")])
    }

    @Test func peersCloseIsAnsweredAndEndsTheSocket() {
        let tester = Tester()
        tester.receive(ServedWebSocketTests.answered)
        expectEqual(tester.takeFrames(), [.close(1000, "")])
        expectEqual(tester.progress(at: 1), .closed)
    }

    // MARK: Closing

    @Test func closeDeadlineIsSetOnce() {
        let tester = closing()
        tester.receive(clientFrame(Frame.text, [0x61]))
        expectEqual(tester.progress(at: 14), .closing(until: .seconds(15)))
    }

    @Test func closingSocketSendsNothingMore() {
        let tester = closing()
        tester.send()
        tester.ping()
        tester.close()
        expect(tester.takeFrames().isEmpty, "nothing may follow the Close frame")
        expect(!tester.refusesControlFrames(9, at: 11), "it is closing already")
    }

    // MARK: Closed

    @Test func closedSocketSendsNothingMoreAndStaysClosed() {
        let tester = closed()
        tester.send()
        tester.ping()
        tester.close()
        expect(!tester.refusesControlFrames(9, at: 12))
        expect(tester.takeFrames().isEmpty)
        expectEqual(tester.progress(at: 99), .closed)
    }

    // MARK: Bounds

    @Test func errorsThatPassALimitNameTheirBound() {
        expectEqual(Bound(.messageTooLong(length: 2, limit: 1)), .messageBytes)
        expectEqual(Bound(.frameTooLong(length: 2, limit: 1)), .frameBytes)
        expectEqual(Bound(.tooManyFragments(limit: 1)), .fragments)
        expectNil(Bound(.textNotUTF8))
    }
}
