import ClientWire
import Core
import Expectations
import Glibc
import LoopTesting
import Reactor
import TokenTesting

@testable import Loops

/// A loop with one client, whose work is counted.
final class WorkFixture {
    let hub: SteppedLoop
    let client: SteppedClient
    let encoding: ClientEncoding

    /// Few bytes of work for each turn, so that inputs extend over many turns.
    private static let turnWorkBytesMax = 256

    init(
        _ encoding: ClientEncoding = .json,
        tokens: TestTokens? = nil,
        hasBarrier: Bool = false,
        connects: Bool = true,
        _ change: (inout LoopSettings) -> Void = { _ in }
    ) throws {
        self.encoding = encoding
        let verifier = tokens?.verifier ?? TokenVerifier(keys: TokenKeySet(configured: []))
        hub = try SteppedLoop(hasBarrier: hasBarrier, verifier: verifier) { settings in
            settings.turnWorkBytesMax = WorkFixture.turnWorkBytesMax
            settings.client = CentrifugeLimits(
                frameLengthMax: 1 << 20,
                subscriptionsMax: 10_000,
                pingInterval: .seconds(3600),
                pongTimeout: .seconds(3599)
            )
            settings.connectBytesMax = 1 << 20
            settings.connections.queueBytesMax = 64 << 20
            change(&settings)
        }
        client = try hub.connect()
        guard connects else { return }
        let format = encoding == .protobuf ? "?format=protobuf" : ""
        client.upgrade("/connection/websocket" + format)
        let token = try tokens.map { try $0.connection("42") } ?? ""
        send(
            [.connect(token: token)]
        )
        drain()
    }

    // MARK: Input

    /// The bytes of one message with commands, as they are on the wire.
    func frame(_ commands: [TestCommand]) -> [UInt8] {
        let numbered = commands.enumerated()
        switch encoding {
        case .json:
            let lines = numbered.map { $1.json(id: $0 + 2) }
            return clientFrame(1, Array(lines.joined(separator: "\n").utf8))
        case .protobuf:
            return clientFrame(2, numbered.flatMap { $1.protobuf(id: $0 + 2).delimited })
        }
    }

    func send(_ commands: [TestCommand]) { client.send(frame(commands)) }

    /// Sends bytes, in pieces that the socket takes, and handles them until the loop would sleep.
    func handle(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(32 << 10)
            client.send(Array(piece), runs: false)
            rest = rest.dropFirst(piece.count)
            drain()
        }
    }

    /// Takes turns until the loop would sleep and no input waits.
    func drain() {
        repeat {
            while hub.mustTurn() { client.discard() }
            client.discard()
            // Calls of clients have a share of the time.
            if hub.postponedCount > 0 { hub.letTimePass(.milliseconds(20)) }
        } while hub.postponedCount > 0
    }
}

/// A command of a client, in both encodings.
enum TestCommand {
    case connect(token: String)
    case subscribe(String, token: String = "", since: UInt64? = nil)
    case unsubscribe(String)
    case publish(String)
    case presence(String)
    case presenceStats(String)
    case history(String)
    case rpc(String)
    case send
    case refresh(String)
    case subRefresh(String, token: String)
    case pong

    func json(id: Int) -> String {
        switch self {
        case .connect(let token): #"{"id":\#(id),"connect":{"token":"\#(token)"}}"#
        case .subscribe(let topic, let token, let since):
            #"{"id":\#(id),"subscribe":{"channel":"\#(topic)","token":"\#(token)""#
                + (since.map { #","recover":true,"epoch":"e1","offset":\#($0)"# } ?? "") + "}}"
        case .unsubscribe(let topic): #"{"id":\#(id),"unsubscribe":{"channel":"\#(topic)"}}"#
        case .publish(let topic): #"{"id":\#(id),"publish":{"channel":"\#(topic)","data":1}}"#
        case .presence(let topic): #"{"id":\#(id),"presence":{"channel":"\#(topic)"}}"#
        case .presenceStats(let topic):
            #"{"id":\#(id),"presence_stats":{"channel":"\#(topic)"}}"#
        case .history(let topic): #"{"id":\#(id),"history":{"channel":"\#(topic)","limit":10}}"#
        case .rpc(let method): #"{"id":\#(id),"rpc":{"method":"\#(method)","data":{}}}"#
        case .send: #"{"send":{"data":1}}"#
        case .refresh(let token): #"{"id":\#(id),"refresh":{"token":"\#(token)"}}"#
        case .subRefresh(let topic, let token):
            #"{"id":\#(id),"sub_refresh":{"channel":"\#(topic)","token":"\#(token)"}}"#
        case .pong: "{}"
        }
    }

    func protobuf(id: Int) -> TestMessage {
        let command = TestMessage().number(1, id)
        return switch self {
        case .connect(let token): command.message(4, TestMessage().text(1, token))
        case .subscribe(let topic, let token, let since):
            command.message(5, TestMessage().text(1, topic).text(2, token).recovering(since))
        case .unsubscribe(let topic): command.message(6, TestMessage().text(1, topic))
        case .publish(let topic): command.message(7, TestMessage().text(1, topic).text(2, "1"))
        case .presence(let topic): command.message(8, TestMessage().text(1, topic))
        case .presenceStats(let topic): command.message(9, TestMessage().text(1, topic))
        case .history(let topic):
            command.message(10, TestMessage().text(1, topic).number(7, 10))
        case .rpc(let method): command.message(13, TestMessage().text(1, "{}").text(2, method))
        case .send: TestMessage().message(12, TestMessage().text(1, "1"))
        case .refresh(let token): command.message(14, TestMessage().text(1, token))
        case .subRefresh(let topic, let token):
            command.message(15, TestMessage().text(1, topic).text(2, token))
        case .pong: TestMessage()
        }
    }
}

/// A message of Protobuf, written by the numbers of its fields.
struct TestMessage {
    private(set) var bytes: [UInt8] = []

    func number(_ field: Int, _ value: Int) -> TestMessage {
        TestMessage(bytes: bytes + Self.varint(field << 3) + Self.varint(value))
    }

    func text(_ field: Int, _ value: String) -> TestMessage {
        message(field, TestMessage(bytes: Array(value.utf8)))
    }

    func message(_ field: Int, _ value: TestMessage) -> TestMessage {
        let head = Self.varint(field << 3 | 2) + Self.varint(value.bytes.count)
        return TestMessage(bytes: bytes + head + value.bytes)
    }

    func recovering(_ since: UInt64?) -> TestMessage {
        since.map { number(3, 1).text(6, "e1").number(7, Int($0)) } ?? self
    }

    /// Behind its length, as messages are in a frame.
    var delimited: [UInt8] { Self.varint(bytes.count) + bytes }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F | 0x80)] + varint(value >> 7)
    }
}
