import Foundation
import GRDB
import PubSub
import Timekeeping

/// The newest publications of one topic, as the store has them: what a `TopicHistory` is restored from.
package struct StoredTopic: Sendable, Equatable {
    package var topic: Topic
    /// `TopicEpoch.beginning` of its epoch.
    package var beginning: UInt64 = 0
    /// The offset of the newest publication that ever was, kept or not; 0 before the first.
    package var topOffset: UInt64
    /// The offset of the newest publication that is older than what is kept; 0 when none is missing.
    package var evictedOffset: UInt64
    /// The cursor of that one.
    package var evictedCursor: UInt64
    /// Oldest first. What lies between `evictedOffset` and `topOffset` and is not here was erased.
    package var publications: [Publication]
}

extension HubStore {
    /// The newest publications of every durable topic that `limit` knows, from one snapshot. Blocks.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock, for the limit of age.
    ///   - limit: nil for a topic to leave out; its publications stay in the store.
    /// - Complexity: O(topics + publications returned).
    package func loadTopics(
        now: Timestamp,
        limit: (Topic) -> HistoryLimit?
    ) throws -> [StoredTopic] {
        let isDurable = durability
        return try translating {
            try pool.read { database in
                let rows = try TopicRow.fetchAll(database)
                return try rows.compactMap { row in
                    guard isDurable(row.topic), let limit = limit(row.topic) else { return nil }
                    return try row.newest(limit, now: now, in: database)
                }
            }
        }
    }

    /// Of the newest `count` publications of one topic those that were not erased; nil for a topic that
    /// never had any, or that is kept in memory alone.
    package func history(of topic: Topic, count: Int) async throws -> StoredTopic? {
        guard durability(topic) else { return nil }
        let limit = HistoryLimit(count: count, age: nil)
        return try await reading { database in
            let row = try TopicRow.fetchOne(database, topic: topic)
            return try row?.newest(limit, now: Timestamp(milliseconds: 0), in: database)
        }
    }

    /// The time of the oldest publication that is kept, of any topic.
    package func oldestPublication() async throws -> Timestamp? {
        try await reading { database in
            try Int64.fetchOne(database, sql: SQL.selectOldestPublicationTime).map {
                Timestamp(milliseconds: $0)
            }
        }
    }

    /// One domain's rows in the order of their keys. Blocks.
    package func state(domain: String) throws -> [StateRow] {
        try translating {
            try pool.read { database in
                try Row.fetchAll(database, sql: SQL.selectState, arguments: [domain]).map {
                    StateRow(domain: domain, key: $0[0], value: $0.bytes(1))
                }
            }
        }
    }

    /// The first rows of one domain in the order of their keys.
    package func state(domain: String, limit: Int) async throws -> [StateRow] {
        try await reading { database in
            let select = try database.cachedStatement(sql: SQL.selectFirstState)
            return try Row.fetchAll(select, arguments: [domain, limit]).map {
                StateRow(domain: domain, key: $0[0], value: $0.bytes(1))
            }
        }
    }

    /// All feeds' validators in the order of their names. Blocks.
    package func feedValidators() throws -> [FeedRow] {
        try translating {
            try pool.read { database in
                try Row.fetchAll(database, sql: SQL.selectFeeds).map {
                    FeedRow(name: $0[0], validators: $0.bytes(1))
                }
            }
        }
    }

    /// All alert states in the order of rules and subjects. Blocks.
    package func alertStates() throws -> [AlertRow] {
        try translating {
            try pool.read { database in
                try Row.fetchAll(database, sql: SQL.selectAlerts).map {
                    AlertRow(rule: $0[0], subject: $0[1], state: $0.bytes(2))
                }
            }
        }
    }

    /// The domain clock's time after the last change that told it. Blocks.
    package func lastClock() throws -> Timestamp? {
        try translating {
            try pool.read { database in
                try Int64.fetchOne(database, sql: SQL.selectClock)
                    .map { Timestamp(milliseconds: $0) }
            }
        }
    }

    /// Reads one snapshot beside the writer.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw StoreError.translating(error, path: path)
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

    static func fetchAll(_ database: Database) throws -> [TopicRow] {
        try Row.fetchAll(database, sql: SQL.selectTopics).map(TopicRow.init)
    }

    static func fetchPage(_ database: Database, after id: Int64, count: Int) throws -> [TopicRow] {
        let select = try database.cachedStatement(sql: SQL.selectTopicPage)
        return try Row.fetchAll(select, arguments: [id, count]).map(TopicRow.init)
    }

    static func fetchOne(_ database: Database, topic: Topic) throws -> TopicRow? {
        let select = try database.cachedStatement(sql: SQL.selectTopicRow)
        return try Row.fetchOne(select, arguments: [topic.name]).map(TopicRow.init)
    }

    private init(_ row: Row) throws {
        id = row[0]
        do {
            topic = try Topic(row[1] as String)
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "name of topic \(id) is bad: \(error)"
            )
        }
        evictedOffset = UInt64(row[2] as Int64)
        evictedCursor = UInt64(row[3] as Int64)
        erasedOffset = UInt64(row[4] as Int64)
        erasedCursor = UInt64(row[5] as Int64)
        beginning = UInt64(row[6] as Int64)
        pastTime = (row[7] as Int64?).map { Timestamp(milliseconds: $0) }
    }

    /// The highest offset that is known without a publication's row.
    var topOffset: UInt64 { max(evictedOffset, erasedOffset) }

    /// The highest cursor that is known without a publication's row.
    var topCursor: UInt64 { max(evictedCursor, erasedCursor) }

    /// What the limit keeps, read from the newest publication backward and no further than one beyond.
    func newest(
        _ limit: HistoryLimit,
        now: Timestamp,
        in database: Database
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
        let select = try database.cachedStatement(sql: SQL.selectNewest)
        // One more than the limit: its place tells where the history ends.
        let rows = try Row.fetchCursor(
            select,
            arguments: [id, Int64(evictedOffset), Int64(limit.count) + 1]
        )
        while let row = try rows.next() {
            let publication = try Publication(row, topic: topic)
            stored.topOffset = max(stored.topOffset, publication.offset)
            let isYoung = oldestTime.map { publication.time >= $0 } ?? true
            let isWithin = stored.topOffset - publication.offset < UInt64(limit.count)
            guard isWithin, isYoung else {
                stored.evictedOffset = publication.offset
                stored.evictedCursor = publication.cursor
                break
            }
            stored.publications.append(publication)
        }
        stored.publications.reverse()
        return stored
    }
}

extension Row {
    /// The bytes of a column that is never NULL.
    func bytes(_ index: Int) -> [UInt8] {
        [UInt8](self[index] as Data)
    }
}
