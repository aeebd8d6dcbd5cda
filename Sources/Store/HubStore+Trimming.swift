extension HubStore {
    /// Topics read in one snapshot, so that reading never holds the write-ahead log for long.
    private static let topicsPerSnapshot = 256

    /// Deletes the publications beyond the limits, and those of removed histories.
    ///
    /// A reader finds the rows to delete; the writer deletes in transactions of at most
    /// `StoreLimits.trimRowsMax` rows, each with the topics' new evicted offsets and cursors, and
    /// makes waiting commits in between. Rows that an erasure deletes meanwhile are also beyond the
    /// limits, so the reader's result stays valid.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock, for the limit of age.
    ///   - evicted: returns the offset up to which a topic's history was evicted because it had too
    ///     many bytes.
    ///   - limit: nil for a topic to leave unchanged.
    /// - Returns: the number of deleted publications.
    @discardableResult
    package func trimPublications(
        now: Timestamp,
        evicted: [Topic: UInt64] = [:],
        limit: @escaping @Sendable (Topic) -> HistoryLimit?
    ) async throws -> Int {
        var sum = 0
        var nextTopicID: Int64 = 0
        while true {
            let firstID = nextTopicID
            let page = try await reading { [limits] session in
                try EvictionPage(
                    session,
                    from: firstID,
                    topicCount: Self.topicsPerSnapshot,
                    rowsMax: limits.trimRowsMax,
                    now: now,
                    evicted: evicted,
                    limit: limit
                )
            }
            notices.reportDamage(page.damaged)
            if !page.evictions.isEmpty { sum += try await evict(page.evictions) }
            guard let id = page.nextTopicID else { return sum }
            nextTopicID = id
        }
    }

    private func evict(_ evictions: [Eviction]) async throws -> Int {
        try await write { session in
            var written = Written()
            for eviction in evictions {
                let offset = Int64(eviction.throughOffset)
                written.rowCount += try session.changes(
                    SQL.deletePublications,
                    [eviction.topicID, offset]
                )
                try session.run(
                    SQL.updateEvicted,
                    [
                        offset, Int64(eviction.throughCursor), eviction.newestTime.milliseconds,
                        eviction.topicID, offset,
                    ]
                )
            }
            return written
        }.rowCount
    }

    /// Deletes expired idempotency keys. Publishing with keys also deletes some.
    package func trimKeys(now: Timestamp) async throws {
        let rowsMax = limits.trimRowsMax
        while true {
            let written = try await write(.keyExpiry(now: now, rowsMax: rowsMax))
            guard written.rowCount == rowsMax else { return }
        }
    }

    /// Repeats a statement whose last argument is a limit until it deletes fewer rows than that.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    package func deletingInBatches(
        _ delete: String,
        _ arguments: SQLArguments
    ) async throws -> Int {
        let rowsMax = limits.trimRowsMax
        var sum = 0
        while true {
            let written = try await write { session in
                let rowCount = try session.changes(delete, arguments + [rowsMax])
                return Written(rowCount: rowCount)
            }
            sum += written.rowCount
            guard written.rowCount == rowsMax else { return sum }
        }
    }
}

/// The oldest publications of one topic, to be deleted.
private struct Eviction: Sendable {
    let topicID: Int64
    var throughOffset: UInt64
    var throughCursor: UInt64
    /// The newest time of the rows.
    var newestTime: Timestamp
    var rowCount: Int
}

/// The rows to delete in one transaction.
private struct EvictionPage: Sendable {
    private(set) var evictions: [Eviction] = []
    /// Topics that cannot be read. A topic with many rows to delete is in several pages.
    private(set) var damaged: [DamagedRow] = []
    /// The topic with which to continue; nil after the last topic.
    private(set) var nextTopicID: Int64?

    init(
        _ session: SQLSession,
        from id: Int64,
        topicCount: Int,
        rowsMax: Int,
        now: Timestamp,
        evicted: [Topic: UInt64],
        limit: (Topic) -> HistoryLimit?
    ) throws {
        var rowsLeft = rowsMax
        let page = try TopicRow.fetchPage(session, after: id - 1, count: topicCount)
        nextTopicID = page.lastID.map { $0 + 1 }
        damaged = page.damaged
        for row in page.readable {
            let eviction = try row.eviction(
                limit(row.topic),
                now: now,
                evicted: evicted[row.topic] ?? 0,
                rowsMax: rowsLeft,
                in: session
            )
            guard let eviction else { continue }
            evictions.append(eviction)
            rowsLeft -= eviction.rowCount
            guard rowsLeft == 0 else { continue }
            // The topic may have more rows to delete.
            nextTopicID = row.id
            return
        }
    }
}

extension TopicRow {
    /// Returns the oldest publications beyond the limit, at most `rowsMax`; nil for none.
    ///
    /// - Parameter limit: nil deletes only the rows of a removed history.
    fileprivate func eviction(
        _ limit: HistoryLimit?,
        now: Timestamp,
        evicted: UInt64,
        rowsMax: Int,
        in session: SQLSession
    ) throws -> Eviction? {
        let oldestTime = limit?.age.map { now - $0 }
        guard let newestOffset = try session.integer(SQL.selectTopOffset, [id]) else { return nil }
        let top = max(Int64(newestOffset), Int64(topOffset))
        var eviction = Eviction(
            topicID: id,
            throughOffset: 0,
            throughCursor: 0,
            newestTime: Timestamp(milliseconds: .min),
            rowCount: 0
        )
        try session.forEach(SQL.selectOldest, [id, rowsMax]) { row in
            // Damage can make the offset unusable, and with it the row's place in the order.
            guard let offset = try? row[0] as Int64, offset > 0 else { return true }
            // A row of an unknown time is damaged, and no reader gets it.
            let time = (try? row[2] as Int64).map { Timestamp(milliseconds: $0) }
            let isRemoved = offset <= Int64(max(evictedOffset, limit == nil ? 0 : evicted))
            let isOver = limit.map { top - offset >= Int64($0.count) } ?? false
            let isOld = oldestTime.map { oldest in time.map { $0 < oldest } ?? true } ?? false
            guard isRemoved || isOver || isOld else { return false }
            eviction.throughOffset = UInt64(offset)
            let cursor = UInt64(clamping: (try? row[1] as Int64) ?? 0)
            eviction.throughCursor = max(eviction.throughCursor, cursor)
            if let time { eviction.newestTime = max(eviction.newestTime, time) }
            eviction.rowCount += 1
            return true
        }
        return eviction.rowCount == 0 ? nil : eviction
    }
}
