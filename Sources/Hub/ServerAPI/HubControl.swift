import ClientWire
import PubSub

/// What a backend can have done by the hub as a whole, whichever loop a connection lives on.
///
/// An error is what the backend is told; whoever carries out these methods logs what it must not be
/// told. A topic whose namespace nobody configured is `.unknownChannel`; a namespace without presence
/// or history answers `.notAvailable` where that is asked for.
package protocol HubControl: Sendable {
    /// Publishes all of them in one commit, and returns after it.
    ///
    /// - Returns: one for each, in their order. One that was published before (`idempotencyKey`) or is
    ///   old news (`version`) has the topic's position of then. When the commit fails, all that would
    ///   have been in it fail.
    func publish(
        _ publications: [NewPublication]
    ) async -> [Result<Position, ServerAPIError>]

    /// Subscribes the connections that there are; none is no error.
    func subscribe(_ request: ServerAPIRequest.Subscribe) async throws(ServerAPIError)

    /// Ends a subscription with `UnsubscribeCode.server`, of event streams and readers of CloudEvents, too;
    /// one that does not exist is no error.
    func unsubscribe(
        _ connections: ServerAPIRequest.Connections,
        from topic: Topic
    ) async throws(ServerAPIError)

    /// Ends connections; none is no error.
    func disconnect(_ request: ServerAPIRequest.Disconnect) async throws(ServerAPIError)

    /// Says anew when connections expire.
    func refresh(_ request: ServerAPIRequest.Refresh) async throws(ServerAPIError)

    /// Makes tokens or a user open nothing, durably, and ends their connections; or ends that.
    func revoke(_ request: ServerAPIRequest.Revoking) async throws(ServerAPIError)

    /// Who is subscribed to a topic, by client.
    func presence(in topic: Topic) async throws(ServerAPIError) -> [ClientInfo]

    func presenceStats(
        of topic: Topic
    ) async throws(ServerAPIError) -> ServerAPIResult.PresenceStats

    /// A page of what a topic keeps. A place of another epoch is `.unrecoverablePosition`; what was evicted
    /// behind one is passed over.
    func history(
        _ request: ServerAPIRequest.History
    ) async throws(ServerAPIError) -> ServerAPIResult.History

    /// Deletes what a topic keeps. Its offsets go on.
    func removeHistory(of topic: Topic) async throws(ServerAPIError)

    /// Deletes of what a topic keeps only what has a tag, and webhooks that tell of nothing else. It is no
    /// gap for anybody.
    func erase(_ erasure: Erasure) async throws(ServerAPIError)

    /// The topics with subscribers that match, in no order.
    func channels(
        matching pattern: TopicGlob
    ) async throws(ServerAPIError) -> [ServerAPIResult.Channel]

    /// What became of a publication on its way to a client, as JSON text.
    func explanation(client: String, topic: Topic, offset: UInt64) async -> [UInt8]

    /// This process, and others if the hub has more.
    func nodes() async throws(ServerAPIError) -> [ServerAPIResult.Node]
}
