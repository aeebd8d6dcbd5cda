// Bounds: limits that all parts of a hub share, counted together.

import Synchronization

/// The bytes that peers make the hub hold, by purpose, counted over all loops and tasks.
///
/// Each user of the budget accounts for its own bytes: it calls `add` when it takes memory on behalf of
/// a peer, with a negative count when it gives the memory back. Accounting never refuses. Before an
/// optional step (accept a publication, keep a fragment) the user asks `hasRoom`; when there is none, the
/// user refuses the step or gives up its largest holding.
///
/// The budget fills by rank: anonymous peers may fill three quarters of it, users nine tenths, and the
/// rest is reserved for operators. So a flood of anonymous peers cannot refuse a user, and a flood of
/// users cannot refuse an operator.
///
/// All methods may be called from any thread. Counts are relaxed atomics: a check and a later `add`
/// are not one step, so the limit can be exceeded by the additions under way at that moment.
package final class MemoryBudget: Sendable {
    /// The purpose of the bytes. The raw value is the label in metrics.
    package enum Purpose: String, CaseIterable, Sendable {
        /// Unfinished WebSocket messages and HTTP request bodies, inflated.
        case messages
        /// Bytes queued for connections that have not read them.
        case queues
        /// Publications kept in topic histories: payloads, and an entry for each loop.
        case histories
        /// Tables of topics and subscriptions.
        case topics
        /// Alert boards, and publications that alert rules have still to evaluate.
        case alerts
        /// HTTP responses that peers have not taken whole.
        case answers
    }

    /// On whose behalf memory is taken.
    package enum Rank: Sendable, CaseIterable {
        /// A peer without credentials.
        case anonymous
        /// A peer with a token.
        case user
        /// The server API, the configuration, and the hub's own work.
        case `operator`
    }

    /// The limit in bytes: `limits.memory`.
    package let limit: Int
    private let counters: [Purpose: Counter]
    /// Of all purposes.
    private let sum = Counter()

    /// - Parameter limit: in bytes; `Int.max` for no limit.
    package init(limit: Int = .max) {
        precondition(limit > 0)
        self.limit = limit
        counters = Dictionary(uniqueKeysWithValues: Purpose.allCases.map { ($0, Counter()) })
    }

    /// Adds bytes to a purpose, or takes them back if `bytes` is negative.
    package func add(_ bytes: Int, to purpose: Purpose) {
        guard bytes != 0 else { return }
        counters[purpose]!.value.wrappingAdd(bytes, ordering: .relaxed)
        sum.value.wrappingAdd(bytes, ordering: .relaxed)
    }

    /// The bytes held for one purpose.
    package func held(for purpose: Purpose) -> Int {
        counters[purpose]!.value.load(ordering: .relaxed)
    }

    /// The bytes held for all purposes.
    package var held: Int { sum.value.load(ordering: .relaxed) }

    /// Up to which sum a rank may fill the budget.
    package func limit(for rank: Rank) -> Int {
        switch rank {
        case .anonymous: limit / 4 * 3
        case .user: limit / 10 * 9
        case .operator: limit
        }
    }

    /// Whether `bytes` more fit into the part of the budget that is open to `rank`.
    package func hasRoom(for bytes: Int, as rank: Rank) -> Bool {
        bytes <= limit(for: rank) - held
    }

    /// The number of bytes held beyond the part that is open to `rank`; 0 while there is room.
    package func excess(over rank: Rank) -> Int {
        max(0, held - limit(for: rank))
    }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }
}
