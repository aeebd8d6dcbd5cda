import Locking
import Store

/// The loops whose counters are told, set when they run, after the routes were made; and what is counted
/// by those who have no loop.
package final class MetricsBoard: Sendable {
    private let shards = Locked<[Shard]>([])
    private let transactions = Locked(Histogram(.times))
    private let webhooks = Locked(WebhookCounts())
    private let disabledEndpoints = Locked<@Sendable () -> Int>({ 0 })

    package init() {}

    func set(_ shards: [Shard]) {
        self.shards.withLock { $0 = shards }
    }

    /// A transaction of the store has ended.
    func noteTransaction(_ duration: Duration) {
        transactions.withLock { $0.add(duration) }
    }

    func noteAttempt(_ result: WebhookCounts.Result) {
        webhooks.withLock { $0.attempts[result, default: 0] += 1 }
    }

    /// Messages were ended because too many waited, or for too long.
    func noteDropped(_ count: Int) {
        webhooks.withLock { $0.dropped += UInt64(count) }
    }

    /// Sets who says how many webhook endpoints are switched off at this moment.
    func setDisabledEndpoints(_ count: @escaping @Sendable () -> Int) {
        disabledEndpoints.withLock { $0 = count }
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
        snapshot.webhooks.disabled = disabledEndpoints.withLock { $0 }()
        snapshot.webhooks.deliveries = try? await store.deliveryCounts()
        snapshot.now = clock.now
        snapshot.wall = HubClock.wall
        return snapshot
    }
}
