/// The total size of all histories, and the eviction above the limit.
extension Hub {
    /// The bytes of all histories, with the overhead of each publication.
    package var historyBytes: Int { clientHistories.bytes + otherHistories.bytes }

    /// Up to which offset topics were evicted because their own histories had too many bytes, since the last
    /// call. The store keeps those publications until it is notified.
    package mutating func takeEvictions() -> [Topic: UInt64] {
        defer { evictions = [:] }
        return evictions
    }

    /// Notes that more of a topic's past was in the store than its own limit of bytes keeps.
    package mutating func noteEviction(of topic: Topic, through offset: UInt64) {
        evictions[topic] = offset
    }

    mutating func noteEviction(_ number: Int32) {
        guard notesEvictions, let entry = entries[Int(number)] else { return }
        evictions[entry.topic] = entry.history.evictedOffset
    }

    mutating func measureHistory(_ number: Int32) {
        let overhead = entries[Int(number)]!.history.count * limits.publicationOverhead
        setHistoryBytes(entries[Int(number)]!.history.bytes + overhead, of: number)
    }

    mutating func setHistoryBytes(_ bytes: Int, of number: Int32) {
        if entries[Int(number)]!.isClientPublished {
            clientHistories.set(bytes, of: number)
        } else {
            otherHistories.set(bytes, of: number)
        }
    }

    /// Evicts the oldest publications of the largest topics while all histories together are too large, and
    /// those of clients before they take the room of others.
    mutating func evictHistories() {
        while clientHistories.bytes > limits.clientHistoryBytesMax,
            let number = clientHistories.largest
        {
            evictOne(number)
        }
        while historyBytes > limits.historyBytesMax,
            let number = otherHistories.largest ?? clientHistories.largest
        {
            evictOne(number)
        }
    }

    private mutating func evictOne(_ number: Int32) {
        evictedForMemoryCount += 1
        entries[Int(number)]!.history.evictOne()
        measureHistory(number)
    }
}
