import ClientWire
import LoopTesting
import Reactor
import Testing
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
        #expect(actions(client.receive(Self.connect, at: 101)).count == 1)
        client.admit()
        #expect(client.answerConnect(.success(Self.acceptance), at: 101).count == 1)
        return client
    }

    private func ended() -> ClientTester {
        let client = admitted()
        #expect(client.end(.shutdown) == nil)
        #expect(client.takeBody() == Self.disconnected + "\n")
        #expect(client.progress(at: 110) == [.unsubscribe, .close])
        return client
    }

    // MARK: Waiting

    @Test func clientHasTimeForItsConnectCommand() {
        let client = ClientTester(stream: .lines)
        #expect(client.isOpen)
        #expect(client.progress(at: 100) == [.wait(until: .seconds(110))])
        #expect(client.deadlinePassed(at: 110) == .perform([.disconnect(.stale)]))
        #expect(client.end(.stale) == .handshakeTimeout)
        #expect(client.takeBody().contains(#""code":3502"#))
        #expect(client.progress(at: 110) == [.unsubscribe, .close])
    }

    @Test func connectCommandAsksForADecision() {
        let client = ClientTester(stream: .events)
        let asked = actions(client.receive(Self.connect, at: 101))
        #expect(asked == [.connect(commandID: 1, ConnectRequest(token: ""))])
        #expect(client.answerConnect(.failure(.permissionDenied), at: 101).count == 1)
        #expect(client.isOpen)
    }

    @Test func anythingElseThanAConnectCommandEndsTheSession() {
        let client = ClientTester(stream: .lines)
        let bytes = Array(#"{"id":1,"rpc":{"method":"x"}}"#.utf8)
        #expect(actions(client.receive(bytes, at: 101)) == [.disconnect(.badRequest)])
    }

    // MARK: Admitted

    @Test func commandsOfOneRequestAreOneMessage() {
        let client = admitted()
        let text = """
            {"id":2,"unsubscribe":{"channel":"a"}}
            {"id":3,"unsubscribe":{"channel":"b"}}

            """
        let steps = client.receive(Array(text.utf8), at: 102)
        #expect(steps.count == 2, "the message, and no more")
        #expect(steps[0].consumed == text.utf8.count)
        #expect(!steps[0].isCompressed)
        #expect(actions(steps).count == 2)
    }

    /// A command is not continued by a later request, as a WebSocket's message is by a frame.
    @Test func everyPartOfASplitCommandIsARequestOfItsOwn() {
        let bytes = Array(#"{"id":2,"unsubscribe":{"channel":"a"}}"#.utf8)
        for index in 1..<bytes.count {
            let client = admitted()
            let first = Array(bytes[..<index])
            #expect(actions(client.receive(first, at: 102)) == [.disconnect(.badRequest)])
            #expect(actions(client.receive(Array(bytes[index...]), at: 102)).isEmpty)
        }
    }

    @Test(arguments: [ClientStreamFraming.lines, .events])
    func messagesAreFramedByTheStream(framing: ClientStreamFraming) {
        let client = admitted(framing)
        #expect(client.push("{}") == 2)
        #expect(client.takeBody() == (framing == .lines ? "{}\n" : "data: {}\n\n"))
        #expect(client.heldInputBytes == 0)
        #expect(!client.isMidMessage)
    }

    @Test func pingIsAMessageAndAnyCommandIsItsAnswer() {
        let client = admitted()
        let ping = [SessionAction.reply(Array("{}".utf8))]
        #expect(client.deadlinePassed(at: 126) == .perform(ping))
        #expect(client.progress(at: 126) == [.wait(until: .seconds(134))])
        let steps = client.receive(Array("{}\n".utf8), at: 127)
        #expect(steps.first?.actions == [.countRoundTrip(.seconds(1))])
        #expect(client.progress(at: 127) == [.wait(until: .seconds(151))])
        client.ping()
        #expect(client.takeBody() == "", "a stream has no ping frames")
    }

    @Test func clientThatDoesNotAnswerAPingIsEnded() {
        let client = admitted()
        _ = client.deadlinePassed(at: 126)
        #expect(client.deadlinePassed(at: 134) == .perform([.disconnect(.noPong)]))
        #expect(client.end(.noPong) == .pongTimeout)
        #expect(client.takeBody().contains(#""code":3012"#))
    }

    @Test func endOfThePeersStreamEndsTheClient() {
        let client = admitted()
        #expect(client.receiveEndOfStream() == [.unsubscribe, .close])
        #expect(client.receiveEndOfStream() == [.close])
    }

    @Test func failureHasNoMessage() {
        let client = admitted()
        client.fail()
        #expect(client.takeBody() == "")
        #expect(!client.isOpen)
        #expect(client.progress(at: 110) == [.unsubscribe, .close])
    }

    // MARK: Ended

    @Test func nothingFollowsTheLastMessage() {
        let client = ended()
        #expect(client.code == .shutdown)
        #expect(!client.isOpen)
        _ = client.push("{}")
        _ = client.end(.badRequest)
        client.fail()
        #expect(client.takeBody() == "")
        #expect(client.code == .shutdown, "the first code stays")
        #expect(client.progress(at: 111) == [.close])
    }

    @Test func commandsOfAnEndedClientDoNothing() {
        #expect(actions(ended().receive(Self.connect, at: 111)).isEmpty)
        #expect(ended().deadlinePassed(at: 120) == .end([.count(.closeTimeout), .abort]))
    }
}
