import ClientWire
import Reactor
import Service

/// A message from another thread to a loop.
package enum LoopMessage: Sendable {
    /// Committed publications, in commit order, and the time of the commit.
    case publications([Publication], committed: MonotonicInstant)
    /// The answer to the request of a connection that waits for it.
    case response(ConnectionID, ServerResponse)
    /// The result of publish commands, after their publications were posted.
    case published([PublishTicket], ProtocolError?)
    /// A topic's history was removed up to an offset, at this place among the commits.
    case historyRemoved(Topic, through: UInt64)
    /// Publications that were erased from histories, at this place among the commits.
    case erased([Erasure])
    /// Topics that were removed, at this place among the commits.
    case forgotten([ForgottenTopic])
    /// The answer to a question to the barrier, after all publications committed before it.
    case caughtUp(question: UInt64)
    /// The end of the read of a history that the loop waits for.
    case historyRead(Topic, HistoryReadEnd.Outcome)
    /// The answer of the application to the command of a connection that waits for it.
    case hookAnswered(ConnectionID, HookOutcome)
    /// The answers of the application to the request of a stream that waits for them.
    case streamAnswered(ConnectionID, StreamAnswers)
    /// The answer of the application whether a client may stay, or its subscription to a topic.
    case refreshAnswered(ConnectionID, HookedPlace?, HookOutcome)
    /// A client has joined or left a topic.
    case presence(Topic, ClientInfo, isJoin: Bool)
    /// A function to run on the loop, within a turn: its output is sent at the end of the turn.
    case work(Work)

    /// A separate struct, because a closure in a generic container is wrapped again at each access.
    package struct Work: Sendable {
        package let body: @Sendable (isolated Loop) -> Void
    }
}

/// A publish command that waits for its commit.
package struct PublishTicket: Sendable {
    package let connection: ConnectionID
    package let commandID: UInt32
}

/// Commits publications of clients. Calls the completion once, from any thread: with the refused
/// publications by their index in `publications`, or with the reason why nothing was committed.
package typealias Publisher =
    @Sendable (
        _ publications: [ClientPublication],
        _ completion: @escaping PublishCompletion
    ) -> Void

package typealias PublishCompletion =
    @Sendable (_ refused: Result<[Int: TopicRefusal], any Error>) -> Void

/// Calls the completion once, from any thread, when everything that was committed before the call,
/// on any node, is in the mailboxes of this node's loops. It is called on a loop and must not block.
/// If the store cannot be reached, it may drop the completion.
package typealias PositionBarrier =
    @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void

/// The publisher of a server without a store, which refuses every publication.
package let noPublisher: Publisher = { _, completion in
    completion(.failure(ProtocolError.notAvailable))
}
