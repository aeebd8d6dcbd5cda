import Foundation
import GRDB

/// The contents of a store's file, as found by a check of the whole file.
package struct BackupContents: Sendable, Equatable {
    /// The length of the database in bytes.
    package var length: Int
    /// The SHA-256 in hexadecimal, compared with the file; nil for a file that `varde backup` has
    /// not created.
    package var digest: String?
    package var schemaVersion: Int
    package var epoch: String
    /// The cursor of the newest publication; without any, the base of the epoch.
    package var newestCursor: UInt64
    /// The time of the newest publication; nil without any.
    package var newestTime: Timestamp?
    package var topics: Int
    package var publications: Int
    /// The number of pending webhooks.
    package var webhooks: Int
    /// Rows whose checksum is wrong. A hub does not serve them.
    package var damaged: [DamagedRow]
    /// The number of further damaged rows, which `damaged` does not list.
    package var damagedUnlisted = 0
}

extension BackupContents {
    private static let damagedMax = 10

    /// Reads the whole of a file that no process writes.
    ///
    /// - Throws: `StoreError` for a file that is damaged, or that this hub could not open.
    init(
        _ database: Database,
        schema: Schema,
        path: String,
        length: Int,
        digest: String?
    ) throws {
        let problems = try String.fetchAll(database, sql: "PRAGMA integrity_check(1)")
        guard problems == ["ok"] else {
            throw StoreError(
                .corrupt,
                "SQLite's integrity check: \(problems.first ?? "no answer")",
                path: path
            )
        }
        guard try Int32.fetchOne(database, sql: "PRAGMA application_id") == Schema.applicationID
        else {
            throw StoreError(.foreignDatabase, "not a database of Varde", path: path)
        }
        try schema.check(database, path: path)
        // Columns that files of every version have.
        let session = SQLSession(database)
        let identity = try session.row(
            """
            SELECT epoch, max(cursor_base, coalesce((SELECT max(cursor) FROM publication), 0))
            FROM hub
            """
        )
        guard let identity else {
            throw StoreError(.corrupt, "no identity in table hub", path: path)
        }
        func count(_ sql: String) throws -> Int { try session.integer(sql) ?? 0 }
        let newest = try session.row("SELECT time FROM publication ORDER BY cursor DESC LIMIT 1")
        self.init(
            length: length,
            digest: digest,
            schemaVersion: try count("PRAGMA user_version"),
            epoch: try identity[0],
            newestCursor: try identity.place(1),
            newestTime: try newest?.instant(0),
            topics: try count("SELECT count(*) FROM topic"),
            publications: try count("SELECT count(*) FROM publication"),
            webhooks: try count("SELECT count(*) FROM delivery WHERE status = 0"),
            damaged: []
        )
        // Files of versions before the checksums have none to compare.
        guard try database.columns(in: "publication").contains(where: { $0.name == "checksum" })
        else { return }
        try comparePublications(session)
        try compareDeliveries(session)
    }

    private mutating func note(_ row: DamagedRow) {
        if damaged.count < Self.damagedMax {
            damaged.append(row)
        } else {
            damagedUnlisted += 1
        }
    }

    private mutating func comparePublications(_ session: SQLSession) throws {
        try session.forEach(SQL.selectAllPublications) { row in
            let name = (try? row[9] as String) ?? ""
            let topicID = (try? row[10] as Int64) ?? 0
            if let topic = try? Topic(name),
                Publication(intact: row, topic: topic, topicID: topicID) != nil
            {
                return true
            }
            let offset = (try? row[0] as Int64) ?? 0
            note(.publication(topic: name, offset: UInt64(clamping: offset)))
            return true
        }
    }

    private mutating func compareDeliveries(_ session: SQLSession) throws {
        try session.forEach("SELECT \(StoredDelivery.columns) FROM delivery") { row in
            var rows = DeliveryRows()
            rows.append(row)
            for id in rows.damaged { note(.delivery(id: id)) }
            return true
        }
    }
}

extension SQL {
    /// As `selectNewest`, with the topic.
    fileprivate static let selectAllPublications = """
        SELECT topic_offset, cursor, time, payload, tags, info, allows_delta, checksum,
            (SELECT unchecked_cursor FROM hub WHERE id = 1), topic.name, topic_id
        FROM publication LEFT JOIN topic ON topic.id = topic_id ORDER BY cursor
        """
}
