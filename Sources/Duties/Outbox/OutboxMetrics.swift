/// The counters of the outbox.
package final class OutboxMetrics: Sendable {
    private let counts = Locked(WebhookCounts())
    private let source = Locked(Source())
    private let stored = SharedAnswer<DeliveryCounts?>()
    /// A store that hangs must not delay the other metrics.
    private static let readingMax = Duration.seconds(1)

    /// A struct, because a closure stored directly in a lock is wrapped again at every access.
    private struct Source: Sendable {
        var disabledEndpoints: (@Sendable () -> Int)?
    }

    package init() {}

    package func noteAttempt(_ result: WebhookCounts.Result) {
        counts.withLock { $0.attempts[result, default: 0] += 1 }
    }

    package func noteDropped(_ count: Int, _ reason: WebhookCounts.DropReason) {
        counts.withLock { $0.dropped[reason, default: 0] += UInt64(count) }
    }

    /// Sets the function that returns the current number of disabled endpoints.
    package func setDisabledEndpoints(_ count: @escaping @Sendable () -> Int) {
        source.withLock { $0.disabledEndpoints = count }
    }

    /// - Parameter wall: the wall-clock time, which decides which messages are due.
    package func write(to text: inout MetricsText, _ store: HubStore, wall: Timestamp) async {
        let disabled = source.withLock { $0 }.disabledEndpoints?() ?? 0
        text.write(counts.withLock { $0 }, disabled: disabled)
        // If the store cannot be read, these metrics are omitted.
        let read = await stored.value(within: Self.readingMax) { try? await store.deliveryCounts() }
        guard let deliveries = read ?? nil else { return }
        text.write(deliveries, wall: wall)
    }
}

extension MetricsText {
    package mutating func write(_ counts: WebhookCounts, disabled: Int) {
        metric(
            "hub_webhook_attempts_total",
            .counter,
            "Attempts to deliver a webhook.",
            WebhookCounts.Result.allCases.map {
                ([("result", $0.rawValue)], counts.attempts[$0, default: 0])
            }
        )
        metric(
            "hub_webhook_endpoints_disabled",
            .gauge,
            "Endpoints that want nothing any more.",
            UInt64(disabled)
        )
        metric(
            "hub_webhook_dropped_total",
            .counter,
            """
            Webhooks that were given up: too many waited, or for too long, or their event was \
            erased.
            """,
            WebhookCounts.DropReason.allCases.map {
                ([("reason", $0.rawValue)], counts.dropped[$0, default: 0])
            }
        )
    }

    package mutating func write(_ deliveries: DeliveryCounts, wall: Timestamp) {
        metric("hub_webhook_queue", .gauge, "Webhooks that wait.", UInt64(deliveries.pending))
        gauge(
            "hub_webhook_oldest_seconds",
            "The age of the oldest waiting webhook.",
            [([], deliveries.oldestPending.map { max(0, (wall - $0).inSeconds) } ?? 0)]
        )
    }
}
