import ClientWire
import Expectations
import LoopTesting
import Reactor
import Wire

@testable import Loops

/// A reader that connected at 100 s, is pinged 25 s later, has 8 s to answer, and 5 s to close.
///
/// A class, because Swift Testing's macros take no noncopyable values.
private final class Reader {
    private static let policy = WebSocketPolicy(
        pingInterval: .seconds(25),
        pongTimeout: .seconds(8),
        closeTimeout: .seconds(5),
        controlFramesMax: 2
    )

    private var machine: SocketReaderMachine
    private var turn = Turn(now: .seconds(100))

    init(
        expiry: MonotonicInstant? = nil,
        limits: WebSocketLimits = WebSocketLimits(),
        isOpening: Bool = false
    ) {
        machine = SocketReaderMachine(
            .server(limits),
            now: .seconds(100),
            expiry: expiry,
            isOpening: isOpening,
            Reader.policy
        )
    }

    var code: DisconnectCode? { machine.disconnectCode }
    var heldCursor: UInt64? { machine.heldCursor }
    var heldInputBytes: Int { machine.heldInputBytes }
    var isMidMessage: Bool { machine.isMidMessage }

    func takeFrames() -> [Frame] {
        defer { turn.clearOutput() }
        return serverFrames(turn.output)
    }

    func receive(_ bytes: [UInt8], at seconds: Int64) -> [WebSocketAction] {
        var bytes = bytes
        return bytes.withUnsafeMutableBufferPointer {
            turn.begin(at: .seconds(seconds))
            return machine.receive($0, Reader.policy, &turn)
        }
    }

    func receiveEndOfStream() -> [WebSocketAction] { machine.receiveEndOfStream() }

    func deadlinePassed(at seconds: Int64) -> [WebSocketAction] {
        turn.begin(at: .seconds(seconds))
        return machine.deadlinePassed(Reader.policy, &turn)
    }

    func begin() -> Bool { machine.begin() }
    func hold(after cursor: UInt64) -> Bool { machine.hold(after: cursor) }
    func resume() -> UInt64? { machine.resume() }
    func send(_ message: [UInt8]) { machine.send(message, &turn) }

    func disconnect(_ code: DisconnectCode, at seconds: Int64) -> [WebSocketAction] {
        turn.begin(at: .seconds(seconds))
        return machine.disconnect(code, Reader.policy, &turn)
    }

    func fail(at seconds: Int64) -> [WebSocketAction] {
        turn.begin(at: .seconds(seconds))
        return machine.fail(.tryAgainLater, "full", Reader.policy, &turn)
    }
}

@Suite("Socket reader machine, by state and input", .timeLimit(.minutes(10)))
struct SocketReaderMachineTests {
    private static let ping = clientFrame(Frame.ping, [])
    private static let pong = clientFrame(Frame.pong, [])
    private static let close = clientFrame(Frame.close, [3, 232])

    private func awaitingPong(expiry: MonotonicInstant? = nil) -> Reader {
        let reader = Reader(expiry: expiry)
        let due = min(.seconds(133), expiry ?? .seconds(133))
        expectEqual(reader.deadlinePassed(at: 125), [.wait(until: due)])
        expectEqual(reader.takeFrames(), [.emptyPing])
        return reader
    }

    private func leaving() -> Reader {
        let reader = Reader()
        let actions = reader.disconnect(.shutdown, at: 110)
        expectEqual(actions, [.unsubscribe, .wait(until: .seconds(115))])
        expectEqual(reader.takeFrames(), [.close(1001, "shutdown")])
        return reader
    }

    // MARK: Idle

    @Test func bytesPostponeThePing() {
        let reader = Reader()
        expectEqual(
            reader.receive(SocketReaderMachineTests.pong, at: 110),
            [.wait(until: .seconds(135))]
        )
        expectEqual(reader.receive([], at: 111), [.wait(until: .seconds(136))])
    }

    @Test func pingIsAnswered() {
        let reader = Reader()
        expectEqual(
            reader.receive(SocketReaderMachineTests.ping, at: 101),
            [.wait(until: .seconds(126))]
        )
        expectEqual(reader.takeFrames(), [Frame(opcode: Frame.pong, payload: [])])
    }

