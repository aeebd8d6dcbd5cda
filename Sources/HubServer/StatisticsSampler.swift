import API
import Base
import Core
import Shards
import Store

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
        _ loops: [ShardSample],
        _ store: HubStore,
        _ transactions: StoreMetrics,
        _ usage: ProcessUsage
    ) {
        self.init()
        for loop in loops {
            states.connections += loop.connections
            states.subscriptions += loop.subscriptions
            // Each loop has the history of every topic, and those that only its clients have.
            states.topics = max(states.topics, loop.topics)
            states.slow += loop.slow
            counts.deliveries += loop.deliveries
            counts.received += loop.bytesReceived
            counts.sent += loop.bytesSent
            counts.dropped += loop.dropped
            write += loop.publishToWrite
            ping += loop.pingRoundTrip
            if let turn = loop.longestTurn { longestTurn = max(longestTurn ?? turn, turn) }
        }
        // Every loop receives every publication.
        counts.publications = loops.first?.publications ?? 0
        counts.cpu = usage.processorTime
        states.memory = Int(clamping: usage.memory ?? 0)
        states.webhooksPending = store.deliveryTally.pending
        commit = transactions.transactionTimes
    }
}
