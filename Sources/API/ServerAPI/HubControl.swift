import ClientWire

/// The operations of the hub as a whole that a backend can request, independent of the loops of the
/// connections.
///
/// A thrown error is sent to the backend. Implementations log any details that the backend must not
/// receive. A topic without a configured namespace is `.unknownChannel`. If presence or history is
/// requested of a namespace without it, the error is `.notAvailable`.
package protocol HubControl: Sendable {
    /// Returns the first of the topics whose existence this node cannot decide: only the leader of a
    /// cluster has the topics of domains.
    func firstUndecided(of topics: [Topic]) async -> Topic?

    /// Publishes all of them in one commit, and returns after it.
    ///
    /// - Returns: one result for each publication, in their order. A duplicate (`idempotencyKey`)
    ///   has the position of the first publication; one with an old `version` has the topic's
    ///   position. If the commit fails, all publications that it would have contained fail.
    func publish(
        _ publications: [NewPublication]
    ) async -> [Result<Position, ServerAPIError>]

    /// Subscribes the matching connections; it is not an error if there are none.
    func subscribe(_ request: ServerAPIRequest.Subscribe) async throws(ServerAPIError)

    /// Ends a subscription with `UnsubscribeCode.server`, including those of event streams and
    /// readers of CloudEvents. It is not an error if the subscription does not exist.
    func unsubscribe(
        _ connections: ServerAPIRequest.Connections,
        from topic: Topic
    ) async throws(ServerAPIError)

    /// Ends the matching connections; it is not an error if there are none.
    func disconnect(_ request: ServerAPIRequest.Disconnect) async throws(ServerAPIError)

    /// Sets new expiry times of connections.
    func refresh(_ request: ServerAPIRequest.Refresh) async throws(ServerAPIError)

    /// Invalidates tokens or a user, durably, and ends their connections; or lifts that.
    func revoke(_ request: ServerAPIRequest.Revoking) async throws(ServerAPIError)

    /// Returns the subscribers of a topic, by client.
    func presence(in topic: Topic) async throws(ServerAPIError) -> [ClientInfo]

    func presenceStats(
        of topic: Topic
    ) async throws(ServerAPIError) -> ServerAPIResult.PresenceStats

    /// Returns a page of a topic's history. A position with another epoch is
    /// `.unrecoverablePosition`; evicted publications after the position are skipped.
    func history(
        _ request: ServerAPIRequest.History
    ) async throws(ServerAPIError) -> ServerAPIResult.History

    /// Deletes a topic's history. Its offsets continue.
    func removeHistory(of topic: Topic) async throws(ServerAPIError)

    /// Deletes only the publications with a tag from a topic's history, and the webhook messages
    /// that concern nothing else. Clients do not see a gap.
    func erase(_ erasure: Erasure) async throws(ServerAPIError)

    /// Returns the matching topics with subscribers, in no order.
    func channels(
        matching pattern: TopicGlob
    ) async throws(ServerAPIError) -> [ServerAPIResult.Channel]

    /// Returns the connections of this node that match; if there are more than `limit`, those that
    /// are furthest behind. A topic without a configured namespace is `.unknownChannel`.
    func connections(
        _ request: ServerAPIRequest.ConnectionList
    ) async throws(ServerAPIError) -> ServerAPIResult.ConnectionList

    /// Returns the outcome of a publication's delivery to a client, as JSON text.
    func explanation(client: String, topic: Topic, offset: UInt64) async -> [UInt8]

    /// Returns whether users are online, in the order of the request. Without events about users it is
    /// `.notAvailable`.
    func statuses(
        of users: [String]
    ) async throws(ServerAPIError) -> [ServerAPIResult.UserStatus]

    /// Returns this process, and others if the hub has more.
    func nodes() async throws(ServerAPIError) -> [ServerAPIResult.Node]
}
