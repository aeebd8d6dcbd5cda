import ClientWire
import LoopTesting
import Reactor
import Testing
import Wire

@testable import Loops

@Suite("Client machine, by state and input", .timeLimit(.minutes(10)))
struct ClientMachineTests {
    private static let pong = clientFrame(Frame.pong, [])
    private static let close = clientFrame(Frame.close, [3, 232])
    private static let acceptance = ConnectAcceptance(
        clientID: "c",
        sessionID: "c",
        node: "n",
        version: "v"
    )

    private func admitted() -> ClientTester {
        let client = ClientTester()
        #expect(client.receive(#"{"id":1,"connect":{}}"#, at: 101).count == 1)
        client.admit()
        let actions = client.answerConnect(.success(ClientMachineTests.acceptance), at: 101)
        #expect(actions.count == 1)
        return client
    }

    private func awaitingPong() -> ClientTester {
        let client = admitted()
        let ping = [SessionAction.reply(Array("{}".utf8))]
        #expect(client.deadlinePassed(at: 126) == .perform(ping))
        #expect(client.progress(at: 126) == [.wait(until: .seconds(134))])
        return client
    }

    private func leaving() -> ClientTester {
        let client = admitted()
        #expect(client.end(.shutdown) == nil)
        #expect(client.takeFrames() == [.close(3001, "shutdown")])
        #expect(client.progress(at: 110) == [.unsubscribe, .wait(until: .seconds(115))])
        return client
    }

    // MARK: Waiting

    @Test func clientHasTimeForItsConnectCommand() {
        let client = ClientTester()
        #expect(client.progress(at: 100) == [.wait(until: .seconds(110))])
        #expect(client.deadlinePassed(at: 109) == .perform([]))
        #expect(client.deadlinePassed(at: 110) == .perform([.disconnect(.stale)]))
        #expect(client.end(.stale) == .handshakeTimeout)
        #expect(client.progress(at: 110) == [.unsubscribe, .wait(until: .seconds(115))])
    }

    @Test func connectCommandAsksForADecision() {
        let client = ClientTester()
        let actions = client.receive(#"{"id":1,"connect":{"token":"t"}}"#, at: 101)
        #expect(actions == [.connect(commandID: 1, ConnectRequest(token: "t"))])
        let refused = client.answerConnect(.failure(.permissionDenied), at: 101)
        #expect(refused.count == 1)
        #expect(client.isOpen, "it may try again")
    }

    @Test func messageOfAClientThatIsNotLetInIsShort() {
        let steps = ClientTester().receive(
            clientFrame(Frame.text, [UInt8](repeating: 0x20, count: 201)),
            at: 101
        )
        #expect(steps.flatMap(\.actions) == [.count(.connectBytes), .unsubscribe])
    }

    @Test func waitingClientEnds() {
        #expect(ClientTester().receiveEndOfStream() == [.unsubscribe, .close])
        let closed = ClientTester()
        _ = closed.receive(ClientMachineTests.close, at: 101)
        #expect(closed.progress(at: 101) == [.close])
        let failed = ClientTester()
        failed.fail()
        #expect(failed.takeFrames() == [.close(1013, "full")])
        #expect(failed.code == nil)
    }

    // MARK: Admitted

    @Test func messageIsReadWithItsLengthAndItsActions() {
        let client = admitted()
        let text = #"{"id":2,"history":{"channel":"a"}}"#
        let frame = clientFrame(Frame.text, Array(text.utf8))
        let steps = client.receive(frame + frame, at: 102)
        #expect(steps.count == 3, "two messages, and the call that gives back their memory")
        for step in steps.dropLast() {
            guard case .message(let length, let actions) = step.event else {
                Issue.record("no message: \(step)")
                continue
            }
            #expect(length == text.utf8.count)
            #expect(actions.count == 1)
            #expect(step.consumed == frame.count)
            #expect(!step.isCompressed)
        }
    }

    @Test func messageOfTheWrongKindClosesTheConnection() {
        let client = admitted()
        let steps = client.receive(clientFrame(Frame.binary, [0x61]), at: 102)
        #expect(steps.first?.event == .message(length: 0, []))
        let code = DisconnectCode.inappropriateProtocol
        #expect(client.code == code)
        #expect(client.takeFrames() == [.close(code.code, code.reason)])
        #expect(client.progress(at: 102) == [.unsubscribe, .wait(until: .seconds(107))])
    }

    @Test func tooManyControlFramesCloseTheConnection() {
        let client = admitted()
        let pongs = ClientMachineTests.pong + ClientMachineTests.pong + ClientMachineTests.pong
        let steps = client.receive(pongs, at: 102)
        #expect(steps.flatMap(\.actions) == [.count(.controlFrames)])
        #expect(client.code == nil)
        #expect(client.progress(at: 102) == [.unsubscribe, .wait(until: .seconds(107))])
    }

    @Test func messageOverTheLimitIsCounted() {
        let frame = clientFrame(Frame.text, [UInt8](repeating: 0x20, count: 1001))
        let steps = admitted().receive(frame, at: 102)
        #expect(steps.flatMap(\.actions) == [.count(.frameBytes), .unsubscribe])
    }

    @Test func admittedClientEnds() {
        #expect(admitted().receiveEndOfStream() == [.unsubscribe, .close])
        let closed = admitted()
        #expect(
            closed.receive(ClientMachineTests.close, at: 102).flatMap(\.actions) == [.unsubscribe]
        )
        #expect(closed.progress(at: 102) == [.close])
        #expect(closed.code == nil, "the client ended it")
    }

