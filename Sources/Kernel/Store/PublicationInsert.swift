import GRDB
import GRDBSQLite
import PubSub

/// Inserts publications; the only statement with manual binding.
///
/// GRDB's arguments are an array of existentials, checked and copied for every row: a third of the
/// cost of an event. Here the numbers are passed directly to SQLite, and texts are lent to it for
/// the one step (no destructor is SQLITE_STATIC), not copied.
///
/// The statement is GRDB's, kept in its cache and finalized by it. GRDB's observation of
/// transactions does not include these rows.
struct PublicationInsert {
    private let statement: Statement
    private let database: Database

    init(_ database: Database) throws {
        self.database = database
        statement = try database.cachedStatement(sql: SQL.insertPublication)
    }

    func run(_ event: TopicEvent, topicID: Int64, offset: UInt64, cursor: UInt64) throws {
        let row = statement.sqliteStatement
        sqlite3_bind_int64(row, 1, Int64(cursor))
        sqlite3_bind_int64(row, 2, topicID)
        sqlite3_bind_int64(row, 3, Int64(offset))
        sqlite3_bind_int64(row, 4, event.time.milliseconds)
        sqlite3_bind_int64(row, 8, event.allowsDelta ? 1 : 0)
        let tags = event.tags.isEmpty ? nil : TextList(tags: event.tags).bytes
        let info = event.info.map { TextList(info: $0).bytes }
        let checksum = Checksum(
            ofPublication: (topicID, Int64(offset), Int64(cursor), event.time.milliseconds),
            event.payload,
            tags: tags,
            info: info,
            allowsDelta: event.allowsDelta
        )
        sqlite3_bind_int64(row, 9, Int64(checksum.value))
        let code = lending(event.payload, to: 5) {
            lending(tags, to: 6) {
                lending(info, to: 7) { sqlite3_step(row) }
            }
        }
        let error = code == SQLITE_DONE ? nil : failure(code)
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

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) },
            sql: SQL.insertPublication
        )
    }
}
