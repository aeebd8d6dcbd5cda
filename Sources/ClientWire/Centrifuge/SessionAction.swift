import PubSub

/// What the caller of a `CentrifugeSession` has to do, in the order given.
package enum SessionAction: Equatable, Sendable {
    /// Decide on the client and call `answerConnect`. Always the last action of its list.
    case connect(commandID: UInt32, ConnectRequest)
    /// Subscribe and call `answerSubscribe`.
    case subscribe(SubscribeRequest)
    /// Unsubscribe and call `answerUnsubscribe`.
    case unsubscribe(commandID: UInt32, topic: Topic)
    /// Publish and call `answerPublish`, once the publication is committed or refused.
    case publish(PublishRequest)
    /// Send these bytes as one text message, or joined with others by a line feed.
    case reply([UInt8])
    /// Close with this code. The session is over. Always the last action of its list.
    case disconnect(DisconnectCode)
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

    package init(
        commandID: UInt32,
        topic: Topic,
        since: Position?,
        mustRecover: Bool = false,
        token: String = ""
    ) {
        self.commandID = commandID
        self.topic = topic
        self.since = since
        self.mustRecover = mustRecover
        self.token = token
    }
}

/// What a client wants to publish.
package struct PublishRequest: Equatable, Sendable {
    package var commandID: UInt32
    package var topic: Topic
    /// JSON text.
    package var data: [UInt8]

    package init(commandID: UInt32, topic: Topic, data: [UInt8]) {
        self.commandID = commandID
        self.topic = topic
        self.data = data
    }
}

/// What a client that was let in is told about its connection.
package struct ConnectAcceptance: Equatable, Sendable {
    /// Names the connection, uniquely over all nodes.
    package var clientID: String
    /// Names the connection's session in the node.
    package var sessionID: String
    package var node: String
    /// Of the hub.
    package var version: String

    package init(clientID: String, sessionID: String, node: String, version: String) {
        self.clientID = clientID
        self.sessionID = sessionID
        self.node = node
        self.version = version
    }
}
