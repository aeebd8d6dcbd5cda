import Reactor

/// The memory that one loop holds for peers: its part of the hub's budget, its part of an excess, who
/// loses memory, and the losses that are not logged yet. Belongs to its loop.
///
/// - The budget has the unfinished input and the long responses in the tables here. For queues,
///   histories and tables of topics, it has what was reported last.
/// - All loops free memory at the same time, each in proportion to what it holds.
/// - Those who hold the most lose first, and peers without credentials before users. Queues are chosen
///   by the loop: their bytes are in the table of connections.
/// - The first loss of a kind is logged at once. Later ones are added up for ten seconds.
///
/// **Not done here:** the end of a connection that loses memory.
package struct MemoryLedger: ~Copyable {
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

    /// Bytes of a topic with the longest name: in the table of histories, and part of the store's.
    /// Measured as 250 without the name.
    package static let topicBytes = 400
    /// Bytes of a topic with subscribers in a loop's table.
    package static let subscribedTopicBytes = 200
    /// Bytes of a subscription in a loop's tables. Measured as 280.
    package static let subscriptionBytes = 288

    private let budget: MemoryBudget
    private var input = UnfinishedInput()
    private var answers = WaitingAnswers()
    private var queues = Account(.queues)
    private var histories = Account(.histories)
    private var topics = Account(.topics)
    /// Publications that the table of histories has evicted for want of memory, since the start.
    private var evictedCount: UInt64 = 0
    private var logs = [LossLog](repeating: LossLog(), count: Loss.allCases.count)

    package init(_ budget: MemoryBudget) {
        self.budget = budget
    }

    // MARK: Unfinished input

    /// Whether any connection holds input.
    package var hasInput: Bool { !input.isEmpty }

    /// The bytes of input of all connections.
    package var inputBytes: Int { input.bytes }

    /// The first deadline of a message that has not ended; nil if there is none.
    package var nextMessageDeadline: MonotonicInstant? { input.nextDeadline }

    /// Records the input that a connection holds; not for a connection that holds nothing. Returns
    /// whether that is an increase.
    ///
    /// - Parameters:
    ///   - isMidMessage: whether a message has begun and not ended. Its deadline stays until
    ///     `noteMessage`.
    ///   - deadline: the deadline of a message that begins.
    package mutating func setInput(
        _ bytes: Int,
        of id: ConnectionID,
        rank: MemoryBudget.Rank,
        isMidMessage: Bool,
        deadline: MonotonicInstant
    ) -> Bool {
        let change = input.set(
            bytes,
            of: id,
            rank: rank,
            isMidMessage: isMidMessage,
            deadline: deadline
        )
        budget.add(change, to: .messages)
        return change > 0
    }

    /// Subtracts the input of a connection, if it holds any.
    package mutating func removeInput(of id: ConnectionID) {
        guard !input.isEmpty else { return }
        budget.add(-input.remove(id), to: .messages)
    }

    /// Records that a message has ended: the next one has a separate deadline.
    package mutating func noteMessage(of id: ConnectionID) {
        guard !input.isEmpty else { return }
        input.noteMessage(of: id)
    }

    /// Returns the next connection whose message should have ended by `now`; nil if there is none.
    /// Its message gets the deadline `extended`, in case the hub itself did not read on.
    package mutating func takeOverdueMessage(
        now: MonotonicInstant,
        extended: MonotonicInstant
    ) -> ConnectionID? {
        input.takeOverdue(now: now, extended: extended)
    }

    /// Returns the connections that must lose their input because of what a rank exceeds.
    package func inputToGiveUp(over rank: MemoryBudget.Rank, loopCount: Int) -> [ConnectionID] {
        bytesToFree(for: .messages, holding: input.bytes, over: rank, loopCount: loopCount)
            .map { input.largest(holding: $0, anonymousOnly: rank == .anonymous) } ?? []
    }

    // MARK: Long responses

    /// Whether any response is being read.
    package var hasAnswers: Bool { !answers.isEmpty }

    /// Adds a response that has not been sent whole at once. Returns false if it is already there.
    package mutating func addAnswer(
        _ bytes: Int,
        of id: ConnectionID,
        rank: MemoryBudget.Rank
    ) -> Bool {
        guard answers.add(bytes, of: id, rank: rank) else { return false }
        budget.add(bytes, to: .answers)
        return true
    }

    /// Subtracts the response of a connection, if it has one.
    package mutating func removeAnswer(of id: ConnectionID) {
        guard !answers.isEmpty else { return }
        budget.add(-answers.remove(id), to: .answers)
    }

    /// Subtracts the responses that must be given up because of what a rank exceeds. Returns their
    /// connections, which have to end, and their bytes.
    package mutating func giveUpAnswers(
        over rank: MemoryBudget.Rank,
        loopCount: Int
    ) -> (ids: [ConnectionID], bytes: Int) {
        let before = answers.bytes
        guard
            let missing = bytesToFree(
                for: .answers,
                holding: before,
                over: rank,
                loopCount: loopCount
            )
        else { return ([], 0) }
        let ids = answers.largest(holding: missing, anonymousOnly: rank == .anonymous)
        for id in ids { removeAnswer(of: id) }
        return (ids, before - answers.bytes)
    }

    // MARK: What is reported

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
