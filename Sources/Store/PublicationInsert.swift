import GRDB
import GRDBSQLite

/// Inserts publications, the one statement that does not run through `SQLSession`.
struct PublicationInsert {
    private enum Engine {
        case sqlite(SQLitePublicationInsert)
        case postgres(PostgresSession)
    }

    private let engine: Engine

    init(_ session: SQLSession) throws {
        engine =
            switch session.engine {
            case .sqlite(let database): .sqlite(try SQLitePublicationInsert(database))
            case .postgres(let session): .postgres(session)
            }
    }

    func run(_ event: TopicEvent, topicID: Int64, offset: UInt64, cursor: UInt64) throws {
        let tags = event.tags.isEmpty ? nil : TextList(tags: event.tags).bytes
        let info = event.info.map { TextList(info: $0).bytes }
        let checksum = Checksum(
            ofPublication: (topicID, Int64(offset), Int64(cursor), event.time.milliseconds),
            event.payload,
            tags: tags,
            info: info,
            allowsDelta: event.allowsDelta
        )
        let row = PublicationRow(
            cursor: Int64(cursor),
            topicID: topicID,
            offset: Int64(offset),
            time: event.time.milliseconds,
            payload: event.payload,
            tags: tags,
            info: info,
            allowsDelta: event.allowsDelta,
            checksum: Int64(checksum.value)
        )
        switch engine {
        case .sqlite(let statement): try statement.run(row)
        case .postgres(let session): try session.add { $0.append(row) }
        }
    }
}

/// A row of table `publication`.
struct PublicationRow {
    var cursor: Int64
    var topicID: Int64
    var offset: Int64
    var time: Int64
    var payload: [UInt8]
    var tags: [UInt8]?
    var info: [UInt8]?
    var allowsDelta: Bool
    var checksum: Int64
}

/// The statement for SQLite, with manual binding.
///
/// GRDB's arguments are an array of existentials, checked and copied for every row: a third of the
/// cost of an event. Here the numbers are passed directly to SQLite, and texts are lent to it for
/// the one step (no destructor is SQLITE_STATIC), not copied.
///
/// The statement is GRDB's, kept in its cache and finalized by it. GRDB's observation of
/// transactions does not include these rows.
private struct SQLitePublicationInsert {
    private let statement: Statement
    private let database: Database

    init(_ database: Database) throws {
        self.database = database
        statement = try database.cachedStatement(sql: SQL.insertPublication)
    }

    func run(_ values: PublicationRow) throws {
        let row = statement.sqliteStatement
        sqlite3_bind_int64(row, 1, values.cursor)
        sqlite3_bind_int64(row, 2, values.topicID)
        sqlite3_bind_int64(row, 3, values.offset)
        sqlite3_bind_int64(row, 4, values.time)
        sqlite3_bind_int64(row, 8, values.allowsDelta ? 1 : 0)
        sqlite3_bind_int64(row, 9, values.checksum)
        let code = lending(values.payload, to: 5) {
            lending(values.tags, to: 6) {
                lending(values.info, to: 7) { sqlite3_step(row) }
            }
        }
        let error = code == SQLITE_DONE ? nil : database.failure(code, of: SQL.insertPublication)
        sqlite3_reset(row)
        sqlite3_clear_bindings(row)
        if let error { throw error }
    }

    /// Binds the bytes while `body` runs; NULL for none.
    private func lending(_ bytes: [UInt8]?, to index: Int32, _ body: () -> Int32) -> Int32 {
        guard let bytes else {
            sqlite3_bind_null(statement.sqliteStatement, index)
            return body()
        }
        return bytes.withUnsafeBytes { buffer in
            let code: Int32
            if let address = buffer.baseAddress, !buffer.isEmpty {
                code = sqlite3_bind_blob64(
                    statement.sqliteStatement,
                    index,
                    address,
                    UInt64(buffer.count),
                    nil
                )
            } else {
                code = sqlite3_bind_zeroblob(statement.sqliteStatement, index, 0)
            }
            return code == SQLITE_OK ? body() : code
        }
    }
}
