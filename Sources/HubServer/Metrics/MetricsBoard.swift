import Activity
import Alerts
import Bounds
import Locking
import LogOutput
import Metrics
import Polling
import Store
import Tasks

/// The loops whose counters are told, set when they run, after the routes were made; and what is counted
/// by those who have no loop.
package final class MetricsBoard: Sendable {
    private let shards = Locked<[Shard]>([])
    private let transactions = Locked(Histogram(.times))
    private let webhooks = Locked(WebhookCounts())
    private let bounds = Locked(BoundCounts())
    private let derivations = Locked<[DerivingDomain: Histogram]>([:])
    /// Without the alerts that stand, for which those are asked who have them.
    private let alerts = Locked(AlertCounts())
    private let acts = Locked<[ActivityType: UInt64]>([:])
    private let sources = Locked(Sources())

    /// Who is asked for what stands at this moment.
    ///
    /// A struct, because a function that is itself the value of a lock is wrapped once more at every access:
    /// some ten thousand scrapes later, calling it would take more stack than a thread has.
    private struct Sources: Sendable {
        var disabledEndpoints: (@Sendable () -> Int)?
        var standingAlerts: [@Sendable (inout StandingAlerts) -> Void] = []
    }

    private let budget: MemoryBudget

    package init(budget: MemoryBudget = MemoryBudget()) {
        self.budget = budget
    }

    func set(_ shards: [Shard]) {
        self.shards.withLock { $0 = shards }
    }

    /// A transaction of the store has ended.
    func noteTransaction(_ duration: Duration) {
        transactions.withLock { $0.add(duration) }
    }

    /// A bound was reached that no loop looks after.
    func noteReached(_ bound: Bound) {
        bounds.withLock { $0[bound] += 1 }
    }

    func noteAttempt(_ result: WebhookCounts.Result) {
        webhooks.withLock { $0.attempts[result, default: 0] += 1 }
    }

    func noteDropped(_ count: Int, _ reason: WebhookCounts.DropReason) {
        webhooks.withLock { $0.dropped[reason, default: 0] += UInt64(count) }
    }

    /// Sets who says how many webhook endpoints are switched off at this moment.
    func setDisabledEndpoints(_ count: @escaping @Sendable () -> Int) {
        sources.withLock { $0.disabledEndpoints = count }
    }

    /// Adds somebody who knows of alerts. Whoever knows this board in turn is not to be kept by `add`.
    func addStandingAlerts(_ add: @escaping @Sendable (inout StandingAlerts) -> Void) {
        sources.withLock { $0.standingAlerts.append(add) }
    }

    /// A derivation is done, committed or not.
    func noteDerivation(_ domain: DerivingDomain, _ duration: Duration) {
        derivations.withLock { $0[domain, default: Histogram(.times)].add(duration) }
    }

    /// What has happened to alerts is committed.
    func note(_ transitions: AlertTransitionCounts) {
        guard !transitions.isEmpty else { return }
        alerts.withLock { $0.transitions += transitions }
    }

    /// Publications were not looked at by the rules that should have.
    ///
    /// - Parameter owner: whose rules they are.
    func notePassedOver(_ count: Int, _ reason: AlertCounts.PassedOver, of owner: AlertOwner.Kind) {
        alerts.withLock { $0.passedOver[reason, default: [:]][owner, default: 0] += UInt64(count) }
    }

    /// Acts that friends are told of are committed.
    func note(_ types: [ActivityType]) {
        guard !types.isEmpty else { return }
        acts.withLock { acts in for type in types { acts[type, default: 0] += 1 } }
    }

    func snapshot(_ store: HubStore, _ health: HealthBoard, _ clock: HubClock) async
        -> MetricsSnapshot
    {
        var snapshot = MetricsSnapshot()
        snapshot.logLinesDropped = droppedLogLines
        for shard in shards.withLock({ $0 }) { snapshot.shards.append(await shard.snapshot()) }
        snapshot.bounds = bounds.withLock { $0 }
        snapshot.memory.limit = budget.limit
        for purpose in MemoryBudget.Purpose.allCases {
            snapshot.memory.held[purpose] = budget.held(for: purpose)
        }
        snapshot.store.statistics = store.statistics
        snapshot.store.losses = store.losses
        snapshot.store.transactions = transactions.withLock { $0 }
        snapshot.store.fileLengths = store.fileLengths
        snapshot.feeds = health.all
        snapshot.polls = health.polls
        snapshot.webhooks.counts = webhooks.withLock { $0 }
        let sources = sources.withLock { $0 }
        snapshot.webhooks.disabled = sources.disabledEndpoints?() ?? 0
        snapshot.webhooks.deliveries = try? await store.deliveryCounts()
        snapshot.derivations = derivations.withLock { $0 }
        snapshot.alerts = alerts.withLock { $0 }
        for add in sources.standingAlerts { add(&snapshot.alerts.standing) }
        snapshot.activity.acts = acts.withLock { $0 }
        snapshot.activity.fanOut = try? await store.readActivity { try $0.fanOutState() }
        snapshot.now = clock.now
        snapshot.wall = HubClock.wall
        return snapshot
    }
}
