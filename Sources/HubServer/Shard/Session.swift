import ClientWire
import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// What a connection is, from its first request on. Belongs to its shard.
enum Session {
    case none
    case http(HTTPSession)
    case client(ClientSession)
    case echo(EchoSession)
    case eventStream(EventStreamSession)
}

/// A connection that speaks HTTP: one request at a time, the next is read when the last is answered.
final class HTTPSession {
    var parser: HTTPRequestParser
    /// The request under way, nil between requests.
    var head: HTTPRequestHead?
    var body: [UInt8] = []
    /// A response is being made or sent; bytes that arrive meanwhile wait in `unparsed`.
    var isAnswering = false
    /// The response that is being sent; nil while it is being made.
    var answer: OutgoingAnswer?
    var unparsed: [UInt8] = []
    var hasPeerEnded = false
    /// A request was answered before.
    var isKeptAlive = false

    init(limits: HTTPLimits) {
        parser = HTTPRequestParser(limits: limits)
    }
}

/// A response on its way to a peer, who may read more slowly than we write.
struct OutgoingAnswer {
    let keepsAlive: Bool
    private let bytes: [UInt8]
    private var sentCount = 0
    /// The socket has not taken the last piece; the kernel tells when there is room.
    var isWaiting = false

    init(_ bytes: [UInt8], keepsAlive: Bool) {
        self.bytes = bytes
        self.keepsAlive = keepsAlive
    }

    var isSent: Bool { sentCount == bytes.count }

    /// The next piece, at most `bytesMax` long.
    mutating func nextPiece(bytesMax: Int) -> [UInt8] {
        precondition(bytesMax > 0)
        isWaiting = false
        let start = sentCount
        sentCount = min(bytes.count, start + bytesMax)
        return start == 0 && isSent ? bytes : Array(bytes[start..<sentCount])
    }
}

/// A WebSocket that speaks the client protocol.
final class ClientSession {
    var webSocket: WebSocketConnection
    var controlFrames = ControlFrameBudget()
    var centrifuge: CentrifugeSession
    /// How publications are encoded for it.
    let form: WireForm
    let id: String
    let start: MonotonicInstant
    /// Why we ended it; nil while it goes on, and when the client did.
    var disconnect: DisconnectCode?
    /// When the peer must have answered our Close frame; nil before we have sent it.
    var closeDeadline: MonotonicInstant?

    init(
        webSocket: consuming WebSocketConnection,
        form: WireForm,
        centrifuge: consuming CentrifugeSession,
        id: String,
        start: MonotonicInstant
    ) {
        self.webSocket = webSocket
        self.form = form
        self.centrifuge = centrifuge
        self.id = id
        self.start = start
    }
}

/// A WebSocket that gets back what it sends, for conformance suites.
final class EchoSession {
    var webSocket: WebSocketConnection
    var controlFrames = ControlFrameBudget()
    /// Our ping is out, or our Close frame, and nothing has come since.
    var awaitsAnswer = false

    init(webSocket: consuming WebSocketConnection) {
        self.webSocket = webSocket
    }
}

/// An event stream under way.
final class EventStreamSession {
    let id: String
    let start: MonotonicInstant
    var heartbeat: EventStreamHeartbeat

    init(id: String, start: MonotonicInstant, heartbeat: EventStreamHeartbeat) {
        self.id = id
        self.start = start
        self.heartbeat = heartbeat
    }
}
