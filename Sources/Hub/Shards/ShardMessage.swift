import ClientWire
import HTTPService
import PubSub
import Reactor
import Store

/// What other threads tell a shard.
package enum ShardMessage: Sendable {
    /// Committed publications, in commit order, and when they were.
    case publications([Publication], committed: MonotonicInstant)
    /// The answer to the request of a connection that waits for it.
    case response(ConnectionID, ServerResponse)
    /// What became of publish commands, after their publications were posted.
    case published([PublishTicket], ProtocolError?)
    /// A topic's history was removed up to an offset, at this place among the commits.
    case historyRemoved(Topic, through: UInt64)
    /// What was taken out of histories, at this place among the commits.
    case erased([Erasure])
    /// Topics that were forgotten, at this place among the commits.
    case forgotten([ForgottenTopic])
    /// A client has come into a topic, or has left it.
    case presence(Topic, ClientInfo, isJoin: Bool)
    /// Something to be done on the loop, within a turn: what it sends goes out at the turn's end.
    case work(Work)

    /// A struct of its own: a closure in a generic container is wrapped once more at each access.
    package struct Work: Sendable {
        package let body: @Sendable (isolated Shard) -> Void
    }
}

/// A publish command that waits for its commit.
package struct PublishTicket: Sendable {
    package let connection: ConnectionID
    package let commandID: UInt32
}

/// Commits what clients publish, and answers once, from any thread: with what was refused, by its index
/// in `publications`, or with why nothing was committed.
package typealias Publisher =
    @Sendable (
        _ publications: [ClientPublication],
        _ completion: @escaping PublishCompletion
    ) -> Void

package typealias PublishCompletion =
    @Sendable (_ refused: Result<[Int: TopicRefusal], any Error>) -> Void

/// Of a server without a store; nobody may publish to it.
package let noPublisher: Publisher = { _, completion in
    completion(.failure(ProtocolError.notAvailable))
}
