/// The additions to the endpoints' queues since the last read, so that bounding the queues does not
/// count them with every message, and sending does not read unchanged queues.
struct OutboxGrowth {
    /// The number of deliveries that were committed for each endpoint since its queue was counted.
    private var counts: [String: Int] = [:]
    private var changes = OutboxChanges()

    mutating func note(_ written: Written) {
        for endpoint in written.queued {
            counts[endpoint, default: 0] += 1
            changes.grown.insert(endpoint)
        }
        changes.erased += written.erasedDeliveries
    }

    /// Adds ended deliveries that are pending again, ahead of those already pending.
    mutating func noteAgain(_ count: Int, to endpoint: String) {
        counts[endpoint, default: 0] += count
        changes.reordered.insert(endpoint)
    }

    mutating func forget(_ endpoint: String) {
        counts[endpoint] = nil
    }

    /// Returns the endpoints with at least `count` deliveries, and resets their numbers.
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

/// The changes to the outbox since it was last read.
package struct OutboxChanges: Sendable, Equatable {
    /// Endpoints with new deliveries after all earlier ones.
    package var grown: Set<String> = []
    /// Endpoints with new deliveries between earlier ones.
    package var reordered: Set<String> = []
    /// Pending deliveries that were erased: a sender that has read one must not send it.
    package var erased: [Int64] = []
}

extension HubStore {
    /// Returns the endpoints for which at least `count` deliveries were committed since they were
    /// last taken.
    package func takeGrownQueues(by count: Int) -> [String] { growth.withLock { $0.take(count) } }

    /// Returns the changes to the outbox since the last call, recorded before the callers of the
    /// commits resume.
    package func takeOutboxChanges() -> OutboxChanges { growth.withLock { $0.takeChanges() } }
}
