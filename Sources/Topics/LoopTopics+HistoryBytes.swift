/// The total size of all histories.
extension LoopTopics {
    /// The bytes of all histories, with the overhead of each publication.
    package var historyBytes: Int { histories.sizes.bytes }

    /// Publications that were evicted because all histories together were too large.
    package var evictedForMemoryCount: UInt64 { histories.sizes.evictedForMemoryCount }
}
