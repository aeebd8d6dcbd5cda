import ClientWire
import Reactor
import Service
import Wire

/// The session of a connection, from its first request on. Belongs to its loop.
package enum Session {
    case none
    case http(HTTPSession)
    case client(ClientSession)
    case echo(EchoSession)
    case eventStream(EventStreamSession)
    case socketReader(SocketReaderSession)
}

extension Session {
    /// The id of the connection in the server API, and its user; nil if it receives no
    /// publications.
    package var name: (id: String, user: String)? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session):
            session.info == nil ? nil : (session.id, session.identity.user)
        case .eventStream(let session): (session.id, session.reader.user)
        case .socketReader(let session): (session.id, session.reader.user)
        }
    }

    /// The name of the session that the client receives; nil if it receives no publications.
    package var sessionName: String? {
        if case .client(let session) = self, let name {
            session.streamed?.session ?? name.id
        } else {
            name?.id
        }
    }

    /// The login of the film app that the connection's token names; nil for tokens of an
    /// application, and without a token.
    package var login: String? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.login
        case .eventStream(let session): session.reader.login
        case .socketReader(let session): session.reader.login
        }
    }

    /// The mark of the connection's token; nil without one.
    package var mark: TokenMark? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.mark
        case .eventStream(let session): session.reader.mark
        case .socketReader(let session): session.reader.mark
        }
    }
}

extension Session {
    /// The API key of the connection; nil without one, and if the hub has ended the connection.
    package var key: APIKeys.Entry? {
        switch self {
        case .none, .http, .client, .echo: nil
        case .eventStream(let session):
            session.machine.disconnectCode == nil ? session.reader.key : nil
        case .socketReader(let session):
            session.machine.disconnectCode == nil ? session.reader.key : nil
        }
    }
}

/// An HTTP connection.
package final class HTTPSession {
    package var machine: HTTPMachine
    /// The time at which the connection was accepted; nil if unknown.
    package let accepted: MonotonicInstant?
    package let listener: ListenerKind
    package var watch = ReadingWatch()

    package init(
        limits: HTTPLimits,
        accepted: MonotonicInstant? = nil,
        listener: ListenerKind = .public
    ) {
        machine = HTTPMachine(limits: limits)
        self.accepted = accepted
        self.listener = listener
    }
}

/// A client without a WebSocket: how it receives messages, and the name by which its requests find
/// it.
package struct StreamedClient: Sendable {
    package let framing: ClientStreamFraming
    /// A secret that only the client receives.
    package let session: String
}

/// The wire form of its JSON publications, compressed if agreed; not for subscriptions with a
/// filter or deltas.
package final class ClientSession {
    package var machine: ClientMachine
    /// The compression of its publications, if any, for subscriptions without a filter or deltas.
    package let compressedForm: WireForm
    package let encoding: ClientEncoding
    /// Nil for a WebSocket.
    package let streamed: StreamedClient?
    package let id: String
    package let address: String
    /// The network for rate limits: see `SocketAddress.network`.
    package let network: UInt64
    package let start: MonotonicInstant
    package var identity = Identity.anonymous
    /// See `Session.login`.
    package var login: String?
    /// The mark of the connection's token; nil without one.
    package var mark: TokenMark?
    /// Nil before the client is admitted, and while it is leaving.
    package var info: ClientInfo?
    package var subscriptions: [Topic: ClientSubscription] = [:]
    /// The decisions of the application about the client; nil without hooks.
    package var hooked: HookedClient?
    package var calls = RecentWork.callsOfClient
    /// The last time from a ping to its answer; nil before the first answer.
    package var roundTrip: Duration?
    package var watch = ReadingWatch()
    /// Publications that the client lost because it read too slowly.
    package var droppedCount: UInt64 = 0
    /// Whether a position of the client was ahead even after it had waited.
    package var hasWaitedInVain = false

    package init(
        machine: consuming ClientMachine,
        compressedForm: WireForm,
        streamed: StreamedClient? = nil,
        id: String,
        address: String,
        network: UInt64,
        start: MonotonicInstant
    ) {
        self.encoding = machine.encoding
        self.machine = machine
        self.compressedForm = compressedForm
        self.streamed = streamed
        self.id = id
        self.address = address
        self.network = network
        self.start = start
    }
}

