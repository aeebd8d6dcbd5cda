import Reactor

/// The memory of topics. Histories and their table are counted once for all loops, which share them;
/// each loop has tables of its subscriptions.
extension Loop {
    /// Bytes of a topic with the longest name: in the table of histories, and part of the store's.
    /// Measured as 250 without the name.
    package static let topicBytes = 400
    /// Bytes of a topic with subscribers in a loop's table.
    package static let subscribedTopicBytes = 200
    /// Bytes of a subscription in a loop's tables. Measured as 280.
    package static let subscriptionBytes = 288

    /// Reports the change of the tables during a turn.
    package func accountForTopics() {
        let shared = isFirst ? hub.histories.sizes.topicCount * Loop.topicBytes : 0
        let bytes =
            shared + hub.subscribedTopicCount * Loop.subscribedTopicBytes
            + hub.subscriptionCount * Loop.subscriptionBytes
        memory.report(topics: bytes)
    }

    /// Whether the tables have room. They may use half of the memory that is available to a rank.
    package func hasRoomForSubscription(of rank: MemoryBudget.Rank) -> Bool {
        shared.budget.held(for: .topics) + Loop.subscriptionBytes
            <= shared.budget.limit(for: rank) / 2
    }

    /// Reports the change of the histories during a turn. The first loop reports for all.
    package func accountForHistories() {
        guard isFirst else { return }
        let sizes = hub.histories.sizes
        memory.report(histories: sizes.bytes)
        let count = memory.newEvictions(of: sizes.evictedForMemoryCount)
        guard count > 0 else { return }
        turn.counters.bounds[.memory] += UInt64(count)
        guard let lost = memory.add(.histories, count: count, now: now) else { return }
        logger.warning(
            "memory limit reached, oldest publications of the largest topics evicted",
            metadata: [
                "limit": .stringConvertible(shared.budget.limit),
                "histories": .stringConvertible(sizes.bytes),
                "publications": .stringConvertible(lost.count),
            ]
        )
    }
}
