import ClientWire
import Expectations
import LoopTesting
import Reactor
import Wire

@testable import Loops

@Suite("Client machine without a WebSocket, by state and input", .timeLimit(.minutes(10)))
struct StreamedClientMachineTests {
    private static let connect = Array(#"{"id":1,"connect":{}}"#.utf8)
    private static let acceptance = ConnectAcceptance(
        clientID: "c",
        sessionID: "s",
        node: "n",
        version: "v"
    )
    private static let disconnected =
        #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#

    private func actions(_ steps: [ClientStep]) -> [SessionAction] {
        steps.flatMap { step in
            guard case .message(_, let actions) = step.event else { return [SessionAction]() }
            return actions
        }
    }

    private func admitted(_ framing: ClientStreamFraming = .lines) -> ClientTester {
        let client = ClientTester(stream: framing)
        expectEqual(actions(client.receive(Self.connect, at: 101)).count, 1)
        client.admit()
        expectEqual(client.answerConnect(.success(Self.acceptance), at: 101).count, 1)
        return client
    }

    private func ended() -> ClientTester {
        let client = admitted()
        expectNil(client.end(.shutdown))
        expectEqual(client.takeBody(), Self.disconnected + "\n")
        expectEqual(client.progress(at: 110), [.unsubscribe, .close])
        return client
    }

    // MARK: Waiting

    @Test func clientHasTimeForItsConnectCommand() {
        let client = ClientTester(stream: .lines)
        expect(client.isOpen)
        expectEqual(client.progress(at: 100), [.wait(until: .seconds(110))])
        expectEqual(client.deadlinePassed(at: 110), .perform([.disconnect(.stale)]))
        expectEqual(client.end(.stale), .handshakeTimeout)
        expect(client.takeBody().contains(#""code":3502"#))
        expectEqual(client.progress(at: 110), [.unsubscribe, .close])
    }

    @Test func connectCommandAsksForADecision() {
        let client = ClientTester(stream: .events)
        let asked = actions(client.receive(Self.connect, at: 101))
        expectEqual(asked, [.connect(commandID: 1, ConnectRequest(token: ""))])
        expectEqual(client.answerConnect(.failure(.permissionDenied), at: 101).count, 1)
        expect(client.isOpen)
    }

    @Test func anythingElseThanAConnectCommandEndsTheSession() {
        let client = ClientTester(stream: .lines)
        let bytes = Array(#"{"id":1,"rpc":{"method":"x"}}"#.utf8)
        expectEqual(actions(client.receive(bytes, at: 101)), [.disconnect(.badRequest)])
    }

    // MARK: Admitted

    @Test func commandsOfOneRequestAreOneMessage() {
        let client = admitted()
        let text = """
            {"id":2,"unsubscribe":{"channel":"a"}}
            {"id":3,"unsubscribe":{"channel":"b"}}

            """
        let steps = client.receive(Array(text.utf8), at: 102)
        expectEqual(steps.count, 2, "the message, and no more")
        expectEqual(steps[0].consumed, text.utf8.count)
        expect(!steps[0].isCompressed)
        expectEqual(actions(steps).count, 2)
    }

    /// A command is not continued by a later request, as a WebSocket's message is by a frame.
    @Test func everyPartOfASplitCommandIsARequestOfItsOwn() {
        let bytes = Array(#"{"id":2,"unsubscribe":{"channel":"a"}}"#.utf8)
        for index in 1..<bytes.count {
            let client = admitted()
            let first = Array(bytes[..<index])
            expectEqual(actions(client.receive(first, at: 102)), [.disconnect(.badRequest)])
            expect(actions(client.receive(Array(bytes[index...]), at: 102)).isEmpty)
        }
    }

    @Test(arguments: [ClientStreamFraming.lines, .events])
    func messagesAreFramedByTheStream(framing: ClientStreamFraming) {
        let client = admitted(framing)
        expectEqual(client.push("{}"), 2)
        expectEqual(client.takeBody(), (framing == .lines ? "{}\n" : "data: {}\n\n"))
        expectEqual(client.heldInputBytes, 0)
        expect(!client.isMidMessage)
    }

    @Test func pingIsAMessageAndAnyCommandIsItsAnswer() {
        let client = admitted()
        let ping = [SessionAction.reply(Array("{}".utf8))]
        expectEqual(client.deadlinePassed(at: 126), .perform(ping))
        expectEqual(client.progress(at: 126), [.wait(until: .seconds(134))])
        let steps = client.receive(Array("{}\n".utf8), at: 127)
        expectEqual(steps.first?.actions, [.countRoundTrip(.seconds(1))])
        expectEqual(client.progress(at: 127), [.wait(until: .seconds(151))])
        client.ping()
        expectEqual(client.takeBody(), "", "a stream has no ping frames")
    }

    @Test func clientThatDoesNotAnswerAPingIsEnded() {
        let client = admitted()
        _ = client.deadlinePassed(at: 126)
        expectEqual(client.deadlinePassed(at: 134), .perform([.disconnect(.noPong)]))
        expectEqual(client.end(.noPong), .pongTimeout)
        expect(client.takeBody().contains(#""code":3012"#))
    }

    @Test func endOfThePeersStreamEndsTheClient() {
        let client = admitted()
        expectEqual(client.receiveEndOfStream(), [.unsubscribe, .close])
        expectEqual(client.receiveEndOfStream(), [.close])
    }

    @Test func failureHasNoMessage() {
        let client = admitted()
        client.fail()
        expectEqual(client.takeBody(), "")
        expect(!client.isOpen)
        expectEqual(client.progress(at: 110), [.unsubscribe, .close])
    }

    // MARK: Ended

    @Test func nothingFollowsTheLastMessage() {
        let client = ended()
        expectEqual(client.code, .shutdown)
        expect(!client.isOpen)
        _ = client.push("{}")
        _ = client.end(.badRequest)
        client.fail()
        expectEqual(client.takeBody(), "")
        expectEqual(client.code, .shutdown, "the first code stays")
        expectEqual(client.progress(at: 111), [.close])
    }

    @Test func commandsOfAnEndedClientDoNothing() {
        expect(actions(ended().receive(Self.connect, at: 111)).isEmpty)
        expectEqual(ended().deadlinePassed(at: 120), .end([.count(.closeTimeout), .abort]))
    }
}
