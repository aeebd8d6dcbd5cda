/// The place of a node in its cluster, for the metrics.
package struct NodeStatus: Sendable, Equatable {
    /// The number of the last batch of the log that the node has applied.
    package var applied: Int64
    /// The time since the server last answered.
    package var silence: Duration
    /// The node's term as the leader; nil while it does not lead.
    package var term: Int64?

    package init(applied: Int64, silence: Duration, term: Int64? = nil) {
        self.applied = applied
        self.silence = silence
        self.term = term
    }
}
