import ClientWire
import Expectations
import LoopTesting
import Reactor
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
        expectEqual(client.receive(#"{"id":1,"connect":{}}"#, at: 101).count, 1)
        client.admit()
        let actions = client.answerConnect(.success(ClientMachineTests.acceptance), at: 101)
        expectEqual(actions.count, 1)
        return client
    }

    private func awaitingPong() -> ClientTester {
        let client = admitted()
        let ping = [SessionAction.reply(Array("{}".utf8))]
        expectEqual(client.deadlinePassed(at: 126), .perform(ping))
        expectEqual(client.progress(at: 126), [.wait(until: .seconds(134))])
        return client
    }

    private func leaving() -> ClientTester {
        let client = admitted()
        expectNil(client.end(.shutdown))
        expectEqual(client.takeFrames(), [.close(3001, "shutdown")])
        expectEqual(client.progress(at: 110), [.unsubscribe, .wait(until: .seconds(115))])
        return client
    }

    // MARK: Waiting

    @Test func clientHasTimeForItsConnectCommand() {
        let client = ClientTester()
        expectEqual(client.progress(at: 100), [.wait(until: .seconds(110))])
        expectEqual(client.deadlinePassed(at: 109), .perform([]))
        expectEqual(client.deadlinePassed(at: 110), .perform([.disconnect(.stale)]))
        expectEqual(client.end(.stale), .handshakeTimeout)
        expectEqual(client.progress(at: 110), [.unsubscribe, .wait(until: .seconds(115))])
    }

    @Test func connectCommandAsksForADecision() {
        let client = ClientTester()
        let actions = client.receive(#"{"id":1,"connect":{"token":"t"}}"#, at: 101)
        expectEqual(actions, [.connect(commandID: 1, ConnectRequest(token: "t"))])
        let refused = client.answerConnect(.failure(.permissionDenied), at: 101)
        expectEqual(refused.count, 1)
        expect(client.isOpen, "it may try again")
    }

    @Test func messageOfAClientThatIsNotLetInIsShort() {
        let steps = ClientTester().receive(
            clientFrame(Frame.text, [UInt8](repeating: 0x20, count: 201)),
            at: 101
        )
        expectEqual(steps.flatMap(\.actions), [.count(.connectBytes), .unsubscribe])
    }

    @Test func waitingClientEnds() {
        expectEqual(ClientTester().receiveEndOfStream(), [.unsubscribe, .close])
        let closed = ClientTester()
        _ = closed.receive(ClientMachineTests.close, at: 101)
        expectEqual(closed.progress(at: 101), [.close])
        let failed = ClientTester()
        failed.fail()
        expectEqual(failed.takeFrames(), [.close(1013, "full")])
        expectNil(failed.code)
    }

    // MARK: Admitted

    @Test func messageIsReadWithItsLengthAndItsActions() {
        let client = admitted()
        let text = #"{"id":2,"history":{"channel":"a"}}"#
        let frame = clientFrame(Frame.text, Array(text.utf8))
        let steps = client.receive(frame + frame, at: 102)
        expectEqual(steps.count, 3, "two messages, and the call that gives back their memory")
        for step in steps.dropLast() {
            guard case .message(let length, let actions) = step.event else {
                Issue.record("no message: \(step)")
                continue
            }
            expectEqual(length, text.utf8.count)
            expectEqual(actions.count, 1)
            expectEqual(step.consumed, frame.count)
            expect(!step.isCompressed)
        }
    }

    @Test func messageOfTheWrongKindClosesTheConnection() {
        let client = admitted()
        let steps = client.receive(clientFrame(Frame.binary, [0x61]), at: 102)
        expectEqual(steps.first?.event, .message(length: 0, []))
        let code = DisconnectCode.inappropriateProtocol
        expectEqual(client.code, code)
        expectEqual(client.takeFrames(), [.close(code.code, code.reason)])
        expectEqual(client.progress(at: 102), [.unsubscribe, .wait(until: .seconds(107))])
    }

    @Test func tooManyControlFramesCloseTheConnection() {
        let client = admitted()
        let pongs = ClientMachineTests.pong + ClientMachineTests.pong + ClientMachineTests.pong
        let steps = client.receive(pongs, at: 102)
        expectEqual(steps.flatMap(\.actions), [.count(.controlFrames)])
        expectNil(client.code)
        expectEqual(client.progress(at: 102), [.unsubscribe, .wait(until: .seconds(107))])
    }

    @Test func messageOverTheLimitIsCounted() {
        let frame = clientFrame(Frame.text, [UInt8](repeating: 0x20, count: 1001))
        let steps = admitted().receive(frame, at: 102)
        expectEqual(steps.flatMap(\.actions), [.count(.frameBytes), .unsubscribe])
    }

    @Test func admittedClientEnds() {
        expectEqual(admitted().receiveEndOfStream(), [.unsubscribe, .close])
        let closed = admitted()
        expectEqual(
            closed.receive(ClientMachineTests.close, at: 102).flatMap(\.actions),
            [.unsubscribe]
        )
        expectEqual(closed.progress(at: 102), [.close])
        expectNil(closed.code, "the client ended it")
    }

    @Test func unfinishedMessageIsHeld() {
        let client = admitted()
        _ = client.receive(clientFrame(Frame.text, [0x7B], isFinal: false), at: 102)
        expect(client.isMidMessage)
        expect(client.heldInputBytes > 0)
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
        expect(steps[0].isCompressed)
        expect(steps[0].consumed <= 16)
    }

    @Test func pushesAreSentAndCountedByTheirLength() {
        let client = admitted()
        _ = client.takeFrames()
        expectEqual(client.push("{}"), 2)
        client.ping()
        expectEqual(
            client.takeFrames(),
            [Frame(opcode: Frame.text, payload: [0x7B, 0x7D]), .emptyPing]
        )
        expect(client.subscribe(timeToLive: nil) > 0)
        expect(client.unsubscribe() > 0)
        expect(client.refresh(timeToLive: 60) > 0)
        let texts = client.takeTexts()
        expectEqual(texts.count, 3)
        expect(texts[2].contains("refresh"))
    }

    @Test func subscriptionOfTheHubExpires() {
        let client = admitted()
        _ = client.subscribe(timeToLive: 1)
        expectEqual(client.progress(at: 101), [.wait(until: .seconds(126))], "the ping comes first")
        _ = client.deadlinePassed(at: 126)
        client.receiveSignOfLife()
        let expired = SessionAction.subscriptionExpired(Topic(trusted: "a"))
        expectEqual(client.deadlinePassed(at: 127), .perform([expired]))
    }

    @Test func connectionExpires() {
        let client = admitted()
        _ = client.refresh(timeToLive: 1)
        _ = client.deadlinePassed(at: 126)
        client.receiveSignOfLife()
        expectEqual(client.deadlinePassed(at: 127), .perform([.disconnect(.expired)]))
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
        expect(client.refuse(command) > 0)
        let error =
            #"{"id":2,"error":{"code":103,"message":"permission denied","temporary":false}}"#
        expectEqual(client.takeTexts(), [error])
    }

    @Test(arguments: [
        SessionAction.send(data: nil), .ping, .reply([]), .tooManySubscriptions([]),
        .disconnect(.shutdown), .subscriptionExpired(Topic(trusted: "a")),
    ])
    func actionThatIsNotACommandHasNoAnswer(action: SessionAction) {
        let client = admitted()
        _ = client.takeFrames()
        expectEqual(client.refuse(action), 0)
        expect(client.takeFrames().isEmpty)
    }

    @Test func answersAreSent() {
        let client = admitted()
        _ = client.takeFrames()
        expect(client.answer(.publish(commandID: 2, .success(()))) > 0)
        expect(client.answer(.rpc(commandID: 3, .success(Array("7".utf8)))) > 0)
        expectEqual(client.takeTexts(), [#"{"id":2,"publish":{}}"#, #"{"id":3,"rpc":{"data":7}}"#])
    }

    @Test func commandsOverTheConnectionsRateNameTheirBound() {
        let client = admitted()
        let command = SessionAction.send(data: nil)
        expectNil(client.bound(over: command, at: 102))
        expectNil(client.bound(over: command, at: 102))
        expectEqual(client.bound(over: command, at: 102), .connectionCommands)
        expectNil(client.bound(over: command, at: 103), "a second later")
        expectNil(client.bound(over: .ping, at: 103), "not a command")
    }

    // MARK: Awaiting pong

    @Test func pongIsCounted() {
        let steps = awaitingPong().receive(ClientMachineTests.pong, at: 128)
        expectEqual(steps.flatMap(\.actions), [.countRoundTrip(.seconds(2))])
    }

    @Test func messageIsASignOfLife() {
        let client = awaitingPong()
        let steps = client.receive(clientFrame(Frame.text, Array("{}".utf8)), at: 127)
        expectEqual(steps.flatMap(\.actions), [.countRoundTrip(.seconds(1))])
        expectEqual(client.progress(at: 127), [.wait(until: .seconds(151))])
    }

    @Test func unansweredPingEndsTheSession() {
        let client = awaitingPong()
        expectEqual(client.deadlinePassed(at: 134), .perform([.disconnect(.noPong)]))
        expectEqual(client.end(.noPong), .pongTimeout)
        expectEqual(client.code, .noPong)
    }

    // MARK: Leaving

    @Test func inputDoesNotPostponeTheCloseDeadline() {
        let client = leaving()
        expect(client.receive(#"{"id":2,"rpc":{}}"#, at: 114).isEmpty)
        expectEqual(client.progress(at: 114), [.wait(until: .seconds(115))])
    }

    @Test func peersCloseAnswersOurs() {
        let client = leaving()
        _ = client.receive(ClientMachineTests.close, at: 111)
        expectEqual(client.progress(at: 111), [.close])
        expectEqual(leaving().receiveEndOfStream(), [.close])
    }

    @Test func unansweredCloseAbortsTheConnection() {
        expectEqual(leaving().deadlinePassed(at: 115), .end([.count(.closeTimeout), .abort]))
    }

    @Test func nothingFollowsTheCloseFrame() {
        let client = leaving()
        _ = client.push("{}")
        client.ping()
        _ = client.answer(.publish(commandID: 2, .success(())))
        _ = client.refuse(.presence(commandID: 2, topic: Topic(trusted: "a")))
        _ = client.subscribe(timeToLive: nil)
        _ = client.unsubscribe()
        expectNil(client.end(.expired))
        client.fail()
        expect(client.takeFrames().isEmpty)
        expectEqual(client.code, .shutdown, "the first code stays")
    }
}
