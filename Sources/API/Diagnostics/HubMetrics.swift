import Duties
import Loops
import Service

/// The metrics of a hub: the parts with counters of their own, and the registry of all.
package struct HubMetrics: Sendable {
    package let registry = MetricsRegistry()
    package let loops: LoopMetrics
    package let store = StoreMetrics()
    package let outbox = OutboxMetrics()
    /// The metrics of domains and alert rules; nil while the hub does not lead.
    private let leader = Locked<DomainMetrics?>(nil)

    package init(
        _ store: HubStore,
        _ health: HealthBoard,
        _ clock: HubClock,
        budget: MemoryBudget = MemoryBudget()
    ) {
        let loops = LoopMetrics(budget: budget)
        self.loops = loops
        registry.add { $0.writeProcess(version: Version.text, logLinesDropped: droppedLogLines) }
        registry.add { await loops.write(to: &$0, refused: store.statistics.topicsRefused) }
        registry.add { [counts = self.store] in $0.write(await counts.snapshot(store)) }
        registry.add { health.write(to: &$0, now: clock.now) }
        registry.add { [outbox] in await outbox.write(to: &$0, store, wall: HubClock.wall) }
        registry.add { [leader] in
            await leader.withLock { $0 }?.registry.write(to: &$0)
        }
    }

    /// Exports the metrics of domains and alert rules in place of former ones; nil for none.
    package func use(_ domains: DomainMetrics?) {
        leader.withLock { $0 = domains }
    }
}
