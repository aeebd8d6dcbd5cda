/// One waiting write, and its completion.
struct WaitingWrite: Sendable {
    /// The number of bytes held while it waits.
    let length: Int
    let write: Write
    var lane = WriteLane.file(memoryTopics: [])
    /// Whether it completes only when the outcome of its commit is known: see `HubStore.commit`.
    var awaitsOutcome = true
    /// Called once, on the queue of the writer or of the lane or, when the write is refused, on the
    /// caller's thread.
    let completion: @Sendable (Result<Written, any Error>) -> Void
    var queued = ContinuousClock.now
}

/// The writes that wait for the writer, in the order in which they will be committed.
///
/// The writer is either idle, or draining the queue until it is empty; `append` returns whether the
/// caller must wake it. A full or closed queue refuses.
///
/// **During a transaction.** Writes of only memory topics wait in a separate list, `beside`. While
/// a transaction waits for the disk, the lane is open and takes them from there. Writes of one
/// topic keep their order: a write for a topic that a write for the file uses, or to which the
/// transaction has published, waits for it.
///
/// **States of the lane.** closed → open by `openLane`; open → running when there are writes for
/// it; running → open by `takeBeside` when there are none left; open, running → closed by
/// `closeLane`.
struct WriteQueue {
    enum Acceptance {
        /// The writer is idle: the caller wakes it.
        case wakesWriter
        /// The lane is open and idle: the caller wakes it.
        case wakesLane
        case accepted
        case refused(StoreError.Code, String)
    }

    private enum Lane {
        case closed, open, running
    }

    private(set) var lengthSum = 0
    private(set) var isClosed = false
    /// Whether transactions should leave out cursors for the lane.
    var usesLane = false
    private var waiting: [WaitingWrite] = []
    private var isDraining = false
    /// The time at which the oldest write of the current transaction was queued.
    private var batchQueued: ContinuousClock.Instant?
    private let limits: StoreLimits

    private var lane = Lane.closed
    private var beside: [WaitingWrite] = []
    /// Writes that must wait for the current transaction because of their topics.
    private var behindTransaction: [WaitingWrite] = []
    /// Memory topics of `waiting` and of the current batch, with the number of writes.
    private var claimed: [Topic: Int] = [:]
    private var claimedByBatch: [Topic] = []
    /// Topics of `behindTransaction`, and those that the transaction has published to.
    private var held: Set<Topic> = []
    /// The number of cursors that the lane may still assign.
    private var laneCursors = 0
    /// The number of writes of `beside` that came before a write that claims topics, and go first.
    private var besideFirst = 0
    private var lastBatchWasBeside = false

    init(limits: StoreLimits) {
        self.limits = limits
    }

    var count: Int { waiting.count + beside.count + behindTransaction.count }

    /// The time at which the oldest write was queued that is not yet committed.
    var oldest: ContinuousClock.Instant? {
        [batchQueued, waiting.first?.queued, behindTransaction.first?.queued, beside.first?.queued]
            .lazy.compactMap { $0 }.min()
    }

    mutating func append(_ write: WaitingWrite) -> Acceptance {
        guard !isClosed else { return .refused(.closed, "store is closed") }
        guard count < limits.waitingWritesMax else {
            return .refused(.queueFull, "\(count) writes wait, the limit")
        }
        guard lengthSum + write.length <= limits.waitingBytesMax else {
            return .refused(
                .queueFull,
                "\(lengthSum) bytes of writes wait, \(write.length) more are over limit "
                    + "\(limits.waitingBytesMax)"
            )
        }
        lengthSum += write.length
        if add(write) {
            lane = .running
            return .wakesLane
        }
        guard !isDraining else { return .accepted }
        isDraining = true
        return .wakesWriter
    }

    /// Returns the oldest writes, for one transaction or, if all are of memory topics, for none.
    /// Empty when no writes wait; the writer is then idle.
    mutating func takeBatch() -> [WaitingWrite] {
        endBatch()
        let isBeside =
            !beside.isEmpty && (waiting.isEmpty || !lastBatchWasBeside || besideFirst > 0)
        lastBatchWasBeside = isBeside
        let batch =
            isBeside
            ? Self.takeFirst(limits.batchWritesMax, from: &beside)
            : Self.takeFirst(limits.batchWritesMax, from: &waiting)
        if isBeside { besideFirst = max(0, besideFirst - batch.count) }
        lengthSum -= batch.reduce(0) { $0 + $1.length }
        assert(lengthSum >= 0)
        batchQueued = batch.first?.queued
        isDraining = !batch.isEmpty
        if !isBeside { claimedByBatch = batch.flatMap(\.topics) }
        return batch
    }

