import GRDB
import PubSub
import Timekeeping

extension HubStore {
    /// Topics looked at in one snapshot, so that reading never holds the write-ahead log for long.
    private static let topicsPerSnapshot = 256

    /// Deletes the publications that the limits no longer keep.
    ///
    /// What to delete is found by a reader; the writer deletes in transactions of about
    /// `StoreLimits.trimRowsMax` rows, each with the topic's new evicted offset and cursor, and takes
    /// waiting commits in between. Only this deletes publications, so what was found stays true.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock, for the limit of age.
    ///   - limit: nil for a topic to leave alone.
    /// - Returns: how many publications were deleted.
    @discardableResult
    package func trimPublications(
        now: Timestamp,
        limit: @escaping @Sendable (Topic) -> HistoryLimit?
    ) async throws -> Int {
        var sum = 0
        var lastTopicID: Int64 = 0
        while true {
            let afterID = lastTopicID
            let page = try await reading { [limits] database in
                try EvictionPage(
                    database,
                    after: afterID,
                    topicCount: Self.topicsPerSnapshot,
                    limits: limits,
                    now: now,
                    limit: limit
                )
            }
            for batch in page.batches { sum += try await evict(batch) }
            guard let lastID = page.lastTopicID else { return sum }
            if !page.isCutShort { lastTopicID = lastID }
        }
    }

    private func evict(_ evictions: [Eviction]) async throws -> Int {
        try await write { _, database in
            var written = Written()
            for eviction in evictions {
                try database.run(
                    SQL.deletePublications,
                    [eviction.topicID, Int64(eviction.throughOffset)]
                )
                written.rowCount += database.changesCount
                try database.run(
                    SQL.updateEvicted,
                    [
                        Int64(eviction.throughOffset), Int64(eviction.throughCursor),
                        eviction.topicID,
                    ]
                )
            }
            return written
        }.rowCount
    }
}

/// The oldest publications of one topic, to be deleted.
private struct Eviction: Sendable {
    let topicID: Int64
    var throughOffset: UInt64
    var throughCursor: UInt64
    var rowCount: Int
}

/// What to delete of some topics.
private struct EvictionPage: Sendable {
    /// Each for one transaction.
    private(set) var batches: [[Eviction]] = []
    /// Nil when there were no more topics.
    private(set) var lastTopicID: Int64?
    /// Some topic has more to delete than one transaction should: look at the page again.
    private(set) var isCutShort = false

    init(
        _ database: Database,
        after id: Int64,
        topicCount: Int,
        limits: StoreLimits,
        now: Timestamp,
        limit: (Topic) -> HistoryLimit?
    ) throws {
        var batch: [Eviction] = []
        var rowCount = 0
        for row in try TopicRow.fetchPage(database, after: id, count: topicCount) {
            lastTopicID = row.id
            guard
                let limit = limit(row.topic),
                let eviction = try row.eviction(
                    limit,
                    now: now,
                    rowsMax: limits.trimRowsMax,
                    in: database
                )
            else { continue }
            isCutShort = isCutShort || eviction.rowCount == limits.trimRowsMax
            batch.append(eviction)
            rowCount += eviction.rowCount
            guard rowCount >= limits.trimRowsMax else { continue }
            batches.append(batch)
            batch = []
            rowCount = 0
        }
        if !batch.isEmpty { batches.append(batch) }
    }
}

extension TopicRow {
    /// The oldest publications that the limit does not keep, at most `rowsMax`; nil for none.
    fileprivate func eviction(
        _ limit: HistoryLimit,
        now: Timestamp,
        rowsMax: Int,
        in database: Database
    ) throws -> Eviction? {
        let oldestTime = limit.age.map { now - $0 }
        let newest = try database.cachedStatement(
            sql: "SELECT max(topic_offset) FROM publication WHERE topic_id = ?"
        )
        guard let topOffset = try Int64.fetchOne(newest, arguments: [id]) else { return nil }
        let oldest = try database.cachedStatement(
            sql: """
                SELECT topic_offset, cursor, time FROM publication
                WHERE topic_id = ? ORDER BY topic_offset LIMIT ?
                """
        )
        var eviction = Eviction(topicID: id, throughOffset: 0, throughCursor: 0, rowCount: 0)
        let rows = try Row.fetchCursor(oldest, arguments: [id, rowsMax])
        while let row = try rows.next() {
            let offset: Int64 = row[0]
            let time = Timestamp(milliseconds: row[2])
            guard topOffset - offset >= Int64(limit.count) || time < oldestTime ?? time else {
                break
            }
            eviction.throughOffset = UInt64(offset)
            eviction.throughCursor = UInt64(row[1] as Int64)
            eviction.rowCount += 1
        }
        return eviction.rowCount == 0 ? nil : eviction
    }
}
