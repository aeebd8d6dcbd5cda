import ClientWire
import Service

/// `hub:stats`: samples of the hub's statistics for event streams with an API key.
///
/// The samples do not come from the store: they have neither a cursor nor a place in a history, no
/// other node receives them, and the loops count them neither as publications nor as deliveries.
extension StreamRecovery {
    /// Adds the loss of samples for a reader that was away or held. They are never kept, so whether any was
    /// missed is unknown.
    ///
    /// - Parameter through: the newest cursor.
    func withGapOfStats(_ topics: [Topic], through: UInt64) -> StreamRecovery {
        guard topics.contains(.stats) else { return self }
        var recovery = self
        if let last = recovery.gaps.last, last.through == through {
            guard !last.topics.contains(.stats) else { return recovery }
            // The reader's one cursor is unknown, or another topic has lost its newest publication.
            recovery.gaps[recovery.gaps.count - 1].topics.append(.stats)
        } else {
            recovery.gaps.append(StreamGap(reason: .evicted, topics: [.stats], through: through))
        }
        return recovery
    }
}

extension Transport {
    /// Sends a sample of the statistics, in JSON, to all readers of `Topic.stats`. Does not wait.
    package func sendStats(_ sample: [UInt8]) {
        postToEachLoop { $0.sendStats(sample) }
    }
}
