import ClientWire
import PubSub
import Reactor

/// What other threads tell a shard.
package enum ShardMessage: Sendable {
    /// Committed publications, in commit order.
    case publications([Publication])
    /// The answer to the request of a connection that waits for it.
    case response(ConnectionID, ServerResponse)
    /// What became of publish commands, after their publications were posted.
    case published([PublishTicket], ProtocolError?)
}

/// A publish command that waits for its commit.
package struct PublishTicket: Sendable {
    let connection: ConnectionID
    let commandID: UInt32
}

/// Commits what clients publish, all of it or nothing, and answers once, from any thread.
package typealias Publisher =
    @Sendable (
        _ publications: [(topic: Topic, data: [UInt8])],
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> Void

/// Of a server without a store; nobody may publish to it.
package let noPublisher: Publisher = { _, completion in
    completion(ProtocolError.notAvailable)
}

/// Who may subscribe to what.
package struct TopicAccess: Sendable {
    package enum Decision: Sendable {
        case allowed
        /// No such namespace.
        case unknown
        case denied
    }

    package let decide: @Sendable (Topic) -> Decision
    /// Who of those that may subscribe to a topic may publish to it.
    package let publishers: @Sendable (Topic) -> Configuration.Publishers

    package init(
        publishers: @escaping @Sendable (Topic) -> Configuration.Publishers = { _ in .nobody },
        _ decide: @escaping @Sendable (Topic) -> Decision
    ) {
        self.decide = decide
        self.publishers = publishers
    }
}
