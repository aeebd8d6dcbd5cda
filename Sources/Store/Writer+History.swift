/// The removal of a topic's history up to a position.
package struct HistoryRemoval: Sendable, Equatable {
    package var topic: Topic
    /// Publications up to this offset are removed; the next one gets a higher offset.
    package var throughOffset: UInt64
    /// The cursor of the publication with that offset.
    package var throughCursor: UInt64

    package init(topic: Topic, throughOffset: UInt64, throughCursor: UInt64) {
        self.topic = topic
        self.throughOffset = throughOffset
        self.throughCursor = throughCursor
    }
}

extension Writer {
    /// Removes the existing histories of `topics`, in order.
    func removeHistories(
        of topics: [Topic],
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> [HistoryRemoval] {
        try topics.compactMap { topic in
            isDurable(topic)
                ? try removeDurableHistory(of: topic, in: session)
                : memoryHistoryRemoval(of: topic)
        }
    }

    /// Marks the whole topic as evicted, effective with the commit. The rows are deleted by the
    /// next trims: a long history in one transaction would block publishers.
    ///
    /// - Returns: nil when there was no history.
    private func removeDurableHistory(
        of topic: Topic,
        in session: SQLSession
    ) throws -> HistoryRemoval? {
        guard let row = try TopicRow.fetchOne(session, topic: topic) else { return nil }
        guard
            let newest = try session.row(
                SQL.selectNewestPlace,
                [row.id, Int64(row.evictedOffset)]
            )
        else { return nil }
        let offset: Int64 = try newest[0]
        let cursor: Int64 = try newest[1]
        try session.run(
            SQL.updateEvicted,
            [offset, cursor, try newest[2] as Int64, row.id, offset]
        )
        return HistoryRemoval(
            topic: topic,
            throughOffset: UInt64(offset),
            throughCursor: UInt64(cursor)
        )
    }

    /// The history of such a topic is not in the store, only in the hubs.
    private func memoryHistoryRemoval(of topic: Topic) -> HistoryRemoval? {
        let row = counters.memory[topic]
        guard row.topOffset > 0 else { return nil }
        return HistoryRemoval(
            topic: topic,
            throughOffset: row.topOffset,
            throughCursor: row.topCursor
        )
    }
}
