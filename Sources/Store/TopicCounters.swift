import GRDB
import PubSub

/// The offsets and cursors to give out next: a copy in memory of what the transaction would read.
///
/// The writer advances the counters as it inserts, and takes them back with the rows when a savepoint or
/// the transaction is rolled back: every change leaves a note of what it replaced. Between transactions
/// the copy may be dropped; the file alone is the truth.
struct TopicCounters {
    struct Row {
        let id: Int64
        var topOffset: UInt64
    }

    /// A moment of the transaction to which `rollBack` can return.
    struct Mark {
        fileprivate let changeCount: Int
        fileprivate let lastCursor: UInt64
    }

    private(set) var lastCursor: UInt64
    private var rows: [Topic: Row] = [:]
    /// What the transaction replaced, in order; nil for a topic that was not in `rows`.
    private var replaced: [(topic: Topic, row: Row?)] = []
    private let topicsCachedMax: Int

    init(lastCursor: UInt64, topicsCachedMax: Int) {
        self.lastCursor = lastCursor
        self.topicsCachedMax = topicsCachedMax
    }

    var mark: Mark { Mark(changeCount: replaced.count, lastCursor: lastCursor) }

    mutating func beginTransaction() {
        replaced.removeAll(keepingCapacity: true)
        if rows.count > topicsCachedMax { rows.removeAll() }
    }

    mutating func rollBack(to mark: Mark) {
        while replaced.count > mark.changeCount {
            let (topic, row) = replaced.removeLast()
            rows[topic] = row
        }
        lastCursor = mark.lastCursor
    }

    /// Gives the topic's next offset and the next cursor. A topic not seen before gets its row.
    mutating func next(
        of topic: Topic,
        in database: Database
    ) throws -> (topicID: Int64, offset: UInt64, cursor: UInt64) {
        let known = rows[topic]
        var row = try known ?? Self.load(topic, in: database)
        row.topOffset += 1
        rows[topic] = row
        replaced.append((topic, known))
        lastCursor += 1
        return (row.id, row.topOffset, lastCursor)
    }

    private static func load(_ topic: Topic, in database: Database) throws -> Row {
        let select = try database.cachedStatement(sql: SQL.selectTopic)
        if let row = try GRDB.Row.fetchOne(select, arguments: [topic.name]) {
            return Row(id: row[0], topOffset: UInt64(row[1] as Int64))
        }
        try database.cachedStatement(sql: SQL.insertTopic).execute(arguments: [topic.name])
        return Row(id: database.lastInsertedRowID, topOffset: 0)
    }
}
