import Glibc
import Metrics
import Polling
import Store
import Timekeeping

/// What the parts beside the loops count: the process, the store, the feeds, the webhooks.
extension MetricsText {
    mutating func writeProcess(_ snapshot: MetricsSnapshot) {
        metric(
            "hub_build_info",
            .gauge,
            "The version that runs.",
            [([("version", snapshot.version)], 1)]
        )
        metric(
            "hub_log_lines_dropped_total",
            .counter,
            "Log lines that standard error did not take.",
            snapshot.logLinesDropped
        )
        guard let pages = MetricsText.residentPages() else { return }
        metric(
            "process_resident_memory_bytes",
            .gauge,
            "Memory of the process that is in use.",
            pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        )
    }

    /// The second number of /proc/self/statm.
    private static func residentPages() -> UInt64? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? UInt64(numbers[1]) : nil
    }

    // MARK: The store

    mutating func write(_ store: MetricsSnapshot.StoreSnapshot) {
        let statistics = store.statistics
        histogram(
            "hub_store_commit_seconds",
            "Transactions, from begin to the end of the commit.",
            store.transactions
        )
        metric("hub_store_commits_total", .counter, "Transactions.", statistics.transactions)
        metric(
            "hub_store_writes_total",
            .counter,
            "Writes, several of which share a transaction.",
            [
                ([("result", "committed")], statistics.writesCommitted),
                ([("result", "failed")], statistics.writesFailed),
                ([("result", "refused")], statistics.writesRefused),
            ]
        )
        metric(
            "hub_store_writes_waiting",
            .gauge,
            "Writes that wait for the writer.",
            UInt64(statistics.writesWaiting)
        )
        gauge(
            "hub_store_oldest_seconds",
            "How long the write has waited that waits longest.",
            [([], statistics.oldestWaiting?.inSeconds ?? 0)]
        )
        metric(
            "hub_store_wal_bytes",
            .gauge,
            "The write-ahead log.",
            UInt64(store.fileLengths.log)
        )
        metric("hub_store_bytes", .gauge, "The database.", UInt64(store.fileLengths.database))
        metric(
            "hub_store_losses_total",
            .counter,
            "What was found to be missing or damaged since the start.",
            [
                ([("kind", "commits")], store.losses.commits),
                ([("kind", "database")], store.losses.databases),
                ([("kind", "mark")], store.losses.marks),
                ([("kind", "row")], store.losses.rows),
                ([("kind", "files")], store.losses.files),
            ]
        )
        metric(
            "hub_erasures_total",
            .counter,
            "Erasures, each of publications of one topic by one tag.",
            statistics.erasures
        )
        metric(
            "hub_messages_erased_total",
            .counter,
            "Publications that erasures have deleted from the database.",
            statistics.publicationsErased
        )
        metric(
            "hub_topics_forgotten_total",
            .counter,
            "Topics that were forgotten, because nothing was left of them and nobody used them.",
            statistics.topicsForgotten
        )
    }

    // MARK: Feeds

    mutating func write(_ feeds: [HealthBoard.Line], now: Timestamp) {
        gauge(
            "hub_source_staleness_seconds",
            "How old the data of a feed are.",
            feeds.compactMap { line in
                line.health.lastSuccess.map {
                    ([("source", line.name)], max(0, (now - $0).inSeconds))
                }
            }
        )
    }

    mutating func write(_ polls: PollCounts) {
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
        guard let lag = polls.radarLag else { return }
        gauge(
            "hub_poll_lag_seconds",
            "How late the radar is that has been due the longest.",
            [([], lag.inSeconds)]
        )
    }

    // MARK: Webhooks

    mutating func write(_ webhooks: MetricsSnapshot.WebhookSnapshot, wall: Timestamp) {
        metric(
            "hub_webhook_attempts_total",
            .counter,
            "Attempts to deliver a webhook.",
            WebhookCounts.Result.allCases.map {
                ([("result", $0.rawValue)], webhooks.counts.attempts[$0, default: 0])
            }
        )
        metric(
            "hub_webhook_endpoints_disabled",
            .gauge,
            "Endpoints that want nothing any more.",
            UInt64(webhooks.disabled)
        )
        metric(
            "hub_webhook_dropped_total",
            .counter,
            "Webhooks given up: too many waited, or for too long; or what they told was erased.",
            WebhookCounts.DropReason.allCases.map {
                ([("reason", $0.rawValue)], webhooks.counts.dropped[$0, default: 0])
            }
        )
        guard let deliveries = webhooks.deliveries else { return }
        metric("hub_webhook_queue", .gauge, "Webhooks that wait.", UInt64(deliveries.pending))
        gauge(
            "hub_webhook_oldest_seconds",
            "How old the webhook is that waits longest.",
            [([], deliveries.oldestPending.map { max(0, (wall - $0).inSeconds) } ?? 0)]
        )
    }
}
