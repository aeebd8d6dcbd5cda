/// What came to the queues of endpoints since somebody looked: whoever bounds the queues need not count them with
/// every message, and whoever sends need not read those to which nothing came.
struct OutboxGrowth {
    /// Deliveries that were committed for each endpoint since its queue was counted.
    private var counts: [String: Int] = [:]
    private var changes = OutboxChanges()

    mutating func note(_ written: Written) {
        for endpoint in written.queued {
            counts[endpoint, default: 0] += 1
            changes.grown.insert(endpoint)
        }
        changes.erased += written.erasedDeliveries
    }

    /// Deliveries that had ended wait again, ahead of those that waited.
    mutating func noteAgain(_ count: Int, to endpoint: String) {
        counts[endpoint, default: 0] += count
        changes.reordered.insert(endpoint)
    }

    mutating func forget(_ endpoint: String) {
        counts[endpoint] = nil
    }

    /// Endpoints with at least `count`, which begin at none again.
    mutating func take(_ count: Int) -> [String] {
        let grown = counts.filter { $0.value >= count }.map(\.key)
        for endpoint in grown { counts[endpoint] = nil }
        return grown
    }

    mutating func takeChanges() -> OutboxChanges {
        defer { changes = OutboxChanges() }
        return changes
    }
}

/// What came to the outbox since somebody read it.
package struct OutboxChanges: Sendable, Equatable {
    /// Endpoints with deliveries behind all that were there.
    package var grown: Set<String> = []
    /// Endpoints with deliveries between those that were there.
    package var reordered: Set<String> = []
    /// Deliveries that waited and were erased: whoever has read one must not send it any more.
    package var erased: [Int64] = []
}

extension HubStore {
    /// Endpoints for which so many deliveries were committed since they were last taken.
    package func takeGrownQueues(by count: Int) -> [String] { growth.withLock { $0.take(count) } }

    /// What came to the outbox since the last call, noted before the callers of the commits go on.
    package func takeOutboxChanges() -> OutboxChanges { growth.withLock { $0.takeChanges() } }
}
