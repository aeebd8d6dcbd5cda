/// The counters of a store's writer, for the metrics.
package struct StoreStatistics: Sendable, Equatable {
    /// Transactions begun, whatever their result. Events without rows need none.
    package var transactions: UInt64 = 0
    package var writesCommitted: UInt64 = 0
    package var writesFailed: UInt64 = 0
    /// Writes never tried, because the queue was full or the store closed.
    package var writesRefused: UInt64 = 0
    package var publications: UInt64 = 0
    /// Events that were not published, because their idempotency key was already stored.
    package var duplicates: UInt64 = 0
    /// Events that were not published, because their version was not above the topic's.
    package var stale: UInt64 = 0
    /// Events that were not published, because their topic would have exceeded the maximum in
    /// memory.
    package var topicsRefused: [TopicRefusal.Bound: UInt64] = [:]
    /// Erasures. Each is of one topic, and may cover no publication or many.
    package var erasures: UInt64 = 0
    /// Publications whose rows erasures have deleted; topics kept only in memory have none.
    package var publicationsErased: UInt64 = 0
    package var topicsForgotten: UInt64 = 0
    /// The largest number of writes in one transaction.
    package var batchLengthMax = 0
    package var writesWaiting = 0
    package var bytesWaiting = 0
    /// The time that the oldest write has waited, including the current one; nil when there is
    /// none.
    package var oldestWaiting: Duration?

    package init() {}

    mutating func count(_ batch: WrittenBatch) {
        if batch.hasTransaction { transactions += 1 }
        batchLengthMax = max(batchLengthMax, batch.results.count)
        for result in batch.results {
            guard case .success(let written) = result else {
                writesFailed += 1
                continue
            }
            writesCommitted += 1
            erasures += UInt64(written.erasures.count)
            publicationsErased += UInt64(written.erasedCount)
            topicsForgotten += UInt64(written.forgotten.count)
            for outcome in written.outcomes {
                switch outcome {
                case .published: publications += 1
                case .duplicate: duplicates += 1
                case .stale: stale += 1
                case .refused(let refusal): topicsRefused[refusal.bound, default: 0] += 1
                }
            }
        }
    }
}
