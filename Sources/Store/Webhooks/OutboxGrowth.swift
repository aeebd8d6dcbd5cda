/// Deliveries that were committed for each endpoint since somebody looked at its queue: whoever bounds the queues
/// need not count them with every message.
struct OutboxGrowth {
    private var counts: [String: Int] = [:]

    mutating func note(_ count: Int, to endpoint: String) { counts[endpoint, default: 0] += count }

    mutating func forget(_ endpoint: String) { counts[endpoint] = nil }

    /// Endpoints with at least `count`, which begin at none again.
    mutating func take(_ count: Int) -> [String] {
        let grown = counts.filter { $0.value >= count }.map(\.key)
        for endpoint in grown { counts[endpoint] = nil }
        return grown
    }
}

extension HubStore {
    /// Endpoints for which so many deliveries were committed since they were last taken.
    package func takeGrownQueues(by count: Int) -> [String] { growth.withLock { $0.take(count) } }
}
