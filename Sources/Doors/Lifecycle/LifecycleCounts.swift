/// The events that this node has committed, for the metrics.
struct LifecycleCounts: Sendable {
    /// By the type of the event.
    var events: [String: Int] = [:]
    /// Visits that are in no event: see `LifecycleBook`.
    var leftOut = 0
}

extension MetricsText {
    mutating func write(lifecycle counts: LifecycleCounts) {
        metric(
            "hub_lifecycle_events_total",
            .counter,
            "Events about connections, users, topics and members, by their type.",
            counts.events.sorted { $0.key < $1.key }.map { type, count in
                (labels: [("type", type)], value: UInt64(count))
            }
        )
        metric(
            "hub_lifecycle_left_out_total",
            .counter,
            "Visits that are in no event, because too many waited for the store.",
            [(labels: [], value: UInt64(counts.leftOut))]
        )
    }
}
