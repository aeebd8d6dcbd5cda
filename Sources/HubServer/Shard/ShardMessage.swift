import PubSub
import Reactor

/// What other threads tell a shard.
package enum ShardMessage: Sendable {
    /// Committed publications, in commit order.
    case publications([Publication])
    /// The answer to the request of a connection that waits for it.
    case response(ConnectionID, ServerResponse)
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

    package init(_ decide: @escaping @Sendable (Topic) -> Decision) {
        self.decide = decide
    }
}
