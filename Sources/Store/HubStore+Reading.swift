/// The newest publications of one topic, as stored.
package struct StoredTopic: Sendable, Equatable {
    package var topic: Topic
    /// `TopicEpoch.beginning` of its epoch.
    package var beginning: UInt64 = 0
    /// The offset of the newest publication that ever existed, kept or not; 0 before the first.
    package var topOffset: UInt64
    /// The offset of the newest publication that is older than the kept ones; 0 when none is
    /// missing.
    package var evictedOffset: UInt64
    /// The cursor of the publication at `evictedOffset`.
    package var evictedCursor: UInt64
    /// Oldest first. Publications between `evictedOffset` and `topOffset` that are missing here
    /// were erased.
    package var publications: [Publication]
    /// The offset of a publication whose row is damaged. The history begins after it: older
    /// positions have a gap.
    package var damagedOffset: UInt64?
    /// Whether the limit of bytes has left out older ones.
    package var isCut = false
}

/// Some of the topics of a store.
package struct TopicPage: Sendable {
    package struct Entry: Sendable {
        package var row: Int64
        package var topic: Topic
        package var position: Position
    }

    package var topics: [Entry]
    /// The last row that was visited; nil at the end.
    package var next: Int64?
}

extension HubStore {
    /// Returns the publications after a cursor, as far as the limits of their topics keep them, from one
    /// snapshot: of each durable topic that has had some.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock, for the limit of age.
    ///   - limit: nil for a topic to leave out.
    /// - Complexity: O(publications after the cursor + publications returned).
    package func loadTopics(
        changedAfter cursor: UInt64,
        now: Timestamp,
        limit: @escaping @Sendable (Topic) -> HistoryLimit?
    ) async throws -> [StoredTopic] {
        let isDurable = durability
        let (topics, damaged) = try await reading { [neededPlace] session in
            try session.require(neededPlace)
            let found = try TopicRow.fetchChanged(session, after: cursor)
            let rows = found.readable.compactMap { row in
                isDurable(row.topic) ? limit(row.topic).map { (row, $0) } : nil
            }
            return (try session.newest(rows, after: cursor, now: now), found.damaged)
        }
        notices.reportDamage(damaged)
        for topic in topics { notices.reportDamage(of: topic) }
        return topics
    }

    /// The cursor of the newest publication that has, or once had, a row; the base if there was none. In a
    /// cluster, not less than the cursor of any publication in the log.
    ///
    /// The snapshot of the first call is where `follow` begins.
    package func newestCursor() async throws -> UInt64 {
        let identity = engine.identity
        let newest = try await reading { [following, isShared, neededPlace] session in
            try session.require(neededPlace)
            let stored = UInt64(try session.integer(SQL.selectNewestCursor) ?? 0)
            return isShared ? max(stored, try following.noteSnapshot(session)) : stored
        }
        return max(identity.rowCursor, newest)
    }

    /// Topics with publications, in the order of their rows.
    ///
    /// - Parameters:
    ///   - row: the row after which to begin, 0 or `next` of the last call.
    ///   - count: the number of rows to visit.
    package func listTopics(afterRow row: Int64, count: Int) async throws -> TopicPage {
        let isDurable = durability
        let epoch = epoch
        let (page, damaged) = try await reading { session in
            let rows = try TopicRow.fetchPositions(session, after: row, count: count)
            let topics = rows.readable.compactMap { row, offset -> TopicPage.Entry? in
                guard isDurable(row.topic), offset > 0 else { return nil }
                let epoch = TopicEpoch(store: epoch, beginning: row.beginning).text
                return TopicPage.Entry(
                    row: row.id,
                    topic: row.topic,
                    position: Position(offset: offset, epoch: epoch)
                )
            }
            let next = rows.count == count ? rows.lastID : nil
            return (TopicPage(topics: topics, next: next), rows.damaged)
        }
        notices.reportDamage(damaged)
        return page
    }

    /// Returns those of the newest `count` publications of one topic that were not erased; nil for
    /// a topic that never had any, or that is kept only in memory.
    ///
    /// - Parameter bytes: if they are longer together, the oldest are left out.
    package func history(
        of topic: Topic,
        count: Int,
        bytes: Int = .max
    ) async throws -> StoredTopic? {
        guard durability(topic) else { return nil }
        let limit = HistoryLimit(count: count, age: nil, bytes: bytes)
        let found = try await reading { session in
            let row = try TopicRow.fetchOne(session, topic: topic)
            return try row?.newest(limit, now: Timestamp(milliseconds: 0), in: session)
        }
        if let found { notices.reportDamage(of: found) }
        return found
    }

    /// The time of the oldest publication kept, of any topic.
    package func oldestPublication() async throws -> Timestamp? {
        try await reading { session in
            try session.row(SQL.selectOldestPublicationTime)?.instant(0)
        }
    }

    /// One domain's rows in the order of their keys.
    package func state(domain: String) async throws -> [StateRow] {
        try await reading { session in
            try session.rows(SQL.selectState, [domain]) {
                try StateRow(domain: domain, key: $0[0], value: $0[1])
            }
        }
    }

    /// The first rows of one domain in the order of their keys.
    package func state(domain: String, limit: Int) async throws -> [StateRow] {
        try await reading { session in
            try session.rows(SQL.selectFirstState, [domain, limit]) {
                try StateRow(domain: domain, key: $0[0], value: $0[1])
            }
        }
    }

    /// All feeds' validators in the order of their names.
    package func feedValidators() async throws -> [FeedRow] {
        try await reading { session in
            try session.rows(SQL.selectFeeds) { try FeedRow(name: $0[0], validators: $0[1]) }
        }
    }

    /// All alert states in the order of rules and subjects.
    package func alertStates() async throws -> [AlertRow] {
        try await reading { session in
            try session.rows(SQL.selectAlerts) {
                try AlertRow(rule: $0[0], subject: $0[1], state: $0[2])
            }
        }
    }

    /// The domain clock's time after the last change that contained it.
    package func lastClock() async throws -> Timestamp? {
        try await reading { session in
            try session.row(SQL.selectClock)?.optionalInstant(0)
        }
    }

    /// Reads one snapshot concurrently with the writer, on the reader's own queue.
    ///
    /// - Throws: `StoreError`; `CancellationError` when the task was cancelled before the read
    ///   began.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            engine.read { [path, notices] session in
                let result = Result {
                    var session = try session.get()
                    session.notices = notices
                    return try body(session)
                }
                continuation.resume(
                    with: result.mapError { StoreError.translating($0, path: path) }
                )
            }
        }
    }
}
