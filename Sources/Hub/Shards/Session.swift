import Access
import ClientWire
import HTTPWire
import PubSub
import Reactor
import Tokens
import WebSocketWire

/// What a connection is, from its first request on. Belongs to its shard.
package enum Session {
    case none
    case http(HTTPSession)
    case client(ClientSession)
    case echo(EchoSession)
    case eventStream(EventStreamSession)
    case socketReader(SocketReaderSession)
}

extension Session {
    /// What a backend calls the connection, and whose it is; nil for one that gets no publications.
    package var name: (id: String, user: String)? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session):
            session.info == nil ? nil : (session.id, session.identity.user)
        case .eventStream(let session): (session.id, session.reader.user)
        case .socketReader(let session): (session.id, session.reader.user)
        }
    }

    /// What the client knows its session by; nil for one that gets no publications.
    package var sessionName: String? {
        if case .client(let session) = self, let name {
            session.streamed?.session ?? name.id
        } else {
            name?.id
        }
    }

    /// Of the film app, which the connection's token named; nil for tokens of an application, and without one.
    package var login: String? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.login
        case .eventStream(let session): session.reader.login
        case .socketReader(let session): session.reader.login
        }
    }

    /// Of the connection's token; nil without one.
    package var mark: TokenMark? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.mark
        case .eventStream(let session): session.reader.mark
        case .socketReader(let session): session.reader.mark
        }
    }
}

/// A connection that speaks HTTP.
package final class HTTPSession {
    package var machine: HTTPMachine
    /// When the connection was accepted; nil where that is not known.
    package let accepted: MonotonicInstant?
    package let listener: ListenerKind

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

/// A client without a WebSocket: how it gets messages, and the name by which its requests find it.
package struct StreamedClient: Sendable {
    package let framing: ClientStreamFraming
    /// A secret of the client.
    package let session: String
}

/// A connection that speaks the client protocol: its machine, and what the shard's tables have of it.
package final class ClientSession {
    package var machine: ClientMachine
    /// How its publications are compressed, if they are, where nothing else is special about a subscription.
    package let compressedForm: WireForm
    package let encoding: ClientEncoding
    /// Nil for a WebSocket.
    package let streamed: StreamedClient?
    package let id: String
    package let address: String
    /// What rates count: see `SocketAddress.network`.
    package let network: UInt64
    package let start: MonotonicInstant
    package var identity = Identity.anonymous
    /// See `Session.login`.
    package var login: String?
    /// Of the connection's token; nil without one.
    package var mark: TokenMark?
    /// Nil before the client is let in, and when it is leaving.
    package var info: ClientInfo?
    package var subscriptions: [Topic: ClientSubscription] = [:]
    package var calls = RecentWork.callsOfClient

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

/// What a client has beside its place in the hub's list of subscribers.
package struct ClientSubscription {
    /// Whence the right to it came.
    package enum Origin {
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
    package let info: ClientInfo
    package let origin: Origin
    /// Nil for every publication.
    package let filter: TagFilter?
    /// Whether the client is in the topic's presence.
    package let isPresent: Bool
    /// Whether others are told of its coming and going.
    package let isAnnounced: Bool
    /// Whether it is told of others'.
    package let hearsOthers: Bool
    package let record: ExplainRecord.Handle
    /// What it waits for while it does not read; nil while it is served.
    package var held: HeldSubscription?
}

/// A subscription of a slow reader, which gets nothing until it has read what is on its way.
package struct HeldSubscription {
    /// The form in which it goes on.
    package let form: WireForm
    /// The last publication that it was given.
    package let offset: UInt64
}

/// A WebSocket that gets back what it sends, for conformance suites.
package final class EchoSession {
    package var machine: EchoMachine

    package init(machine: consuming EchoMachine) {
        self.machine = machine
    }
}

/// An event stream under way.
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

/// The reader of a connection that only gets publications: an event stream, or a WebSocket that is only read.
package struct StreamReader {
    /// Empty for a reader without credentials.
    package let user: String
    /// See `Session.login`.
    package let login: String?
    /// Of the connection's token; nil without one.
    package let mark: TokenMark?
    package let address: String
}

/// A WebSocket that only gets publications.
package final class SocketReaderSession {
    /// What its messages are.
    package enum Content {
        /// CloudEvents of several topics.
        case cloudEvents
        /// Publications of one topic, as they are.
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
