/// One write that waits for its turn, and who waits for it.
struct WaitingWrite: Sendable {
    /// Bytes held while it waits.
    let length: Int
    let write: Write
    /// Called once, on the writer's queue or, when the write is refused, on the caller's thread.
    let completion: @Sendable (Result<Written, any Error>) -> Void
    var queued = ContinuousClock.now
}

/// The writes that wait for the writer, in the order in which they will be committed.
///
/// The writer is either idle, or told to drain the queue until it is empty; `append` says when it has to
/// be told. A full or closed queue refuses.
struct WriteQueue {
    enum Acceptance {
        /// The writer is idle: the caller wakes it.
        case wakesWriter
        case accepted
        case refused(StoreError.Code, String)
    }

    private(set) var lengthSum = 0
    private(set) var isClosed = false
    private var waiting: [WaitingWrite] = []
    private var isDraining = false
    /// When the oldest write of the transaction under way was queued.
    private var batchQueued: ContinuousClock.Instant?
    private let limits: StoreLimits

    init(limits: StoreLimits) {
        self.limits = limits
        waiting.reserveCapacity(limits.batchWritesMax)
    }

    var count: Int { waiting.count }

    /// When the oldest write was queued that is not yet committed.
    var oldest: ContinuousClock.Instant? { batchQueued ?? waiting.first?.queued }

    mutating func append(_ write: WaitingWrite) -> Acceptance {
        guard !isClosed else { return .refused(.closed, "store is closed") }
        guard waiting.count < limits.waitingWritesMax else {
            return .refused(.queueFull, "\(waiting.count) writes wait, the limit")
        }
        guard lengthSum + write.length <= limits.waitingBytesMax else {
            return .refused(
                .queueFull,
                "\(lengthSum) bytes of writes wait, \(write.length) more are over limit "
                    + "\(limits.waitingBytesMax)"
            )
        }
        waiting.append(write)
        lengthSum += write.length
        guard !isDraining else { return .accepted }
        isDraining = true
        return .wakesWriter
    }

    /// The oldest writes, for one transaction. Empty when none wait; the writer is then idle.
    mutating func takeBatch() -> [WaitingWrite] {
        batchQueued = waiting.first?.queued
        guard !waiting.isEmpty else {
            isDraining = false
            return []
        }
        let batch = Array(waiting.prefix(limits.batchWritesMax))
        waiting.removeFirst(batch.count)
        lengthSum -= batch.reduce(0) { $0 + $1.length }
        assert(lengthSum >= 0)
        return batch
    }

    /// Refuses further writes; those that wait will be written. False when it was closed before.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        isClosed = true
        return true
    }
}
