import ClientWire
import HTTPWire
import PubSub
import Reactor
import Tokens
import WebSocketWire

/// What a connection is, from its first request on. Belongs to its shard.
enum Session {
    case none
    case http(HTTPSession)
    case client(ClientSession)
    case echo(EchoSession)
    case eventStream(EventStreamSession)
    case socketReader(SocketReaderSession)
}

extension Session {
    /// What a backend calls the connection, and whose it is; nil for one that gets no publications.
    var name: (id: String, user: String)? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session):
            session.info == nil ? nil : (session.id, session.identity.user)
        case .eventStream(let session): (session.id, session.reader.user)
        case .socketReader(let session): (session.id, session.reader.user)
        }
    }

    /// Of the film app, which the connection's token named; nil for tokens of an application, and without one.
    var login: String? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.login
        case .eventStream(let session): session.reader.login
        case .socketReader(let session): session.reader.login
        }
    }
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
    /// When the connection was accepted.
    var accepted: MonotonicInstant?

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

    var length: Int { bytes.count }

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
    /// How its publications are compressed, if they are, where nothing else is special about a subscription.
    let compressedForm: WireForm
    let encoding: ClientEncoding
    let id: String
    let address: String
    /// What rates count: see `SocketAddress.network`.
    let network: UInt64
    let start: MonotonicInstant
    var identity = Identity.anonymous
    /// See `Session.login`.
    var login: String?
    /// Nil until the client was let in.
    var info: ClientInfo?
    var subscriptions: [Topic: ClientSubscription] = [:]
    /// When its buckets of commands and publish commands are full.
    var commandsFullAt = Int64.min
    var publishesFullAt = Int64.min
    var calls = RecentWork.callsOfClient
    /// Why we ended it; nil while it goes on, and when the client did.
    var disconnect: DisconnectCode?
    /// When the peer must have answered our Close frame; nil before we have sent it.
    var closeDeadline: MonotonicInstant?

    init(
        webSocket: consuming WebSocketConnection,
        compressedForm: WireForm,
        centrifuge: consuming CentrifugeSession,
        id: String,
        address: String,
        network: UInt64,
        start: MonotonicInstant
    ) {
        self.webSocket = webSocket
        self.compressedForm = compressedForm
        self.encoding = centrifuge.encoding
        self.centrifuge = centrifuge
        self.id = id
        self.address = address
        self.network = network
        self.start = start
    }
}

/// What a client has beside its place in the hub's list of subscribers.
struct ClientSubscription {
    /// Whence the right to it came.
    enum Origin {
        /// The client asked for it, and the namespace's rules allowed it.
        case rules
        /// The client asked for it with a token for the topic.
        case subscriptionToken
        /// The connection's token names the topic: the client gets it again whenever it connects.
        case connectionToken
        /// A backend made it, for as long as the connection lasts.
        case serverAPI
    }

    /// What others are told of the client in this topic.
    let info: ClientInfo
    let origin: Origin
    /// Nil for every publication.
    let filter: TagFilter?
    /// Whether the client is in the topic's presence.
    let isPresent: Bool
    /// Whether others are told of its coming and going.
    let isAnnounced: Bool
    /// Whether it is told of others'.
    let hearsOthers: Bool
    let record: ExplainRecord.Handle
    /// What it waits for while it does not read; nil while it is served.
    var held: HeldSubscription?
}

/// A subscription of a slow reader, which gets nothing until it has read what is on its way.
struct HeldSubscription {
    /// The form in which it goes on.
    let form: WireForm
    /// The last publication that it was given.
    let offset: UInt64
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
    let reader: StreamReader
    let start: MonotonicInstant
    var heartbeat: EventStreamHeartbeat
    /// What it has got everything up to, while it does not read; nil while it is served.
    var heldCursor: UInt64?
    /// Why we ended it; nil while it goes on, and when the reader did.
    var disconnect: DisconnectCode?

    init(
        id: String,
        reader: StreamReader,
        start: MonotonicInstant,
        heartbeat: EventStreamHeartbeat
    ) {
        self.id = id
        self.reader = reader
        self.start = start
        self.heartbeat = heartbeat
    }
}

/// Whom a connection is for that says nothing: an event stream, or a WebSocket that is only read.
struct StreamReader {
    /// Empty for a reader without credentials.
    let user: String
    /// See `Session.login`.
    let login: String?
    let address: String
    /// When the reader's token expires; nil for never.
    let end: MonotonicInstant?
}

/// A WebSocket that gets what is published and says nothing.
final class SocketReaderSession {
    /// What its messages are.
    enum Content {
        /// CloudEvents of several topics.
        case cloudEvents
        /// Publications of one topic, as they are.
        case topic(TopicSocket)

        var form: WireForm {
            switch self {
            case .cloudEvents: .cloudEvents
            case .topic: .plainText
            }
        }
    }

    var webSocket: WebSocketConnection
    var controlFrames = ControlFrameBudget()
    let content: Content
    let id: String
    let reader: StreamReader
    let start: MonotonicInstant
    /// When a ping is due, or the answer to the one that was sent.
    var deadline: MonotonicInstant
    /// When the ping was sent that waits for its answer; nil when none does.
    var pingSent: MonotonicInstant?
    /// What it has got everything up to, while it does not read; nil while it is served.
    var heldCursor: UInt64?
    /// Why we ended it; nil while it goes on, and when the reader did.
    var disconnect: DisconnectCode?
    /// When the peer must have answered our Close frame; nil before we have sent it.
    var closeDeadline: MonotonicInstant?

    init(
        webSocket: consuming WebSocketConnection,
        content: Content,
        id: String,
        reader: StreamReader,
        start: MonotonicInstant,
        deadline: MonotonicInstant
    ) {
        self.webSocket = webSocket
        self.content = content
        self.id = id
        self.reader = reader
        self.start = start
        self.deadline = deadline
    }
}