    @Test func tooManyControlFramesCloseTheConnection() {
        let reader = Reader()
        let pings = SocketReaderMachineTests.ping + SocketReaderMachineTests.ping
        _ = reader.receive(pings, at: 101)
        let actions = reader.receive(SocketReaderMachineTests.ping, at: 101)
        expectEqual(actions, [.count(.controlFrames), .unsubscribe, .wait(until: .seconds(106))])
        expectNil(reader.code, "no code of the hub's protocols")
    }

    @Test func messageClosesTheConnection() {
        let reader = Reader()
        let actions = reader.receive(clientFrame(Frame.text, [0x61]), at: 101)
        expectEqual(actions, [.unsubscribe, .wait(until: .seconds(106))])
        expectEqual(reader.code, .inappropriateProtocol)
        let code = DisconnectCode.inappropriateProtocol
        expectEqual(reader.takeFrames(), [.close(code.webSocketCode, code.reason)])
    }

    @Test func peersCloseEndsTheConnection() {
        let reader = Reader()
        expectEqual(
            reader.receive(SocketReaderMachineTests.close, at: 101),
            [.unsubscribe, .close]
        )
        expectEqual(reader.takeFrames(), [.close(1000, "")])
        expectNil(reader.code)
    }

    @Test func frameOverTheLimitIsCounted() {
        let reader = Reader(limits: WebSocketLimits().capped(messageLength: 4))
        let actions = reader.receive(clientFrame(Frame.text, [1, 2, 3, 4, 5]), at: 101)
        expectEqual(actions, [.count(.frameBytes), .unsubscribe, .close])
    }

    @Test func endOfStreamEndsTheConnection() {
        expectEqual(Reader().receiveEndOfStream(), [.unsubscribe, .close])
    }

    @Test func pingIsSentAtTheDeadlineAndNotBefore() {
        let reader = Reader()
        expectEqual(reader.deadlinePassed(at: 124), [.wait(until: .seconds(125))])
        expect(reader.takeFrames().isEmpty)
        expectEqual(reader.deadlinePassed(at: 125), [.wait(until: .seconds(133))])
        expectEqual(reader.takeFrames(), [.emptyPing])
    }

    @Test func expiredTokenEndsTheConnection() {
        let reader = Reader(expiry: .seconds(120))
        expectEqual(reader.receive([], at: 101), [.wait(until: .seconds(120))])
        let actions = reader.deadlinePassed(at: 120)
        expectEqual(actions, [.unsubscribe, .wait(until: .seconds(125))])
        expectEqual(reader.code, .expired)
    }

    @Test func readerIsHeldAndResumes() {
        let reader = Reader()
        expectNil(reader.resume())
        expect(reader.hold(after: 7))
        expect(!reader.hold(after: 9), "it is held already")
        expectEqual(reader.heldCursor, 7)
        expectEqual(reader.resume(), 7)
        expectNil(reader.heldCursor)
    }

    @Test func messageOfTheHubIsSent() {
        let reader = Reader()
        reader.send([0x61])
        expectEqual(reader.takeFrames(), [Frame(opcode: Frame.text, payload: [0x61])])
    }

    @Test func failureClosesWithACodeOfTheRFC() {
        let reader = Reader()
        expectEqual(reader.fail(at: 110), [.unsubscribe, .wait(until: .seconds(115))])
        expectEqual(reader.takeFrames(), [.close(1013, "full")])
        expectNil(reader.code)
    }

    @Test func unfinishedMessageIsHeld() {
        let reader = Reader()
        _ = reader.receive(clientFrame(Frame.text, [0x61], isFinal: false), at: 101)
        expect(reader.isMidMessage)
        expect(reader.heldInputBytes > 0)
    }

    // MARK: Awaiting pong

    @Test(arguments: [pong, ping])
    func anyBytesAnswerThePing(bytes: [UInt8]) {
        let reader = awaitingPong()
        let actions = reader.receive(bytes, at: 127)
        expectEqual(actions, [.countRoundTrip(.seconds(2)), .wait(until: .seconds(152))])
        expectEqual(reader.deadlinePassed(at: 152), [.wait(until: .seconds(160))], "pinged again")
    }

    @Test func noBytesDoNotAnswerThePing() {
        expectEqual(awaitingPong().receive([], at: 127), [.wait(until: .seconds(133))])
    }

