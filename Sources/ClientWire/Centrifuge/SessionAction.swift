/// The work that the caller of a `CentrifugeSession` must do, in the order given.
package enum SessionAction: Equatable, Sendable {
    /// Decide on the client and call `answerConnect`. Always the last action of its list.
    case connect(commandID: UInt32, ConnectRequest)
    /// Subscribe and call `answerSubscribe`.
    case subscribe(SubscribeRequest)
    /// Unsubscribe and call `answerUnsubscribe`.
    case unsubscribe(commandID: UInt32, topic: Topic)
    /// Publish and call `answerPublish`, once the publication is committed or refused.
    case publish(PublishRequest)
    /// Call `answerPresence` with the clients that are in the topic.
    case presence(commandID: UInt32, topic: Topic)
    /// Call `answerPresenceStats` with their numbers.
    case presenceStats(commandID: UInt32, topic: Topic)
    /// Call `answerHistory`.
    case history(HistoryRequest)
    /// Call the method, and `answerRPC` with its result.
    case rpc(RPCRequest)
    /// Accept a message without a reply; nil for one without data.
    case send(data: [UInt8]?)
    /// Check the fresh token of the connection and call `answerRefresh`.
    case refresh(commandID: UInt32, token: String)
    /// Check the fresh token of a subscription and call `answerSubRefresh`.
    case subRefresh(commandID: UInt32, topic: Topic, token: String)
    /// The right to a subscription has expired: unsubscribe, and send the result of `unsubscribe`
    /// for `UnsubscribeCode.expired`. Do nothing if the subscription no longer exists.
    case subscriptionExpired(Topic)
    /// It is time to decide whether the client may stay (`decideOnConnection`): call that again, or end
    /// the session with `DisconnectCode.expired`.
    case connectionExpired
    /// Send these bytes, one message, as a frame or joined with others: in JSON by a line feed, in
    /// Protobuf by nothing.
    case reply([UInt8])
    /// Send these bytes likewise: the error to a subscribe command of a client that has as many
    /// subscriptions as it may.
    case tooManySubscriptions([UInt8])
    /// Send a WebSocket ping frame.
    case ping
    /// Close with this code. The session is over. Always the last action of its list.
    case disconnect(DisconnectCode)
}
