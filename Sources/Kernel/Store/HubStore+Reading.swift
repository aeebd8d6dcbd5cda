import PubSub
import Timekeeping

/// The newest publications of one topic, as stored: the source of a restored `TopicHistory`.
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
    /// The reason why older stored publications were left out; nil if none were.
    package var cut: Cut?

    package enum Cut: Sendable, Equatable {
        /// The topic's own limit of bytes: they are no longer needed.
        case limit
        /// They did not fit: see `HistoryRoom`.
        case room
    }
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

extension FoundHistory {
    init(_ row: TopicRow, _ topic: StoredTopic) {
        guard topic.topOffset > 0 else {
            self = .nothing(forgottenThrough: topic.evictedCursor)
            return
        }
        let history = StoredHistory(
            beginning: topic.beginning,
            topOffset: topic.topOffset,
            evictedOffset: topic.evictedOffset,
            evictedCursor: topic.evictedCursor,
            throughCursor: max(
                row.topCursor,
                topic.evictedCursor,
                topic.publications.last?.cursor ?? 0
            ),
            publications: topic.publications,
            isCut: topic.cut != nil
        )
        self = .history(history)
    }
}

extension HubStore {
    /// Returns the newest publications of every durable topic for which `limit` is not nil, from
    /// one snapshot.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock, for the limit of age.
    ///   - room: the limit of all together; if it is exceeded, the oldest of the largest are left
    ///     out.
    ///   - limit: nil for a topic to leave out; its publications stay in the store.
    /// - Complexity: O(topics + publications returned).
    package func loadTopics(
        now: Timestamp,
        room: HistoryRoom = HistoryRoom(),
        limit: @escaping @Sendable (Topic) -> HistoryLimit?
    ) async throws -> [StoredTopic] {
        let isDurable = durability
        let topics = try await reading { [following, isShared] session in
            if isShared { try following.noteSnapshot(session) }
            var fit = HistoryFit(room)
            let rows = try TopicRow.fetchAll(session)
                .filter { isDurable($0.topic) && limit($0.topic) != nil }[...]
            for start in stride(from: 0, to: rows.count, by: NewestPublications.topicsMax) {
                let page = rows[start...].prefix(NewestPublications.topicsMax)
                let ahead = try session.newestPublications(of: page)
                for row in page {
                    guard let limit = limit(row.topic) else { continue }
                    try fit.add(limit) { try row.newest($0, now: now, in: session, ahead) }
                }
            }
            return fit.topics
        }
        for topic in topics { notices.reportDamage(of: topic) }
        return topics
    }

    /// The same for topics that have had publications after a cursor.
    package func loadTopics(
        changedAfter cursor: UInt64,
        now: Timestamp,
        limit: @escaping @Sendable (Topic) -> HistoryLimit?
    ) async throws -> [StoredTopic] {
        let isDurable = durability
        let topics = try await reading { session in
            try TopicRow.fetchChanged(session, after: cursor).compactMap { row -> StoredTopic? in
                guard isDurable(row.topic), let limit = limit(row.topic) else { return nil }
                return try row.newest(limit, now: now, in: session)
            }
        }
        for topic in topics { notices.reportDamage(of: topic) }
        return topics
    }

    /// Returns the newest publications of several topics, from one snapshot that begins after the call.
    package func histories(
        _ reads: [HistoryRead],
        now: Timestamp
    ) async throws -> [FoundHistory] {
        let (found, topics) = try await reading { session in
            var topics: [StoredTopic] = []
            let found = try reads.map { read -> FoundHistory in
                guard let row = try TopicRow.fetchOne(session, topic: read.topic) else {
                    let namespace = String(read.topic.namespace)
                    let cursor = try session.integer(SQL.selectForgottenCursor, [namespace]) ?? 0
                    return .nothing(forgottenThrough: UInt64(cursor))
                }
                let topic = try row.newest(read.limit, now: now, in: session)
                topics.append(topic)
                return FoundHistory(row, topic)
            }
            return (found, topics)
        }
        for topic in topics { notices.reportDamage(of: topic) }
        return found
    }

    /// The cursor of the newest publication that has, or once had, a row; the base if there was none.
    package func newestCursor() async throws -> UInt64 {
        let identity = engine.identity
        let newest = try await reading { session in
            try session.integer(SQL.selectNewestCursor) ?? 0
        }
        return max(identity.rowCursor, UInt64(newest))
    }