/// The data of a client's subscription that the hub's list of subscribers does not contain.
package struct ClientSubscription {
    /// The origin of the right to a subscription.
    package enum Origin {
        /// The client asked for it, and the namespace's rules allowed it.
        case rules
        /// The client asked for it with a token for the topic.
        case subscriptionToken
        /// The connection's token names the topic: the client gets it again whenever it connects.
        case connectionToken
        /// The application has allowed it.
        case hook
        /// A backend made it, for as long as the connection lasts.
        case serverAPI
    }

    /// The client's data that others receive in this topic.
    package var info: ClientInfo
    package let origin: Origin
    /// Nil to receive every publication.
    package let filter: TagFilter?
    /// Whether the client is in the topic's presence.
    package let isPresent: Bool
    /// Whether others are notified when it joins or leaves.
    package let isAnnounced: Bool
    /// Whether it is notified of others' joins and leaves.
    package let hearsOthers: Bool
    package let record: ExplainRecord.Handle
    /// The mark of the token that named the topic; nil for a subscription without one.
    package var mark: TokenMark?
    /// The state of the subscription while the client does not read; nil while it is served.
    package var held: HeldSubscription?
}

extension ClientSubscription {
    /// Its begin or its end, for the presence.
    func change(of topic: Topic, isJoin: Bool) -> PresenceChange {
        PresenceChange(
            topic: topic,
            info: info,
            isJoin: isJoin,
            isPresent: isPresent,
            isAnnounced: isAnnounced
        )
    }
}

/// A subscription of a slow reader, which receives nothing until it has read its queue.
package struct HeldSubscription {
    /// The form in which it continues.
    package let form: WireForm
    /// The offset of the last publication that it received.
    package let offset: UInt64
}

/// A WebSocket that receives its own messages back, for conformance suites.
package final class EchoSession {
    package var machine: EchoMachine
    package var watch = ReadingWatch()

    package init(machine: consuming EchoMachine) {
        self.machine = machine
    }
}

/// A running event stream.
package final class EventStreamSession {
    package let id: String
    package let reader: StreamReader
    package let start: MonotonicInstant
    package var machine: EventStreamMachine

    package init(
        id: String,
        reader: StreamReader,
        start: MonotonicInstant,
        machine: consuming EventStreamMachine
    ) {
        self.id = id
        self.reader = reader
        self.start = start
        self.machine = machine
    }
}

/// The reader of a connection that only receives publications: an event stream, or a WebSocket that
/// is only read.
package struct StreamReader {
    /// Empty for a reader without credentials.
    package let user: String
    /// See `Session.login`.
    package let login: String?
    /// The mark of the connection's token; nil without one.
    package let mark: TokenMark?
    /// The API key that opened the connection; nil without one.
    package let key: APIKeys.Entry?
    package let address: String
}

/// A WebSocket that only receives publications.
package final class SocketReaderSession {
    /// The content of its messages.
    package enum Content {
        /// CloudEvents of several topics.
        case cloudEvents
        /// Publications of one topic, unchanged.
        case topic(TopicSocket)

        package var form: WireForm {
            switch self {
            case .cloudEvents: .cloudEvents
            case .topic: .plainText
            }
        }
    }

    package let content: Content
    package let id: String
    package let reader: StreamReader
    package let start: MonotonicInstant
    package var machine: SocketReaderMachine
    /// The last time from a ping to its answer; nil before the first answer.
    package var roundTrip: Duration?
    package var watch = ReadingWatch()

    package init(
        content: Content,
        id: String,
        reader: StreamReader,
        start: MonotonicInstant,
        machine: consuming SocketReaderMachine
    ) {
        self.content = content
        self.id = id
        self.reader = reader
        self.start = start
        self.machine = machine
    }
}