    /// Refuses further writes; waiting ones will be carried out. Returns false when it was closed
    /// before.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        isClosed = true
        return true
    }

    // MARK: Beside a transaction

    /// Opens the lane for events with at most `cursors` cursors.
    ///
    /// - Parameter published: topics that the transaction has published to.
    /// - Returns: whether the lane has writes, and the caller must wake it.
    mutating func openLane(cursors: Int, published: Set<Topic>) -> Bool {
        precondition(lane == .closed)
        held.formUnion(published)
        laneCursors = cursors
        lane = beside.isEmpty ? .open : .running
        return lane == .running
    }

    /// Returns whether the lane is running: then the caller waits until it has stopped.
    mutating func closeLane() -> Bool {
        defer { lane = .closed }
        return lane == .running
    }

    /// Returns the next writes for the lane. Empty when it is closed or has no permitted writes.
    mutating func takeBeside() -> [WaitingWrite] {
        guard lane == .running else { return [] }
        var batch: [WaitingWrite] = []
        var passed = 0
        for write in beside {
            guard batch.count < limits.batchWritesMax else { break }
            if isHeld(write) {
                hold(write)
            } else if write.cursors <= laneCursors {
                laneCursors -= write.cursors
                batch.append(write)
            } else {
                // Later writes must not overtake it.
                laneCursors = 0
                break
            }
            passed += 1
        }
        removeBeside(passed)
        lengthSum -= batch.reduce(0) { $0 + $1.length }
        if batch.isEmpty { lane = .open }
        return batch
    }

    /// Takes back writes that the lane must not carry out, because their topics are now durable.
    mutating func putBack(_ writes: [WaitingWrite]) {
        let forFile = writes.map { write in
            var write = write
            write.lane = .file(memoryTopics: [])
            return write
        }
        waiting.insert(contentsOf: forFile, at: 0)
        lengthSum += writes.reduce(0) { $0 + $1.length }
    }

    // MARK: Private

    /// Returns whether the caller must wake the lane.
    private mutating func add(_ write: WaitingWrite) -> Bool {
        guard case .beside(let cursors) = write.lane, !isClaimed(write) else {
            var write = write
            write.lane = .file(memoryTopics: write.topics)
            waiting.append(write)
            guard !write.topics.isEmpty else { return false }
            for topic in write.topics { claimed[topic, default: 0] += 1 }
            besideFirst = beside.count
            return false
        }
        usesLane = true
        guard !isHeld(write) else {
            hold(write)
            return false
        }
        beside.append(write)
        return lane == .open && cursors <= laneCursors
    }

    /// Ends the batch, which is announced: its topics are free, and the writes that waited for it
    /// continue.
    mutating func endBatch() {
        batchQueued = nil
        for topic in claimedByBatch {
            guard let count = claimed[topic] else { continue }
            claimed[topic] = count > 1 ? count - 1 : nil
        }
        claimedByBatch = []
        held = []
        guard !behindTransaction.isEmpty else { return }
        if !claimed.isEmpty { besideFirst += behindTransaction.count }
        beside = behindTransaction + beside
        behindTransaction = []
    }

    /// Static, because a method would copy the queue, and with it the array that it changes.
    private static func takeFirst(
        _ countMax: Int,
        from writes: inout [WaitingWrite]
    ) -> [WaitingWrite] {
        guard writes.count > countMax else {
            defer { writes = [] }
            return writes
        }
        defer { writes.removeFirst(countMax) }
        return Array(writes.prefix(countMax))
    }

    private mutating func removeBeside(_ count: Int) {
        beside.removeFirst(count)
        besideFirst = max(0, besideFirst - count)
    }

    private func isClaimed(_ write: WaitingWrite) -> Bool {
        !claimed.isEmpty && write.topics.contains { claimed[$0] != nil }
    }

    private func isHeld(_ write: WaitingWrite) -> Bool {
        !held.isEmpty && write.topics.contains { held.contains($0) }
    }

    private mutating func hold(_ write: WaitingWrite) {
        held.formUnion(write.topics)
        behindTransaction.append(write)
    }
}

extension WaitingWrite {
    var isBeside: Bool { lane.isBeside }

    /// Memory topics that the write is known to use.
    fileprivate var topics: [Topic] {
        switch lane {
        case .file(let memoryTopics): memoryTopics
        case .beside: write.eventTopics
        }
    }

    fileprivate var cursors: Int {
        if case .beside(let cursors) = lane { cursors } else { 0 }
    }
}
