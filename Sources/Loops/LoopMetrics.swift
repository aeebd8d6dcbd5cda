import Core
import Store

/// The metrics of a hub's loops, and the bounds that were reached outside of them.
package final class LoopMetrics: Sendable {
    /// Set after the routes are made, when the loops run.
    private let running = Locked<Transport?>(nil)
    private let bounds = Locked(BoundCounts())
    private let budget: MemoryBudget

    package init(budget: MemoryBudget = MemoryBudget()) {
        self.budget = budget
    }

    /// - Parameter transport: nil after the loops have ended.
    package func set(_ transport: Transport?) {
        running.withLock { $0 = transport }
    }

    /// The loops; nil before they run, and after they have ended.
    package var transport: Transport? { running.withLock { $0 } }

    /// Counts a bound that was reached outside of the loops.
    package func noteReached(_ bound: Bound) {
        bounds.withLock { $0[bound] += 1 }
    }

    /// - Parameter refused: the number of topics that the store has refused, by bound.
    package func write(
        to text: inout MetricsText,
        refused: [TopicRefusal.Bound: UInt64] = [:]
    ) async {
        let loops = await transport?.onEachLoop { $0.snapshot() } ?? []
        var bounds = bounds.withLock { $0 }
        for (bound, count) in refused { bounds[Bound(bound)] += count }
        text.write(loops: loops, bounds: bounds, HeldMemory(budget))
    }
}

/// The memory that the hub holds for peers, in bytes.
package struct HeldMemory: Sendable {
    package var limit = Int.max
    package var held: [MemoryBudget.Purpose: Int] = [:]

    package init() {}

    package init(_ budget: MemoryBudget) {
        limit = budget.limit
        for purpose in MemoryBudget.Purpose.allCases { held[purpose] = budget.held(for: purpose) }
    }
}
