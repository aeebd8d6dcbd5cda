import Store

/// The metrics of the store.
package final class StoreMetrics: Sendable {
    private let transactions = Locked(Histogram(.times))
    private let inboxCount = SharedAnswer<Int?>()
    /// A store that hangs must not delay the other metrics.
    private static let readingMax = Duration.seconds(1)

    /// Records a finished transaction of the store.
    package func noteTransaction(_ duration: Duration) {
        transactions.withLock { $0.add(duration) }
    }

    /// The durations of the transactions since the start.
    package var transactionTimes: Histogram { transactions.withLock { $0 } }

    func snapshot(_ store: HubStore) async -> StoreSnapshot {
        StoreSnapshot(
            statistics: store.statistics,
            losses: store.losses,
            transactions: transactionTimes,
            fileLengths: store.fileLengths,
            inbox: await inbox(store),
            node: store.nodeStatus
        )
    }

    private func inbox(_ store: HubStore) async -> StoreSnapshot.Inbox? {
        guard let counts = store.inboxCounts else { return nil }
        let waiting = await inboxCount.value(within: Self.readingMax) {
            try? await store.inboxCount()
        }
        return StoreSnapshot.Inbox(counts: counts, waiting: waiting ?? nil)
    }
}

package struct StoreSnapshot: Sendable {
    package var statistics = StoreStatistics()
    package var losses = StoreLosses()
    package var transactions = Histogram(.times)
    package var fileLengths: (database: Int, log: Int) = (0, 0)
    /// Nil for a store that takes no publications from SQL.
    package var inbox: Inbox?
    /// Nil for a hub that is in no cluster.
    package var node: NodeStatus?

    package struct Inbox: Sendable {
        package var counts = InboxCounts()
        /// Nil if the store cannot be read in time.
        package var waiting: Int?
    }
}

extension MetricsText {
    package mutating func write(_ store: StoreSnapshot) {
        writeTransactions(of: store)
        writeFiles(of: store)
        writeRemovals(store.statistics)
        if let inbox = store.inbox { write(inbox) }
        if let node = store.node { write(node) }
    }

    private mutating func write(_ node: NodeStatus) {
        metric(
            "hub_cluster_leads",
            .gauge,
            "1 while this node leads its cluster, otherwise 0.",
            node.term == nil ? 0 : 1
        )
        metric(
            "hub_cluster_term",
            .gauge,
            "The term in which this node leads; 0 while it does not.",
            UInt64(node.term ?? 0)
        )
        gauge(
            "hub_cluster_silence_seconds",
            "Time since PostgreSQL last answered.",
            [([], node.silence.inSeconds)]
        )
        metric(
            "hub_cluster_applied_total",
            .counter,
            "The number of the last batch of the log that this node has applied.",
            UInt64(node.applied)
        )
    }

    private mutating func write(_ inbox: StoreSnapshot.Inbox) {
        metric(
            "hub_inbox_publications_total",
            .counter,
            "Publications from SQL, taken from the inbox or refused.",
            [
                ([("result", "taken")], inbox.counts.taken),
                ([("result", "refused")], inbox.counts.refused),
            ]
        )
        guard let waiting = inbox.waiting else { return }
        metric(
            "hub_inbox_waiting",
            .gauge,
            "Publications from SQL that wait in the inbox, counted up to 100,000.",
            UInt64(waiting)
        )
    }

    private mutating func writeTransactions(of store: StoreSnapshot) {
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
            "The age of the oldest waiting write.",
            [([], statistics.oldestWaiting?.inSeconds ?? 0)]
        )
    }

    private mutating func writeFiles(of store: StoreSnapshot) {
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
            "Missing or damaged data that was found since the start.",
            [
                ([("kind", "commits")], store.losses.commits),
                ([("kind", "database")], store.losses.databases),
                ([("kind", "mark")], store.losses.marks),
                ([("kind", "row")], store.losses.rows),
                ([("kind", "files")], store.losses.files),
            ]
        )
    }

    private mutating func writeRemovals(_ statistics: StoreStatistics) {
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
            "Topics that were forgotten: their history was empty, and no client used them.",
            statistics.topicsForgotten
        )
    }
}
