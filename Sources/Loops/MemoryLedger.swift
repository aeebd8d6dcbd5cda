import Reactor

/// The memory that one loop holds for peers: its part of the hub's budget, its part of an excess, and
/// the losses that are not logged yet.
///
/// - For queues, histories and tables of topics, the budget has what was reported last. Unfinished
///   messages and answers are added to the budget where they begin and end.
/// - All loops free memory at the same time, each in proportion to what it holds.
/// - The first loss of a kind is logged at once. Later ones are added up for ten seconds.
///
/// The connections that lose memory are chosen by the table that holds it.
package struct MemoryLedger {
    /// A kind of loss, which has a log entry of its own.
    package enum Loss: Int, CaseIterable {
        case messages
        case queues
        case answers
        case histories
    }

    /// Beyond the excess, a 64th of the limit is freed, so that the next read does not begin the search
    /// again: 4 MiB of 256.
    private static let slackDivisor = 64

    private let budget: MemoryBudget
    private var queues = Account(.queues)
    private var histories = Account(.histories)
    private var topics = Account(.topics)
    /// Publications that the table of histories has evicted for want of memory, since the start.
    private var evictedCount: UInt64 = 0
    private var logs = [LossLog](repeating: LossLog(), count: Loss.allCases.count)

    package init(_ budget: MemoryBudget) {
        self.budget = budget
    }

    // MARK: The budget

    package mutating func report(queues bytes: Int) { queues.report(bytes, to: budget) }
    package mutating func report(histories bytes: Int) { histories.report(bytes, to: budget) }
    package mutating func report(topics bytes: Int) { topics.report(bytes, to: budget) }

    private struct Account {
        private let purpose: MemoryBudget.Purpose
        private var bytes = 0

        init(_ purpose: MemoryBudget.Purpose) {
            self.purpose = purpose
        }

        mutating func report(_ bytes: Int, to budget: MemoryBudget) {
            guard bytes != self.bytes else { return }
            budget.add(bytes - self.bytes, to: purpose)
            self.bytes = bytes
        }
    }

    // MARK: The excess

    /// Returns the bytes that this loop frees now, at least 1; nil if it need not free any.
    ///
    /// - Parameters:
    ///   - bytes: what the loop holds for the purpose.
    ///   - rank: the rank whose part of the budget is exceeded.
    package func bytesToFree(
        for purpose: MemoryBudget.Purpose,
        holding bytes: Int,
        over rank: MemoryBudget.Rank,
        loopCount: Int
    ) -> Int? {
        let excess = budget.excess(over: rank)
        let held = budget.held(for: purpose)
        // Loops with less than half of the average do not pay for others.
        guard excess > 0, losesFirst(purpose), bytes * 2 * loopCount >= held else { return nil }
        let share = Double(bytes) / Double(max(1, held))
        let slack = budget.limit / MemoryLedger.slackDivisor
        return max(1, Int(Double(excess + slack) * min(1, share)))
    }

    /// The largest purpose loses first, so peers that read and send little do not pay for others.
    private func losesFirst(_ purpose: MemoryBudget.Purpose) -> Bool {
        let bytes = budget.held(for: purpose)
        return [.messages, .queues, .answers].allSatisfy { bytes >= budget.held(for: $0) }
    }

    // MARK: The log

    /// Returns the number of evictions since the last call.
    ///
    /// - Parameter evicted: the number since the start.
    package mutating func newEvictions(of evicted: UInt64) -> Int {
        defer { evictedCount = evicted }
        return Int(evicted - evictedCount)
    }

    /// Adds a loss.
    ///
    /// - Returns: the losses to log now; nil if it is too early.
    package mutating func add(
        _ loss: Loss,
        count: Int,
        bytes: Int = 0,
        now: MonotonicInstant
    ) -> (count: Int, bytes: Int)? {
        logs[loss.rawValue].add(count: count, bytes: bytes, now: now)
    }

    private struct LossLog {
        private static let interval = Duration.seconds(10)
        private var waiting = (count: 0, bytes: 0)
        private var next = MonotonicInstant(nanoseconds: 0)

        mutating func add(
            count: Int,
            bytes: Int,
            now: MonotonicInstant
        ) -> (count: Int, bytes: Int)? {
            waiting.count += count
            waiting.bytes += bytes
            guard now >= next else { return nil }
            next = now + LossLog.interval
            defer { waiting = (0, 0) }
            return waiting
        }
    }
}
