import API

/// Takes the totals of the hub for its statistics, when they are due, and sends the samples of
/// seconds to the event streams that read them.
struct StatisticsSampler: Sendable {
    let statistics: HubStatistics
    let transport: Transport
    let store: HubStore
    let transactions: StoreMetrics

    /// Runs until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let pause = statistics.pause
            guard pause <= .zero else {
                await statistics.alarm.wait { try await Task.sleep(for: pause) }
                continue
            }
            guard let loops = await transport.takeSamples() else { return }
            let readers = loops.reduce(0) { $0 + $1.statsReaders }
            let sample = statistics.take(
                HubTotals(loops, store, transactions, .now),
                readers: readers,
                time: HubClock.wall
            )
            if let sample, readers > 0 { transport.sendStats(sample.json) }
        }
    }
}

extension HubTotals {
    /// - Parameter loops: the samples of all loops; none if there are no loops.
    init(
        _ loops: [LoopSample],
        _ store: HubStore,
        _ transactions: StoreMetrics,
        _ usage: ProcessUsage
    ) {
        self.init()
        for sample in loops {
            states.connections += sample.connections
            states.subscriptions += sample.subscriptions
            // Each loop has the history of every topic, and those that only its clients have.
            states.topics = max(states.topics, sample.topics)
            states.slow += sample.slow
            counts.deliveries += sample.deliveries
            counts.received += sample.bytesReceived
            counts.sent += sample.bytesSent
            counts.dropped += sample.dropped
            write += sample.publishToWrite
            ping += sample.pingRoundTrip
            if let turn = sample.longestTurn { longestTurn = max(longestTurn ?? turn, turn) }
        }
        // Every loop receives every publication.
        counts.publications = loops.first?.publications ?? 0
        counts.cpu = usage.processorTime
        states.memory = Int(clamping: usage.memory ?? 0)
        states.webhooksPending = store.deliveryTally.pending
        commit = transactions.transactionTimes
    }
}
