/// A node's part in a cluster: several hubs on one schema in PostgreSQL.
package struct ClusterOptions: Sendable, Equatable {
    /// The node's name, which no other node has.
    package var node: String
    /// The time for which a lease holds without being renewed.
    package var lease: Duration
    /// The silence of the server after which the node counts as cut off.
    package var staleAfter: Duration
    /// The version of the hub.
    package var version: String
    /// The domains of `StateRow` whose changes are reported to every node.
    package var watchedState: Set<String>

    /// The time for which a node counts as living after it was last seen, which is once a second.
    var livingFor: Duration { max(staleAfter, .seconds(3)) }

    /// The time for which a node may be silent inside a transaction, while the others wait for the
    /// commit lock that it holds: the server then ends its connection. So a node that stops does not
    /// make the others count as cut off. A shorter time would end transactions of nodes that are only
    /// slow.
    var transactionSilenceMax: Duration { max(staleAfter / 2, .milliseconds(500)) }

    package init(
        node: String,
        lease: Duration = .seconds(10),
        staleAfter: Duration = .seconds(5),
        version: String = "",
        watchedState: Set<String> = []
    ) {
        self.node = node
        self.lease = lease
        self.staleAfter = staleAfter
        self.version = version
        self.watchedState = watchedState
    }
}
