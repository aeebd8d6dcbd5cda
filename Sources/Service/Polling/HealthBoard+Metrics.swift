extension HealthBoard {
    /// - Parameter now: the time on the feeds' clock.
    package func write(to text: inout MetricsText, now: Timestamp) {
        text.write(all, now: now)
        text.write(polls)
    }
}

extension MetricsText {
    package mutating func write(_ feeds: [HealthBoard.Line], now: Timestamp) {
        gauge(
            "hub_source_staleness_seconds",
            "The age of the data of a feed.",
            feeds.compactMap { line in
                line.health.lastSuccess.map {
                    ([("source", line.name)], max(0, (now - $0).inSeconds))
                }
            }
        )
    }

    package mutating func write(_ polls: PollCounts) {
        metric(
            "hub_poll_runs_total",
            .counter,
            "Requests to upstreams.",
            polls.runs.sorted { $0.key < $1.key }.flatMap { source, counts in
                PollCounts.Result.allCases.map {
                    (
                        [("source", source), ("result", $0.rawValue)],
                        counts[$0, default: 0]
                    )
                }
            }
        )
        histogram("hub_poll_seconds", "Requests to upstreams.", polls.duration)
    }
}
