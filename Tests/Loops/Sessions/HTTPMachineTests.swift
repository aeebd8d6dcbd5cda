import Expectations
import LoopTesting
import Reactor
import Service
import Wire

@testable import Loops

/// A connection whose requests have 10 s, which is idle for 75 s, and whose peer may stall for 60 s.
///
/// A class, because Swift Testing's macros take no noncopyable values. Its actions are text: responses are not
/// comparable.
private final class Connection {
    static let empty = AnswerRoom(queuedBytes: 0, hasUnflushed: false, isDraining: false)
    private static let policy = HTTPPolicy(
        requestTimeout: .seconds(10),
        idleTimeout: .seconds(75),
        stallTimeout: .seconds(60),
        pieceBytesMax: 4
    )

    private var machine = HTTPMachine(limits: HTTPLimits(bodyBytesMax: 10))

    var requestDeadline: MonotonicInstant? {
        machine.requestDeadline(now: .seconds(1), Connection.policy)
    }
    var head: HTTPRequestHead? { machine.head }
    var isKeptAlive: Bool { machine.isKeptAlive }
    var answerLength: Int? { machine.answerLength }
    var heldInputBytes: Int { machine.heldInputBytes }
    func keepsAlive(isDraining: Bool = false) -> Bool? {
        machine.keepsAlive(isDraining: isDraining)
    }

    /// What is done with an input, and how many of its bytes are not consumed.
    func receive(_ text: String) -> (actions: [String], rest: Int) {
        let bytes = Array(text.utf8)
        var actions: [String] = []
        var consumed = 0
        bytes.withUnsafeBufferPointer { buffer in
            while let action = machine.receive(buffer, consumed: &consumed) {
                actions.append(action.text)
                if action.endsInput { return }
            }
        }
        return (actions, bytes.count - consumed)
    }

    func keep(_ text: String) { machine.keep(text.utf8) }
    func receiveEndOfStream() -> [String] { machine.receiveEndOfStream().map(\.text) }

    func answer(_ text: String, keepsAlive: Bool = true, _ room: AnswerRoom = empty) -> [String] {
        let answer = OutgoingAnswer(Array(text.utf8), keepsAlive: keepsAlive)
        return machine.answer(answer, room, now: .seconds(2), Connection.policy).map(\.text)
    }

    func roomCame(_ room: AnswerRoom = empty) -> [String] {
        machine.roomCame(room, now: .seconds(3), Connection.policy).map(\.text)
    }

    func deadlinePassed(_ room: AnswerRoom = empty) -> [String] {
        machine.deadlinePassed(room, now: .seconds(99), Connection.policy).map(\.text)
    }

    func drain() -> [String] { machine.drain().map(\.text) }
    func giveUp() -> [String] { machine.giveUp().map(\.text) }
}

extension HTTPAction {
    fileprivate var endsInput: Bool {
        switch self {
        case .request, .refuse: true
        default: false
        }
    }

    fileprivate var text: String {
        switch self {
        case .count(let bound): "count \(bound)"
        case .wait(let deadline): "wait \((deadline?.nanoseconds ?? 0) / 1_000_000_000)"
        case .waitForTurn: "wait for turn"
        case .send(let bytes): "send " + String(decoding: bytes, as: UTF8.self)
        case .head(let head): "head \(head.method) \(head.path)"
        case .request(let head, let body):
            "request \(head.path) " + String(decoding: body, as: UTF8.self)
        case .refuse(let refusal):
            "refuse \(refusal.response.head.status) \(refusal.head?.path ?? "-")"
                + (refusal.isHEAD ? " HEAD" : "") + (refusal.bound.map { " over \($0)" } ?? "")
        case .answerSent: "sent"
        case .readOn(let bytes): "read on " + bytes.text
        case .close: "close"
        case .abort: "abort"
        }
    }
}

extension WaitingBytes {
    fileprivate var text: String {
        var bytes = self
        var text = ""
        bytes.read {
            text = String(decoding: $0, as: UTF8.self)
            return 0
        }
        return text
    }
}

