import Bounds
import Locking
import Metrics
import Store

/// What the loops of a hub count, and the bounds that were reached beside them.
package final class LoopMetrics: Sendable {
    /// Set when they run, after the routes were made.
    private let transport = Locked<Transport?>(nil)
    private let bounds = Locked(BoundCounts())
    private let budget: MemoryBudget

    package init(budget: MemoryBudget = MemoryBudget()) {
        self.budget = budget
    }

    /// - Parameter transport: nil once the loops have ended.
    package func set(_ transport: Transport?) {
        self.transport.withLock { $0 = transport }
    }

    /// A bound was reached that no loop looks after.
    package func noteReached(_ bound: Bound) {
        bounds.withLock { $0[bound] += 1 }
    }

    /// - Parameter refused: topics that the store has refused, by the bound.
    package func write(
        to text: inout MetricsText,
        refused: [TopicRefusal.Bound: UInt64] = [:]
    ) async {
        let loops = await transport.withLock { $0 }?.onEachLoop { $0.snapshot() } ?? []
        var bounds = bounds.withLock { $0 }
        for (bound, count) in refused { bounds[Bound(bound)] += count }
        text.write(loops: loops, bounds: bounds, HeldMemory(budget))
    }
}

/// What peers make the hub hold, in bytes.
package struct HeldMemory: Sendable {
    package var limit = Int.max
    package var held: [MemoryBudget.Purpose: Int] = [:]

    package init() {}

    package init(_ budget: MemoryBudget) {
        limit = budget.limit
        for purpose in MemoryBudget.Purpose.allCases { held[purpose] = budget.held(for: purpose) }
    }
}
