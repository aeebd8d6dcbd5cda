import Service

/// The place of a loop in its hub, which does not change.
package struct LoopContext: Sendable {
    /// The index of the loop in the hub.
    package let index: Int
    /// The state that all loops share.
    package let shared: HubShared
    package let logger: Logger
}

/// The parts of the hub that a loop calls. Each answers later, through the loop's mailbox, and none of
/// them blocks.
package struct LoopServices {
    /// Answers requests that no loop answers. Given when the loops are to accept connections, and taken back
    /// when they end: the routes have the loops.
    package var respond: Responder?
    /// Commits the publications of clients.
    package let publisher: Publisher
    /// Nil if this hub is the only node of its store; see `PositionBarrier`.
    package let barrier: PositionBarrier?
    /// Nil if all topics are in memory.
    package let lister: TopicLister?
}
