// The answers of the caller of a `CentrifugeSession`. All data are one JSON value as text.
//
// A time to live counts whole seconds from now; nil is no limit. When it has elapsed, the client
// must send a fresh token within the limit `expiryGrace`. 0 is sent as 1: clients take 0 for no
// time to live.

/// The data for an accepted client about its connection.
package struct ConnectAcceptance: Equatable, Sendable {
    /// Names the connection, uniquely over all nodes.
    package var clientID: String
    /// Names the connection's session in the node.
    package var sessionID: String
    package var node: String
    /// Of the hub.
    package var version: String
    package var data: [UInt8]?
    package var timeToLiveSeconds: UInt32?
    /// Those that the hub has made for the client, each topic once.
    package var subscriptions: [ServerSubscription]

    package init(
        clientID: String,
        sessionID: String,
        node: String,
        version: String,
        data: [UInt8]? = nil,
        timeToLiveSeconds: UInt32? = nil,
        subscriptions: [ServerSubscription] = []
    ) {
        self.clientID = clientID
        self.sessionID = sessionID
        self.node = node
        self.version = version
        self.data = data
        self.timeToLiveSeconds = timeToLiveSeconds
        self.subscriptions = subscriptions
    }
}

/// A subscription that the hub made without being asked. It lives as long as the connection: the
/// protocol has no token for it.
package struct ServerSubscription: Equatable, Sendable {
    package var topic: Topic
    package var subscribed: Subscribed
    package var data: [UInt8]?

    package init(topic: Topic, subscribed: Subscribed, data: [UInt8]? = nil) {
        self.topic = topic
        self.subscribed = subscribed
        self.data = data
    }
}

/// The data for a client about a subscription that it asked for.
package struct SubscribeAcceptance: Equatable, Sendable {
    package var subscribed: Subscribed
    package var timeToLiveSeconds: UInt32?
    package var data: [UInt8]?
    /// Whether publications have a form of `CentrifugePush.DeltaForm`. Recovered ones come in full.
    package var usesDelta: Bool
    /// Whether the position and the offsets of publications are those of the topic.
    package var isPositioned: Bool
    /// The publications of `subscribed`, if they are encoded already, for the session's encoding.
    package var recovered: RecoveredPublications?

    package init(
        _ subscribed: Subscribed,
        timeToLiveSeconds: UInt32? = nil,
        data: [UInt8]? = nil,
        usesDelta: Bool = false,
        isPositioned: Bool = true,
        recovered: RecoveredPublications? = nil
    ) {
        self.subscribed = subscribed
        self.timeToLiveSeconds = timeToLiveSeconds
        self.data = data
        self.usesDelta = usesDelta
        self.isPositioned = isPositioned
        self.recovered = recovered
    }
}

/// The numbers of clients and users in a topic.
package struct PresenceCounts: Equatable, Sendable {
    package var clients: UInt32
    /// Different users among them.
    package var users: UInt32

    package init(clients: UInt32, users: UInt32) {
        self.clients = clients
        self.users = users
    }
}

/// Part of a topic's history, in the order that was asked for.
package struct HistoryAnswer: Equatable, Sendable {
    package var publications: [Publication]
    /// The newest of the topic, whatever part was asked for.
    package var position: Position

    package init(publications: [Publication], position: Position) {
        self.publications = publications
        self.position = position
    }
}

/// The data for a client about its connection after a valid fresh token.
package struct RefreshAcceptance: Equatable, Sendable {
    package var clientID: String
    /// Of the hub.
    package var version: String
    package var timeToLiveSeconds: UInt32?

    package init(clientID: String, version: String, timeToLiveSeconds: UInt32?) {
        self.clientID = clientID
        self.version = version
        self.timeToLiveSeconds = timeToLiveSeconds
    }
}