    @Test func unfinishedMessageIsHeld() {
        let client = admitted()
        _ = client.receive(clientFrame(Frame.text, [0x7B], isFinal: false), at: 102)
        #expect(client.isMidMessage)
        #expect(client.heldInputBytes > 0)
    }

    @Test func compressedInputIsReadInPieces() {
        let client = ClientTester(deflate: DeflateParameters())
        // A message whose first byte says that it is compressed: RSV1.
        let frame = clientFrame(
            Frame.text | 0x40,
            [UInt8](repeating: 0, count: 100),
            isFinal: false
        )
        let steps = client.receive(frame, at: 101)
        #expect(steps[0].isCompressed)
        #expect(steps[0].consumed <= 16)
    }

    @Test func pushesAreSentAndCountedByTheirLength() {
        let client = admitted()
        _ = client.takeFrames()
        #expect(client.push("{}") == 2)
        client.ping()
        #expect(
            client.takeFrames() == [Frame(opcode: Frame.text, payload: [0x7B, 0x7D]), .emptyPing]
        )
        #expect(client.subscribe(timeToLive: nil) > 0)
        #expect(client.unsubscribe() > 0)
        #expect(client.refresh(timeToLive: 60) > 0)
        let texts = client.takeTexts()
        #expect(texts.count == 3)
        #expect(texts[2].contains("refresh"))
    }

    @Test func subscriptionOfTheHubExpires() {
        let client = admitted()
        _ = client.subscribe(timeToLive: 1)
        #expect(client.progress(at: 101) == [.wait(until: .seconds(126))], "the ping comes first")
        _ = client.deadlinePassed(at: 126)
        client.receiveSignOfLife()
        let expired = SessionAction.subscriptionExpired(Topic(trusted: "a"))
        #expect(client.deadlinePassed(at: 127) == .perform([expired]))
    }

    @Test func connectionExpires() {
        let client = admitted()
        _ = client.refresh(timeToLive: 1)
        _ = client.deadlinePassed(at: 126)
        client.receiveSignOfLife()
        #expect(client.deadlinePassed(at: 127) == .perform([.disconnect(.expired)]))
    }

    // MARK: Commands

    private static let commands: [SessionAction] = [
        .unsubscribe(commandID: 2, topic: Topic(trusted: "a")),
        .presence(commandID: 2, topic: Topic(trusted: "a")),
        .presenceStats(commandID: 2, topic: Topic(trusted: "a")),
        .refresh(commandID: 2, token: "t"),
        .subRefresh(commandID: 2, topic: Topic(trusted: "a"), token: "t"),
    ]

    @Test(arguments: commands)
    func refusedCommandIsAnsweredWithTheError(command: SessionAction) {
        let client = admitted()
        _ = client.takeFrames()
        #expect(client.refuse(command) > 0)
        let error =
            #"{"id":2,"error":{"code":103,"message":"permission denied","temporary":false}}"#
        #expect(client.takeTexts() == [error])
    }

    @Test(arguments: [
        SessionAction.send(data: nil), .ping, .reply([]), .tooManySubscriptions([]),
        .disconnect(.shutdown), .subscriptionExpired(Topic(trusted: "a")),
    ])
    func actionThatIsNotACommandHasNoAnswer(action: SessionAction) {
        let client = admitted()
        _ = client.takeFrames()
        #expect(client.refuse(action) == 0)
        #expect(client.takeFrames().isEmpty)
    }

    @Test func answersAreSent() {
        let client = admitted()
        _ = client.takeFrames()
        #expect(client.answer(.publish(commandID: 2, .success(()))) > 0)
        #expect(client.answer(.rpc(commandID: 3, .success(Array("7".utf8)))) > 0)
        #expect(client.takeTexts() == [#"{"id":2,"publish":{}}"#, #"{"id":3,"rpc":{"data":7}}"#])
    }

    @Test func commandsOverTheConnectionsRateNameTheirBound() {
        let client = admitted()
        let command = SessionAction.send(data: nil)
        #expect(client.bound(over: command, at: 102) == nil)
        #expect(client.bound(over: command, at: 102) == nil)
        #expect(client.bound(over: command, at: 102) == .connectionCommands)
        #expect(client.bound(over: command, at: 103) == nil, "a second later")
        #expect(client.bound(over: .ping, at: 103) == nil, "not a command")
    }

    // MARK: Awaiting pong

    @Test func pongIsCounted() {
        let steps = awaitingPong().receive(ClientMachineTests.pong, at: 128)
        #expect(steps.flatMap(\.actions) == [.countRoundTrip(.seconds(2))])
    }

    @Test func messageIsASignOfLife() {
        let client = awaitingPong()
        let steps = client.receive(clientFrame(Frame.text, Array("{}".utf8)), at: 127)
        #expect(steps.flatMap(\.actions) == [.countRoundTrip(.seconds(1))])
        #expect(client.progress(at: 127) == [.wait(until: .seconds(151))])
    }

    @Test func unansweredPingEndsTheSession() {
        let client = awaitingPong()
        #expect(client.deadlinePassed(at: 134) == .perform([.disconnect(.noPong)]))
        #expect(client.end(.noPong) == .pongTimeout)
        #expect(client.code == .noPong)
    }

    // MARK: Leaving

    @Test func inputDoesNotPostponeTheCloseDeadline() {
        let client = leaving()
        #expect(client.receive(#"{"id":2,"rpc":{}}"#, at: 114).isEmpty)
        #expect(client.progress(at: 114) == [.wait(until: .seconds(115))])
    }

    @Test func peersCloseAnswersOurs() {
        let client = leaving()
        _ = client.receive(ClientMachineTests.close, at: 111)
        #expect(client.progress(at: 111) == [.close])
        #expect(leaving().receiveEndOfStream() == [.close])
    }

    @Test func unansweredCloseAbortsTheConnection() {
        #expect(leaving().deadlinePassed(at: 115) == .end([.count(.closeTimeout), .abort]))
    }

    @Test func nothingFollowsTheCloseFrame() {
        let client = leaving()
        _ = client.push("{}")
        client.ping()
        _ = client.answer(.publish(commandID: 2, .success(())))
        _ = client.refuse(.presence(commandID: 2, topic: Topic(trusted: "a")))
        _ = client.subscribe(timeToLive: nil)
        _ = client.unsubscribe()
        #expect(client.end(.expired) == nil)
        client.fail()
        #expect(client.takeFrames().isEmpty)
        #expect(client.code == .shutdown, "the first code stays")
    }
}
