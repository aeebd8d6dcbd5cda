import Expectations
import LoopTesting
import Reactor
import Wire

@testable import Loops

/// A peer that connected at 100 s, is pinged 25 s later, has 8 s to answer, and 5 s to close.
///
/// A class, because Swift Testing's macros take no noncopyable values.
private final class Peer {
    private static let policy = WebSocketPolicy(
        pingInterval: .seconds(25),
        pongTimeout: .seconds(8),
        closeTimeout: .seconds(5),
        controlFramesMax: 2
    )

    private var machine: EchoMachine
    private var turn = Turn(now: .seconds(100))

    init(limits: WebSocketLimits = WebSocketLimits()) {
        machine = EchoMachine(.server(limits), now: .seconds(100), Peer.policy)
    }

    var isMidMessage: Bool { machine.isMidMessage }
    var heldInputBytes: Int { machine.heldInputBytes }

    func takeFrames() -> [Frame] {
        defer { turn.clearOutput() }
        return serverFrames(turn.output)
    }

    func receive(_ bytes: [UInt8], bytesMax: Int = 1000, at seconds: Int64) -> Echoed {
        var bytes = bytes
        return bytes.withUnsafeMutableBufferPointer {
            turn.begin(at: .seconds(seconds))
            return machine.receive(
                $0,
                bytesMax: bytesMax,
                Peer.policy,
                &turn
            )
        }
    }

    func deadlinePassed(at seconds: Int64) -> [WebSocketAction] {
        turn.begin(at: .seconds(seconds))
        return machine.deadlinePassed(Peer.policy, &turn)
    }

    func fail(at seconds: Int64) -> [WebSocketAction] {
        turn.begin(at: .seconds(seconds))
        return machine.fail(.tryAgainLater, "full", Peer.policy, &turn)
    }
}

@Suite("Echo machine, by state and input", .timeLimit(.minutes(10)))
struct EchoMachineTests {
    private static let message = clientFrame(Frame.text, [0x61])
    private static let ping = clientFrame(Frame.ping, [])
    private static let close = clientFrame(Frame.close, [3, 232])
    private static let echo = Frame(opcode: Frame.text, payload: [0x61])

    private func awaitingPong() -> Peer {
        let peer = Peer()
        expectEqual(peer.deadlinePassed(at: 125), [.wait(until: .seconds(133))])
        expectEqual(peer.takeFrames(), [.emptyPing])
        return peer
    }

    private func leaving() -> Peer {
        let peer = Peer()
        expectEqual(peer.fail(at: 110), [.wait(until: .seconds(115))])
        expectEqual(peer.takeFrames(), [.close(1013, "full")])
        return peer
    }

    // MARK: Idle

    @Test func messagesComeBackAndPostponeThePing() {
        let peer = Peer()
        let echoed = peer.receive(EchoMachineTests.message + EchoMachineTests.message, at: 110)
        expect(echoed.hasMessage)
        expectEqual(echoed.actions, [.wait(until: .seconds(135))])
        expectEqual(peer.takeFrames(), [EchoMachineTests.echo, EchoMachineTests.echo])
    }

    @Test func inputBeyondTheWorkOfATurnIsNotConsumed() {
        let peer = Peer()
        let input = EchoMachineTests.message + EchoMachineTests.message
        let echoed = peer.receive(input, bytesMax: 0, at: 110)
        expectEqual(echoed.consumed, EchoMachineTests.message.count)
        expectEqual(peer.takeFrames(), [EchoMachineTests.echo])
        let rest = peer.receive(Array(input[echoed.consumed...]), bytesMax: 0, at: 110)
        expectEqual(rest.consumed, EchoMachineTests.message.count)
        expectEqual(peer.takeFrames(), [EchoMachineTests.echo])
    }

    @Test func unfinishedMessageIsHeld() {
        let peer = Peer()
        let echoed = peer.receive(clientFrame(Frame.text, [0x61], isFinal: false), at: 110)
        expect(!echoed.hasMessage)
        expect(peer.isMidMessage)
        expect(peer.heldInputBytes > 0)
    }

    @Test func tooManyControlFramesCloseTheConnection() {
        let peer = Peer()
        let pings = EchoMachineTests.ping + EchoMachineTests.ping + EchoMachineTests.ping
        let echoed = peer.receive(pings, at: 110)
        expectEqual(echoed.actions, [.count(.controlFrames), .wait(until: .seconds(115))])
    }

    @Test func peersCloseEndsTheConnection() {
        let peer = Peer()
        expectEqual(peer.receive(EchoMachineTests.close, at: 110).actions, [.close])
        expectEqual(peer.takeFrames(), [.close(1000, "")])
    }

    @Test func messageOverTheLimitIsCounted() {
        let peer = Peer(limits: WebSocketLimits().capped(messageLength: 4))
        let input = clientFrame(Frame.text, [1, 2, 3, 4, 5]) + EchoMachineTests.message
        let echoed = peer.receive(input, at: 110)
        expectEqual(echoed.actions, [.count(.frameBytes), .close])
        expectEqual(echoed.consumed, input.count, "the rest is dropped")
    }

    @Test func pingIsSentAtTheDeadlineAndNotBefore() {
        let peer = Peer()
        expectEqual(peer.deadlinePassed(at: 124), [.wait(until: .seconds(125))])
        expect(peer.takeFrames().isEmpty)
        expectEqual(peer.deadlinePassed(at: 125), [.wait(until: .seconds(133))])
        expectEqual(peer.takeFrames(), [.emptyPing])
    }

    // MARK: Awaiting a sign of life

    @Test func anyInputIsASignOfLife() {
        expectEqual(awaitingPong().receive([], at: 127).actions, [.wait(until: .seconds(152))])
        let peer = awaitingPong()
        _ = peer.receive(EchoMachineTests.message, at: 127)
        expectEqual(peer.takeFrames(), [EchoMachineTests.echo])
        expectEqual(peer.deadlinePassed(at: 152), [.wait(until: .seconds(160))], "pinged again")
    }

    @Test func unansweredPingAbortsTheConnection() {
        let peer = awaitingPong()
        expectEqual(peer.deadlinePassed(at: 132), [.wait(until: .seconds(133))])
        expectEqual(peer.deadlinePassed(at: 133), [.count(.pongTimeout), .abort])
    }

    @Test func peerThatIsPingedCanBeFailed() {
        expectEqual(awaitingPong().fail(at: 126), [.wait(until: .seconds(131))])
    }

    // MARK: Leaving

    @Test func inputDoesNotPostponeTheCloseDeadline() {
        let peer = leaving()
        let actions = peer.receive(EchoMachineTests.message, at: 114).actions
        expectEqual(actions, [.wait(until: .seconds(115))])
        expect(peer.takeFrames().isEmpty, "nothing may follow the Close frame")
    }

    @Test func peersCloseAnswersOurs() {
        expectEqual(leaving().receive(EchoMachineTests.close, at: 111).actions, [.close])
    }

    @Test func unansweredCloseAbortsTheConnection() {
        expectEqual(leaving().deadlinePassed(at: 115), [.count(.closeTimeout), .abort])
    }

    @Test func firstReasonStays() {
        let peer = leaving()
        expectEqual(peer.fail(at: 112), [.wait(until: .seconds(115))])
        expect(peer.takeFrames().isEmpty)
    }
}
