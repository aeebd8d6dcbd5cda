import Reactor

/// The rank of a connection in a list: the measures of its backlog.
package struct ConnectionRank: Sendable, Equatable {
    /// The index of its loop.
    package let loop: Int
    package let id: ConnectionID
    package let isSlow: Bool
    package let queuedBytes: Int
    /// Zero before the first answer to a ping.
    package let roundTrip: Duration

    /// Whether the connection comes before another one in a list: slow ones, the fullest queues,
    /// and the longest round trips come first.
    package func precedes(_ other: ConnectionRank) -> Bool {
        if isSlow != other.isSlow { return isSlow }
        if queuedBytes != other.queuedBytes { return queuedBytes > other.queuedBytes }
        if roundTrip != other.roundTrip { return roundTrip > other.roundTrip }
        return (loop, id.index) < (other.loop, other.id.index)
    }
}

/// Those of many connections that are furthest behind, and the number of all.
package struct ConnectionRanking: Sendable {
    private let limit: Int
    /// In the order of the list, at most `limit`.
    package private(set) var first: [ConnectionRank] = []
    /// The number of all connections that were added.
    package private(set) var total = 0

    package init(limit: Int) {
        precondition(limit > 0)
        self.limit = limit
    }

    /// - Complexity: O(n log n), n the limit and the number of added ones.
    package mutating func add(_ ranks: [ConnectionRank]) {
        guard !ranks.isEmpty else { return }
        total += ranks.count
        first = Array((first + ranks).sorted { $0.precedes($1) }.prefix(limit))
    }
}
