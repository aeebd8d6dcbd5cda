import Locking
import Store

/// The loops whose counters are told, set when they run, after the routes were made; and what is counted
/// by those who have no loop.
package final class MetricsBoard: Sendable {
    private let shards = Locked<[Shard]>([])
    private let transactions = Locked(Histogram(.times))
    private let webhooks = Locked(WebhookCounts())

    package init() {}

    func set(_ shards: [Shard]) {
        self.shards.withLock { $0 = shards }
    }

    /// A transaction of the store has ended.
    func noteTransaction(_ duration: Duration) {
        transactions.withLock { $0.add(duration) }
    }

    func noteAttempt(_ result: WebhookCounts.Result, endpointsDisabled: Int) {
        webhooks.withLock {
            $0.attempts[result, default: 0] += 1
            $0.disabled = endpointsDisabled
        }
    }

    func snapshot(_ store: HubStore, _ health: HealthBoard, _ clock: HubClock) async
        -> MetricsSnapshot
    {
        var snapshot = MetricsSnapshot()
        for shard in shards.withLock({ $0 }) { snapshot.shards.append(await shard.snapshot()) }
        snapshot.store.statistics = store.statistics
        snapshot.store.transactions = transactions.withLock { $0 }
        snapshot.store.fileLengths = store.fileLengths
        snapshot.feeds = health.all
        snapshot.polls = health.polls
        snapshot.webhooks.counts = webhooks.withLock { $0 }
        snapshot.webhooks.deliveries = try? await store.deliveryCounts()
        snapshot.now = clock.now
        snapshot.wall = HubClock.wall
        return snapshot
    }
}
