/// One request of the server API, checked: every topic is a topic, every payload is JSON text, every
/// limit holds. `ServerAPIRequest+Decoding.swift` reads it; protocol/server-api.md describes it.
package enum ServerAPIRequest: Sendable, Equatable {
    case publish(NewPublication)
    case broadcast(Broadcast)
    case subscribe(Subscribe)
    case unsubscribe(Connections, from: Topic)
    case disconnect(Disconnect)
    case refresh(Refresh)
    case presence(Topic)
    case presenceStats(Topic)
    case history(History)
    case historyRemove(Topic)
    /// `history_remove` with a tag: removes only publications with that tag.
    case historyErase(Erasure)
    case channels(TopicGlob)
    case connections(ConnectionList)
    case info
    case userStatuses(of: [String])
    case revoke(Revoking)
    case batch(Batch)

    /// The connections that a request is about.
    package struct Connections: Sendable, Equatable, Codable {
        /// Empty for the connections without credentials.
        package var user: String
        /// Limits the request to the user's connection with this client id.
        package var client: String?
        /// Limits the request to the user's connection with this session.
        package var session: String?

        package init(user: String, client: String? = nil, session: String? = nil) {
            self.user = user
            self.client = client
            self.session = session
        }
    }

    /// One publication for many topics. A text that is no topic is answered in its place; the other
    /// topics get theirs.
    package struct Broadcast: Sendable, Equatable {
        /// One for each channel, in the order of the request; they differ only in their topic.
        package var publications: [Result<NewPublication, ServerAPIError>]

        package init(publications: [Result<NewPublication, ServerAPIError>]) {
            self.publications = publications
        }
    }

    /// A subscription that begins without the client's asking.
    package struct Subscribe: Sendable, Equatable, Codable {
        package var connections: Connections
        package var topic: Topic
        package var options: SubscribeOptions

        package init(
            connections: Connections,
            topic: Topic,
            options: SubscribeOptions = SubscribeOptions()
        ) {
            self.connections = connections
            self.topic = topic
            self.options = options
        }
    }

    package struct SubscribeOptions: Sendable, Equatable, Codable {
        /// JSON text about the subscriber, for presence and joins.
        package var info: [UInt8]?
        /// JSON text for the client, sent with the push that informs it of its subscription.
        package var data: [UInt8]?
        package var expiresAt: Timestamp?
        package var since: Position?
        package var override: Override

        package init(
            info: [UInt8]? = nil,
            data: [UInt8]? = nil,
            expiresAt: Timestamp? = nil,
            since: Position? = nil,
            override: Override = Override()
        ) {
            self.info = info
            self.data = data
            self.expiresAt = expiresAt
            self.since = since
            self.override = override
        }
    }

    /// The settings of this subscription that differ from its namespace; nil where the namespace
    /// applies.
    package struct Override: Sendable, Equatable, Codable {
        package var presence: Bool?
        package var joinLeave: Bool?
        package var pushesJoinLeave: Bool?
        package var isPositioned: Bool?
        package var isRecoverable: Bool?

        package init(
            presence: Bool? = nil,
            joinLeave: Bool? = nil,
            pushesJoinLeave: Bool? = nil,
            isPositioned: Bool? = nil,
            isRecoverable: Bool? = nil
        ) {
            self.presence = presence
            self.joinLeave = joinLeave
            self.pushesJoinLeave = pushesJoinLeave
            self.isPositioned = isPositioned
            self.isRecoverable = isRecoverable
        }
    }

    package struct Disconnect: Sendable, Equatable, Codable {
        package var connections: Connections
        /// Client ids of connections that stay.
        package var spared: Set<String>
        package var code: DisconnectCode

        package init(
            connections: Connections,
            spared: Set<String> = [],
            code: DisconnectCode = .forceNoReconnect
        ) {
            self.connections = connections
            self.spared = spared
            self.code = code
        }
    }

    package struct Refresh: Sendable, Equatable, Codable {
        package enum Expiry: Sendable, Equatable, Codable {
            /// At once, with `DisconnectCode.expired`.
            case now
            case at(Timestamp)
            case never
        }

        package var connections: Connections
        package var expiry: Expiry
        /// JSON text about the connection that takes the place of its present one; nil leaves it.
        package var info: [UInt8]?

        package init(connections: Connections, expiry: Expiry, info: [UInt8]? = nil) {
            self.connections = connections
            self.expiry = expiry
            self.info = info
        }
    }

    /// The access that is withdrawn from a token or a user, or granted again to a user.
    package enum Revoking: Sendable, Equatable {
        /// The token with this `jti`.
        case token(id: String, until: Timestamp?)
        /// The tokens of a user that were issued before a time; nil for the present.
        case tokens(user: String, before: Timestamp?, until: Timestamp?)
        case block(user: String, until: Timestamp?)
        case unblock(user: String)
    }

    /// A page of a topic's history.
    package struct History: Sendable, Equatable {
        package enum Limit: Sendable, Equatable {
            /// Only the newest position.
            case none
            /// At least 1.
            case count(Int)
            /// As many as the hub gives at once.
            case all
        }

        package var topic: Topic
        package var limit: Limit
        /// The page begins behind this place; nil for the history's end.
        package var since: Position?
        /// From new to old.
        package var isReversed: Bool

        package init(
            topic: Topic,
            limit: Limit = .none,
            since: Position? = nil,
            isReversed: Bool = false
        ) {
            self.topic = topic
            self.limit = limit
            self.since = since
            self.isReversed = isReversed
        }
    }

    /// The connections that receive publications, or some of them.
    package struct ConnectionList: Sendable, Equatable {
        package static let limitDefault = 1000

        /// Only those of this user; nil for all.
        package var user: String?
        /// Only its subscribers; nil for all.
        package var topic: Topic?
        /// At least 1.
        package var limit: Int

        package init(user: String? = nil, topic: Topic? = nil, limit: Int = limitDefault) {
            self.user = user
            self.topic = topic
            self.limit = limit
        }
    }

    /// Commands that travel together. One that is wrong is answered in its place; the others are
    /// carried out.
    package struct Batch: Sendable, Equatable {
        package struct Command: Sendable, Equatable {
            package var method: ServerAPIMethod
            package var request: ServerAPIRequest

            package init(method: ServerAPIMethod, request: ServerAPIRequest) {
                self.method = method
                self.request = request
            }
        }

        /// Never a batch in a batch.
        package var commands: [Result<Command, ServerAPIError>]
        /// Whether the order of the commands does not matter.
        package var isParallel: Bool

        package init(commands: [Result<Command, ServerAPIError>], isParallel: Bool = false) {
            self.commands = commands
            self.isParallel = isParallel
        }
    }
}
