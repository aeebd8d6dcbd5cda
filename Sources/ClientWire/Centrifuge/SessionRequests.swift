// The requests of a client to the caller of its `CentrifugeSession`. All data are one JSON value as
// text.

/// The data that a client sends when it connects.
package struct ConnectRequest: Equatable, Sendable {
    /// Empty when the client gave none.
    package var token: String
    /// The client library and its version, as it calls itself.
    package var name: String
    package var version: String
    package var data: [UInt8]?
    /// The topics to which the hub had subscribed it on its last connection.
    package var subscriptions: [Topic: FormerSubscription]

    package init(
        token: String = "",
        name: String = "",
        version: String = "",
        data: [UInt8]? = nil,
        subscriptions: [Topic: FormerSubscription] = [:]
    ) {
        self.token = token
        self.name = name
        self.version = version
        self.data = data
        self.subscriptions = subscriptions
    }
}

/// A subscription that the hub made on the client's last connection.
package struct FormerSubscription: Equatable, Sendable {
    /// Where the client left off; nil when it does not want to recover.
    package var since: Position?
    /// Whether the client rather has no subscription than one with a gap.
    package var mustRecover: Bool

    package init(since: Position?, mustRecover: Bool = false) {
        self.since = since
        self.mustRecover = mustRecover
    }
}

/// A client's request to subscribe to a topic.
package struct SubscribeRequest: Equatable, Sendable {
    package var commandID: UInt32
    package var topic: Topic
    /// Where the client left off; nil when it does not want to recover.
    package var since: Position?
    /// Whether the client rather has no subscription than one with a gap.
    package var mustRecover: Bool
    /// Empty when the client gave none.
    package var token: String
    package var data: [UInt8]?
    /// Nil for every publication. Never together with `wantsDelta`.
    package var filter: TagFilter?
    /// Whether the client understands Fossil deltas.
    package var wantsDelta: Bool
    /// Whether the client asks for notifications of joins and leaves.
    package var wantsJoinLeave: Bool

    /// Whether the client asked for the publications that it has missed.
    package var recovers: Bool { since != nil }

    package init(
        commandID: UInt32,
        topic: Topic,
        since: Position?,
        mustRecover: Bool = false,
        token: String = "",
        data: [UInt8]? = nil,
        filter: TagFilter? = nil,
        wantsDelta: Bool = false,
        wantsJoinLeave: Bool = false
    ) {
        self.commandID = commandID
        self.topic = topic
        self.since = since
        self.mustRecover = mustRecover
        self.token = token
        self.data = data
        self.filter = filter
        self.wantsDelta = wantsDelta
        self.wantsJoinLeave = wantsJoinLeave
    }
}

/// A client's request to publish.
package struct PublishRequest: Equatable, Sendable {
    package var commandID: UInt32
    package var topic: Topic
    package var data: [UInt8]

    package init(commandID: UInt32, topic: Topic, data: [UInt8]) {
        self.commandID = commandID
        self.topic = topic
        self.data = data
    }
}

/// The part of a topic's history that a client asks for.
package struct HistoryRequest: Equatable, Sendable {
    package var commandID: UInt32
    package var topic: Topic
    /// The maximum number of publications; 0 for only the position, negative for the caller's
    /// maximum.
    package var limit: Int32
    /// Where to begin, this place itself not included; nil for the oldest, or in reverse the newest.
    package var since: Position?
    /// Newest first.
    package var reverse: Bool

    package init(
        commandID: UInt32,
        topic: Topic,
        limit: Int32 = 0,
        since: Position? = nil,
        reverse: Bool = false
    ) {
        self.commandID = commandID
        self.topic = topic
        self.limit = limit
        self.since = since
        self.reverse = reverse
    }
}

/// A call of a method that the caller, not the protocol, defines.
package struct RPCRequest: Equatable, Sendable {
    package var commandID: UInt32
    /// May be empty.
    package var method: String
    package var data: [UInt8]?

    package init(commandID: UInt32, method: String, data: [UInt8]? = nil) {
        self.commandID = commandID
        self.method = method
        self.data = data
    }
}
