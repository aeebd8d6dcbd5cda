/// The calls of a hook at present, and its counts since the start.
struct HookState: Sendable {
    struct CountKey: Hashable, Sendable {
        let event: HookEvent
        /// `result`, `error` or `disconnect` of the application; `kept` for an answer that was kept; otherwise the
        /// fault.
        let result: String
    }

    let name: String
    let host: String
    var callCount = 0
    var waitingCount = 0
    var keptCount = 0
    var isBreakerOpen = false
    /// Of questions.
    var counts: [CountKey: Int] = [:]
    /// Of calls, by event.
    var times: [HookEvent: Histogram] = [:]

    var sortedCounts: [(key: CountKey, value: Int)] {
        counts.sorted {
            ($0.key.event.rawValue, $0.key.result) < ($1.key.event.rawValue, $1.key.result)
        }
    }
}

extension HookFault {
    /// A word for metrics.
    var word: String {
        switch self {
        case .timeout: "timeout"
        case .connection: "connection"
        case .status: "status"
        case .body: "body"
        case .tooMany: "queue_full"
        case .breakerOpen: "breaker_open"
        }
    }
}

extension MetricsText {
    mutating func write(hooks: [HookState]) {
        metric(
            "hub_hook_calls_total",
            .counter,
            "Questions to hooks, by their outcome.",
            hooks.flatMap { hook in
                hook.sortedCounts.map { key, count in
                    (
                        labels: [
                            ("hook", hook.name), ("event", key.event.rawValue),
                            ("result", key.result),
                        ],
                        value: UInt64(count)
                    )
                }
            }
        )
        histogram(
            "hub_hook_seconds",
            "Durations of the calls of hooks.",
            hooks.flatMap { hook in
                hook.times.sorted { $0.key.rawValue < $1.key.rawValue }.map { event, times in
                    ([("hook", hook.name), ("event", event.rawValue)], times)
                }
            }
        )
        metric(
            "hub_hook_waiting",
            .gauge,
            "Questions that wait for a call.",
            hooks.map { (labels: [("hook", $0.name)], value: UInt64($0.waitingCount)) }
        )
        metric(
            "hub_hook_breaker_open",
            .gauge,
            "1 while a hook is not asked, because it has not answered.",
            hooks.map { (labels: [("hook", $0.name)], value: $0.isBreakerOpen ? 1 : 0) }
        )
    }
}