    /// Topics with publications, in the order of their rows.
    ///
    /// - Parameters:
    ///   - row: the row after which to begin, 0 or `next` of the last call.
    ///   - count: the number of rows to visit.
    package func listTopics(afterRow row: Int64, count: Int) async throws -> TopicPage {
        let isDurable = durability
        let epoch = epoch
        return try await reading { session in
            let rows = try TopicRow.fetchPage(session, after: row, count: count)
            let topics = try rows.compactMap { row -> TopicPage.Entry? in
                guard isDurable(row.topic) else { return nil }
                let newest = try session.integer(SQL.selectTopOffset, [row.id]) ?? 0
                let offset = max(UInt64(newest), row.topOffset)
                guard offset > 0 else { return nil }
                let epoch = TopicEpoch(store: epoch, beginning: row.beginning).text
                return TopicPage.Entry(
                    row: row.id,
                    topic: row.topic,
                    position: Position(offset: offset, epoch: epoch)
                )
            }
            return TopicPage(topics: topics, next: rows.count == count ? rows.last?.id : nil)
        }
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

    /// Whether a topic is read within some tens of microseconds, without a round trip to a server, so that
    /// histories need not be in memory before they are needed.
    package var readsFast: Bool { engine is SQLiteEngine }

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
                StateRow(domain: domain, key: $0[0], value: $0[1])
            }
        }
    }

    /// The first rows of one domain in the order of their keys.
    package func state(domain: String, limit: Int) async throws -> [StateRow] {
        try await reading { session in
            try session.rows(SQL.selectFirstState, [domain, limit]) {
                StateRow(domain: domain, key: $0[0], value: $0[1])
            }
        }
    }

    /// All feeds' validators in the order of their names.
    package func feedValidators() async throws -> [FeedRow] {
        try await reading { session in
            try session.rows(SQL.selectFeeds) { FeedRow(name: $0[0], validators: $0[1]) }
        }
    }

    /// All alert states in the order of rules and subjects.
    package func alertStates() async throws -> [AlertRow] {
        try await reading { session in
            try session.rows(SQL.selectAlerts) {
                AlertRow(rule: $0[0], subject: $0[1], state: $0[2])
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
            engine.read { [path] session in
                let result = Result { try body(session.get()) }
                continuation.resume(
                    with: result.mapError { StoreError.translating($0, path: path) }
                )
            }
        }
    }
}

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

    static func fetchAll(_ session: SQLSession) throws -> [TopicRow] {
        try session.rows(SQL.selectTopics, [], TopicRow.init)
    }

    static func fetchPage(_ session: SQLSession, after id: Int64, count: Int) throws -> [TopicRow] {
        try session.rows(SQL.selectTopicPage, [id, count], TopicRow.init)
    }

    /// Those that have had publications after a cursor, in the order of their rows.
    static func fetchChanged(_ session: SQLSession, after cursor: UInt64) throws -> [TopicRow] {
        let cursor = Int64(clamping: cursor)
        var rows = try session.rows(SQL.selectTopicsTrimmed, [cursor], TopicRow.init)
        var ids: Set<Int64> = []
        try session.forEach(SQL.selectTopicsPublishedTo, [cursor]) { row in
            ids.insert(row[0])
            return true
        }
        for id in ids.subtracting(rows.map(\.id)) {
            if let row = try session.row(SQL.selectTopicOfID, [id]) {
                rows.append(try TopicRow(row))
            }
        }
        return rows.sorted { $0.id < $1.id }
    }

    static func fetchOne(_ session: SQLSession, topic: Topic) throws -> TopicRow? {
        try session.row(SQL.selectTopicRow, [topic.name]).map(TopicRow.init)
    }

    private init(_ row: SQLRow) throws {
        id = try row.checked(0)
        do {
            topic = try Topic(row.checked(1) as String)
        } catch {
            throw DamagedValue("name of topic \(id) is bad: \(error)")
        }
        evictedOffset = try UInt64(clamping: row.checked(2) as Int64)
        evictedCursor = try UInt64(clamping: row.checked(3) as Int64)
        erasedOffset = try UInt64(clamping: row.checked(4) as Int64)
        erasedCursor = try UInt64(clamping: row.checked(5) as Int64)
        beginning = try UInt64(clamping: row.checked(6) as Int64)
        pastTime = row.isNull(7) ? nil : Timestamp(milliseconds: try row.checked(7))
    }

    /// The highest offset known without a publication's row.
    var topOffset: UInt64 { max(evictedOffset, erasedOffset) }

    /// The highest cursor known without a publication's row.
    var topCursor: UInt64 { max(evictedCursor, erasedCursor) }

    /// Returns the publications within the limit, read from the newest backward and at most one
    /// beyond it.
    ///
    /// - Parameter ahead: rows that were read already.
    func newest(
        _ limit: HistoryLimit,
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
            let isYoung = oldestTime.map { publication.time >= $0 } ?? true
            let isWithin = stored.topOffset - publication.offset < UInt64(limit.count)
            bytes += publication.wireLength
            // The newest one is kept whatever its length, as in a `TopicHistory`.
            let isTooMuch = bytes > limit.bytes && !stored.publications.isEmpty
            if isTooMuch, isWithin, isYoung { stored.cut = .limit }
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
        } else {
            try session.forEach(SQL.selectNewest, [id, Int64(evictedOffset), count], take)
        }
        stored.publications.reverse()
        return stored
    }
}
