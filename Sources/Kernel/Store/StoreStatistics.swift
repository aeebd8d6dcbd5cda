/// What a store's writer has done, for the metrics.
package struct StoreStatistics: Sendable, Equatable {
    /// Begun, however they ended. Events without rows need none.
    package var transactions: UInt64 = 0
    package var writesCommitted: UInt64 = 0
    package var writesFailed: UInt64 = 0
    /// Never tried, because the queue was full or the store closed.
    package var writesRefused: UInt64 = 0
    package var publications: UInt64 = 0
    /// Events that were not published, because their idempotency key was known.
    package var duplicates: UInt64 = 0
    /// Events that were not published, because their version was not above the topic's.
    package var stale: UInt64 = 0
    /// Events that were not published, because their topic would have been one too many in memory.
    package var topicsRefused: [TopicRefusal.Bound: UInt64] = [:]
    /// Each is of one topic, and may cover no publication or many.
    package var erasures: UInt64 = 0
    /// Publications whose rows erasures have deleted; of topics that are kept in memory alone there are none.
    package var publicationsErased: UInt64 = 0
    package var topicsForgotten: UInt64 = 0
    /// The most writes that shared one transaction.
    package var batchLengthMax = 0
    package var writesWaiting = 0
    package var bytesWaiting = 0
    /// How long the write has waited that waits longest, the one under way among them; nil when there
    /// is none.
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
