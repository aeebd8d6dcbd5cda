/// A row of table `topic`.
struct TopicRow: Sendable {
    let id: Int64
    let topic: Topic
    let evictedOffset: UInt64
    let evictedCursor: UInt64
    let beginning: UInt64
    /// See `Schema`.
    let pastTime: Timestamp?
    private let erasedOffset: UInt64
    private let erasedCursor: UInt64

    /// Those that `init` reads.
    static let columns = """
        id, name, evicted_offset, evicted_cursor, erased_offset, erased_cursor, beginning, past_time
        """

    static func fetchPage(
        _ session: SQLSession,
        after id: Int64,
        count: Int
    ) throws -> TopicRows<TopicRow> {
        try TopicRows(session, SQL.selectTopicPage, [id, count], TopicRow.init)
    }

    /// The next rows, each with the highest offset of its topic, 0 before the first publication.
    static func fetchPositions(
        _ session: SQLSession,
        after id: Int64,
        count: Int
    ) throws -> TopicRows<(row: TopicRow, topOffset: UInt64)> {
        try TopicRows(session, SQL.selectTopicPositions, [id, count]) { row in
            let topic = try TopicRow(row)
            // Behind the eight columns of the topic.
            let offset = try row.place(8)
            return (topic, max(topic.topOffset, offset))
        }
    }

    /// Those that have had publications after a cursor, in the order of their rows.
    static func fetchChanged(
        _ session: SQLSession,
        after cursor: UInt64
    ) throws -> TopicRows<TopicRow> {
        let cursor = Int64(clamping: cursor)
        var rows = try TopicRows(session, SQL.selectTopicsTrimmed, [cursor], TopicRow.init)
        rows.merge(
            try TopicRows(session, SQL.selectTopicsPublishedTo, [cursor], TopicRow.init),
            id: \.id
        )
        return rows
    }

    static func fetchOne(_ session: SQLSession, topic: Topic) throws -> TopicRow? {
        try session.row(SQL.selectTopicRow, [topic.name]).map(TopicRow.init)
    }

    /// - Parameter row: begins with `columns`.
    init(_ row: SQLRow) throws {
        id = try row[0]
        do {
            topic = try Topic(row[1] as String)
        } catch {
            throw DamagedValue("name of topic \(id) is bad: \(error)")
        }
        evictedOffset = try row.place(2)
        evictedCursor = try row.place(3)
        erasedOffset = try row.place(4)
        erasedCursor = try row.place(5)
        beginning = try row.place(6)
        pastTime = row.isNull(7) ? nil : Timestamp(milliseconds: try row[7])
    }

    /// The highest offset known without a publication's row.
    var topOffset: UInt64 { max(evictedOffset, erasedOffset) }

    /// The highest cursor known without a publication's row.
    var topCursor: UInt64 { max(evictedCursor, erasedCursor) }

    /// Returns the publications within the limit, read from the newest backward and at most one
    /// beyond it.
    ///
    /// - Parameters:
    ///   - cursor: publications up to this one are not needed.
    ///   - ahead: rows that were read already.
    func newest(
        _ limit: HistoryLimit,
        after cursor: UInt64 = 0,
        now: Timestamp,
        in session: SQLSession,
        _ ahead: NewestPublications? = nil
    ) throws -> StoredTopic {
        var stored = StoredTopic(
            topic: topic,
            beginning: beginning,
            topOffset: topOffset,
            evictedOffset: evictedOffset,
            evictedCursor: evictedCursor,
            publications: []
        )
        let oldestTime = limit.age.map { now - $0 }
        var bytes = 0
        func take(_ row: SQLRow) -> Bool {
            guard let publication = Publication(intact: row, topic: topic, topicID: id),
                stored.isBefore(publication)
            else {
                stored.begin(behind: row)
                return false
            }
            stored.topOffset = max(stored.topOffset, publication.offset)
            guard publication.cursor > cursor else { return false }
            let isYoung = oldestTime.map { publication.time >= $0 } ?? true
            let isWithin = stored.topOffset - publication.offset < UInt64(limit.count)
            bytes += publication.wireLength
            // The newest one is kept whatever its length, as in a `TopicHistory`.
            let isTooMuch = bytes > limit.bytes && !stored.publications.isEmpty
            if isTooMuch, isWithin, isYoung { stored.isCut = true }
            guard isWithin, isYoung, !isTooMuch else {
                stored.evictedOffset = publication.offset
                stored.evictedCursor = publication.cursor
                return false
            }
            stored.publications.append(publication)
            return true
        }
        // One more than the limit: its position marks where the history ends.
        let count = limit.count + 1
        if let rows = ahead?.rows(ofTopic: id, count: count) {
            for row in rows.prefix(count) where !take(row) { break }
        } else if case .postgres(let session) = session.engine {
            // A result has all of its rows in memory.
            let rows = try session.newestRows(
                ofTopic: id,
                evictedOffset: evictedOffset,
                rows: count,
                bytes: limit.bytes
            )
            for row in rows where !take(row) { break }
        } else {
            try session.forEach(SQL.selectNewest, [id, Int64(evictedOffset), count], take)
        }
        stored.publications.reverse()
        return stored
    }
}