@Suite("HTTP machine, by state and input", .timeLimit(.minutes(10)))
struct HTTPMachineTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let busy = AnswerRoom(queuedBytes: 9, hasUnflushed: false, isDraining: false)
    private static let unflushed = AnswerRoom(queuedBytes: 0, hasUnflushed: true, isDraining: false)
    private static let draining = AnswerRoom(queuedBytes: 0, hasUnflushed: false, isDraining: true)

    private func answering() -> Connection {
        let connection = Connection()
        _ = connection.receive(HTTPMachineTests.get)
        return connection
    }

    private func sending() -> Connection {
        let connection = answering()
        expectEqual(connection.answer("12345678"), ["send 1234", "wait for turn"])
        return connection
    }

    private func keptAlive() -> Connection {
        let connection = answering()
        expectEqual(connection.answer("1234"), ["send 1234", "sent", "wait 77", "read on "])
        return connection
    }

    private func over() -> Connection {
        let connection = Connection()
        expectEqual(connection.drain(), ["close"])
        return connection
    }

    // MARK: Reading

    @Test func timeForARequestBeginsWithItsFirstByte() {
        let connection = Connection()
        expectEqual(connection.requestDeadline, .seconds(11))
        _ = connection.receive("G")
        expectNil(connection.requestDeadline)
    }

    @Test func requestEndsWithItsContent() {
        let connection = Connection()
        let head = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"
        expectEqual(connection.receive(head).actions, ["head POST /a"])
        expectEqual(connection.head?.method, "POST")
        expect(connection.receive("ab").actions.isEmpty)
        expect(connection.heldInputBytes > 0)
        expectEqual(connection.receive("c").actions, ["request /a abc"])
        expectEqual(connection.keepsAlive(), true)
    }

    @Test func pipelinedBytesAreNotConsumed() {
        let connection = Connection()
        let (actions, rest) = connection.receive(HTTPMachineTests.get + "GET /b")
        expectEqual(actions, ["head GET /a", "request /a "])
        expectEqual(rest, "GET /b".utf8.count)
    }

    @Test(arguments: [
        ("SING /a HTTP/1.1\r\nHost: h\r\n\r\n", "refuse 501 /a"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nExpect: tea\r\n\r\n", "refuse 417 /a"),
        ("nonsense\r\n\r\n", "refuse 400 -"),
        (
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n",
            "refuse 413 - over bodyBytes"
        ),
    ])
    func wrongRequestIsRefused(request: String, refusal: String) {
        let connection = Connection()
        let (actions, rest) = connection.receive(request)
        expectEqual(actions, [refusal])
        expectEqual(rest, 0)
        expect(connection.receive(HTTPMachineTests.get).actions.isEmpty, "it is over")
    }

    @Test func refusalOfAHeadRequestShowsIt() {
        let request = "HEAD /a HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"
        expectEqual(Connection().receive(request).actions, ["refuse 400 - HEAD"])
    }

    @Test func connectionWithoutARequestIsClosedInTime() {
        expectEqual(Connection().deadlinePassed(), ["count handshakeTimeout", "close"])
        expectEqual(keptAlive().deadlinePassed(), ["count idleTimeout", "close"])
    }

    @Test(arguments: ["GET /a HT", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na"])
    func requestThatTakesTooLongIsRefused(bytes: String) {
        let connection = Connection()
        _ = connection.receive(bytes)
        let path = bytes.hasPrefix("POST") ? "/a" : "-"
        expectEqual(connection.deadlinePassed(), ["refuse 408 \(path) over handshakeTimeout"])
        expect(connection.drain().isEmpty, "it is over")
    }

    @Test func readingConnectionEnds() {
        expectEqual(Connection().receiveEndOfStream(), ["close"])
        expectEqual(Connection().drain(), ["close"])
        expectEqual(Connection().giveUp(), ["refuse 503 -"])
    }

    @Test(arguments: [
        ("G", "ET /a HTTP/1.1\r\nHost: h\r\n\r\n", ["head GET /a", "request /a "]),
        (
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na", "bc",
            ["request /a abc"]
        ),
        (
            "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na",
            "bc\r\n0\r\n\r\n", ["request /a abc"]
        ),
    ])
    func requestThatHasBegunIsAnsweredBeforeTheShutdown(
        first: String,
        rest: String,
        actions: [String]
    ) {
        let connection = Connection()
        _ = connection.receive(first)
        expect(connection.drain().isEmpty)
        expectEqual(connection.receive(rest).actions, actions)
        expectEqual(connection.keepsAlive(isDraining: true), false)
        expectEqual(connection.answer("1", HTTPMachineTests.draining), ["send 1", "sent", "close"])
    }

    @Test func requestBehindOneThatIsAnsweredHasBegun() {
        let connection = answering()
        connection.keep("GET /b")
        expect(connection.drain().isEmpty)
        expectEqual(connection.keepsAlive(isDraining: true), true)
        let actions = connection.answer("1", HTTPMachineTests.draining)
        expectEqual(actions.last, "read on GET /b")
        expectEqual(connection.drain(), ["close"], "without the bytes, no request has begun")
    }

    @Test func readingConnectionHasNothingToSend() {
        let connection = Connection()
        expect(connection.answer("1").isEmpty)
        expect(connection.roomCame().isEmpty)
        expectNil(connection.keepsAlive())
        expectNil(connection.answerLength)
    }

    // MARK: Answering

    @Test func bytesBehindARequestWaitForItsAnswer() {
        let connection = answering()
        connection.keep("GET /b")
        expect(connection.receive(" HTTP").actions.isEmpty)
        expectNil(connection.requestDeadline)
        let actions = connection.answer("1")
        expectEqual(actions, ["send 1", "sent", "wait 77", "read on GET /b HTTP"])
        expect(connection.isKeptAlive)
        expectEqual(connection.requestDeadline, .seconds(11), "it reads the next request")
    }

    @Test func halfClosedConnectionGetsItsAnswerAndIsClosed() {
        let connection = answering()
        expect(connection.receiveEndOfStream().isEmpty)
        expectEqual(connection.keepsAlive(), false)
        expectEqual(connection.answer("1"), ["send 1", "sent", "close"])
    }

    @Test func answeringConnectionIsNotEndedByTimeOrDrain() {
        let connection = answering()
        expect(connection.deadlinePassed().isEmpty)
        expect(connection.drain().isEmpty)
        expectEqual(connection.keepsAlive(isDraining: true), false)
        expect(connection.roomCame().isEmpty)
        expectEqual(connection.answer("1", HTTPMachineTests.draining), ["send 1", "sent", "close"])
    }

    @Test func answeringConnectionIsGivenUp() {
        let connection = answering()
        connection.keep("GET /b")
        expectEqual(connection.giveUp(), ["abort"])
        expectEqual(connection.heldInputBytes, 0)
    }

    @Test func requestOfHTTP10IsNotKeptAlive() {
        let connection = Connection()
        _ = connection.receive("GET /a HTTP/1.0\r\n\r\n")
        expectEqual(connection.keepsAlive(), false)
        expectEqual(connection.answer("1", keepsAlive: false), ["send 1", "sent", "close"])
    }

    // MARK: Sending

    @Test func answerIsSentInPieces() {
        let connection = sending()
        expectEqual(connection.answerLength, 8)
        expectEqual(connection.roomCame(), ["send 5678", "sent", "wait 78", "read on "])
        expectNil(connection.answerLength)
    }

    @Test func pieceWaitsForTheSocket() {
        let connection = sending()
        expectEqual(connection.roomCame(HTTPMachineTests.busy), ["wait 63"])
        expectEqual(connection.roomCame(), ["send 5678", "sent", "wait 78", "read on "])
    }

    @Test func pieceWaitsBehindAFanOut() {
        let connection = sending()
        expectEqual(connection.roomCame(HTTPMachineTests.unflushed), ["wait for turn"])
        expectEqual(connection.deadlinePassed(HTTPMachineTests.unflushed), ["wait for turn"])
    }

    @Test func deadlineContinuesAnAnswerAndEndsAPeerThatStalls() {
        let connection = sending()
        expectEqual(connection.deadlinePassed(HTTPMachineTests.busy), ["wait 159"])
        expectEqual(
            connection.deadlinePassed(HTTPMachineTests.busy),
            ["count stallTimeout", "abort"]
        )
        expect(connection.roomCame().isEmpty)
    }

    @Test func deadlineSendsTheNextPiece() {
        expectEqual(sending().deadlinePassed(), ["send 5678", "sent", "wait 174", "read on "])
    }

    @Test func peerThatEndsOrTheShutdownClosesBehindTheAnswer() {
        let ended = sending()
        expect(ended.receiveEndOfStream().isEmpty)
        expectEqual(ended.roomCame(), ["send 5678", "sent", "close"])
        let drained = sending()
        expect(drained.drain().isEmpty)
        expectEqual(drained.roomCame(HTTPMachineTests.draining), ["send 5678", "sent", "close"])
    }

    @Test func sendingConnectionKeepsBytesAndTakesNoSecondAnswer() {
        let connection = sending()
        expect(connection.receive("GET").actions.isEmpty)
        expect(connection.answer("x").isEmpty)
        expectNil(connection.keepsAlive())
        expectEqual(connection.roomCame().last, "read on GET")
    }

    @Test func sendingConnectionIsGivenUp() {
        let connection = sending()
        expectEqual(connection.giveUp(), ["abort"])
        expect(connection.roomCame().isEmpty)
    }

    // MARK: Over

    @Test func connectionThatIsOverDoesNothingMore() {
        let connection = over()
        let (actions, rest) = connection.receive(HTTPMachineTests.get)
        expect(actions.isEmpty)
        expectEqual(rest, 0)
        expectNil(connection.requestDeadline)
        expect(connection.answer("1").isEmpty)
        expect(connection.roomCame().isEmpty)
        expect(connection.deadlinePassed().isEmpty)
        expect(connection.drain().isEmpty)
        expect(connection.giveUp().isEmpty)
        expectEqual(connection.receiveEndOfStream(), ["close"])
        expectNil(connection.head)
    }
}