    @Test func unansweredPingEndsTheConnection() {
        let reader = awaitingPong()
        expectEqual(reader.deadlinePassed(at: 132), [.wait(until: .seconds(133))])
        let actions = reader.deadlinePassed(at: 133)
        expectEqual(actions, [.count(.pongTimeout), .unsubscribe, .wait(until: .seconds(138))])
        expectEqual(reader.code, .noPong)
        expectEqual(reader.takeFrames(), [.close(1008, "no pong")])
    }

    @Test func expiredTokenEndsAReaderThatIsPinged() {
        let reader = awaitingPong(expiry: .seconds(130))
        expectEqual(reader.receive([], at: 126), [.wait(until: .seconds(130))])
        _ = reader.deadlinePassed(at: 130)
        expectEqual(reader.code, .expired)
    }

    @Test func readerThatIsPingedIsHeldAndResumes() {
        let reader = awaitingPong()
        expect(reader.hold(after: 3))
        expectEqual(reader.resume(), 3)
    }

    @Test func readerThatIsPingedEnds() {
        expectEqual(awaitingPong().receiveEndOfStream(), [.unsubscribe, .close])
        let actions = awaitingPong().disconnect(.shutdown, at: 126)
        expectEqual(actions, [.unsubscribe, .wait(until: .seconds(131))])
        expectEqual(awaitingPong().fail(at: 126), [.unsubscribe, .wait(until: .seconds(131))])
    }

    // MARK: Opening

    @Test func readerBeginsOnce() {
        let reader = Reader(isOpening: true)
        expect(reader.begin())
        expect(!reader.begin(), "it is served")
        expect(reader.hold(after: 7))
        expect(!reader.begin(), "it is held")
        expectEqual(reader.resume(), 7)
        expect(!Reader().begin(), "it was served from the start")
    }

    @Test func readerThatHasNotBegunIsNeitherHeldNorResumed() {
        let reader = Reader(isOpening: true)
        expect(!reader.hold(after: 7))
        expectNil(reader.heldCursor)
        expectNil(reader.resume())
        expect(reader.begin(), "it still waits for its first messages")
    }

    @Test func readerThatHasNotBegunIsPingedAndBegins() {
        let reader = Reader(isOpening: true)
        expectEqual(reader.deadlinePassed(at: 125), [.wait(until: .seconds(133))])
        expectEqual(reader.takeFrames(), [.emptyPing])
        expect(reader.begin())
    }

    @Test func readerThatLeavesDoesNotBegin() {
        let reader = Reader(isOpening: true)
        expectEqual(
            reader.receive(SocketReaderMachineTests.close, at: 101),
            [.unsubscribe, .close]
        )
        expect(!reader.begin())
        expect(!leaving().begin())
    }

    // MARK: Leaving

    @Test func bytesDoNotPostponeTheCloseDeadline() {
        let reader = leaving()
        let actions = reader.receive(clientFrame(Frame.text, [0x61]), at: 114)
        expectEqual(actions, [.wait(until: .seconds(115))])
        expect(reader.takeFrames().isEmpty)
    }

    @Test func peersCloseAnswersOurs() {
        expectEqual(leaving().receive(SocketReaderMachineTests.close, at: 111), [.close])
        expectEqual(leaving().receiveEndOfStream(), [.close])
    }

    @Test func unansweredCloseAbortsTheConnection() {
        expectEqual(leaving().deadlinePassed(at: 115), [.count(.closeTimeout), .abort])
    }

    @Test func leavingReaderGetsNothing() {
        let reader = leaving()
        reader.send([0x61])
        expect(!reader.hold(after: 7))
        expectNil(reader.resume())
        expect(reader.takeFrames().isEmpty)
    }

    @Test func firstCodeStays() {
        let reader = leaving()
        expectEqual(reader.disconnect(.expired, at: 112), [.wait(until: .seconds(115))])
        expectEqual(reader.fail(at: 112), [.wait(until: .seconds(115))])
        expectEqual(reader.code, .shutdown)
        expect(reader.takeFrames().isEmpty)
    }

    @Test func readerThatLeavesIsNoLongerHeld() {
        let reader = Reader()
        expect(reader.hold(after: 7))
        _ = reader.disconnect(.shutdown, at: 110)
        expectNil(reader.heldCursor)
    }
}
