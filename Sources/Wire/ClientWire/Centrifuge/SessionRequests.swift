import PubSub

// What a client asks of the caller of its `CentrifugeSession`. All data are one JSON value as text.

/// What a client says about itself when it connects.
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

/// What a client wants to subscribe to.
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
    /// Whether the client wants to know who else comes and goes.
    package var wantsJoinLeave: Bool

    /// Whether the client asked for what it has missed.
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

/// What a client wants to publish.
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

/// Which part of a topic's history a client wants.
package struct HistoryRequest: Equatable, Sendable {
    package var commandID: UInt32
    package var topic: Topic
    /// Publications at most; 0 for the position alone, negative for as many as the caller gives.
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
