import GRDB
import GRDBSQLite

/// A store in an SQLite file, for a copy.
///
/// Rows are read and bound by SQLite's own functions: values go from one engine to the other
/// without a conversion that could change them.
struct SQLiteCopyEnd: CopyEnd {
    let database: Database
    let path: String

    private func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw StoreError.translating(error, path: path) }
    }

    func run(_ sql: String) throws {
        try naming { try database.execute(sql: sql) }
    }

    // MARK: The catalogue

    func tables() throws -> [CopyTable] {
        try naming {
            try Row.fetchAll(database, sql: Self.selectTables).compactMap { row in
                let (name, type, sql): (String, String, String) = (row[0], row[1], row[2])
                let tokens = SQLToken.tokens(of: sql)
                guard type == "virtual" else { return try table(name, tokens) }
                guard !Self.hasContentElsewhere(tokens) else { return nil }
                let columns = try String.fetchAll(
                    database,
                    sql: "SELECT name FROM pragma_table_info(?)",
                    arguments: [name]
                )
                return CopyTable(name: name, columns: ["rowid"] + columns, key: ["rowid"])
            }
        }
    }

    /// Shadow tables, which virtual tables fill, have a type of their own.
    private static let selectTables = """
        SELECT list.name, list.type, entry.sql FROM pragma_table_list AS list
        JOIN sqlite_schema AS entry ON entry.name = list.name AND entry.type = 'table'
        WHERE list.schema = 'main' AND list.type IN ('table', 'virtual')
            AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY list.name
        """

    /// Whether a full-text table has only an index of another table's rows, which triggers on that
    /// table maintain: FTS5's option `content`.
    private static func hasContentElsewhere(_ tokens: [SQLToken]) -> Bool {
        let words = tokens.filter { $0.kind != .space }
        return zip(words, words.dropFirst()).contains { $0.isWord("content") && $1.isSymbol("=") }
    }

    private func table(_ name: String, _ tokens: [SQLToken]) throws -> CopyTable {
        let columns = try Row.fetchAll(
            database,
            sql: "SELECT name, \"notnull\", pk FROM pragma_table_info(?)",
            arguments: [name]
        )
        let primary = columns.filter { ($0["pk"] as Int) > 0 }
            .sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
            .map { $0["name"] as String }
        let certain = Set(columns.filter { $0["notnull"] }.map { $0["name"] as String })
        return CopyTable(
            name: name,
            columns: columns.map { $0["name"] },
            key: primary.isEmpty ? try uniqueColumns(of: name, among: certain) : primary,
            numbered: tokens.contains { $0.isWord("autoincrement") } ? primary.first : nil
        )
    }

    private func uniqueColumns(of table: String, among certain: Set<String>) throws -> [String] {
        let indexes = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND partial = 0
                ORDER BY name
                """,
            arguments: [table]
        )
        for index in indexes {
            // The name is NULL for an expression.
            let columns = try String?.fetchAll(
                database,
                sql: "SELECT name FROM pragma_index_info(?) ORDER BY seqno",
                arguments: [index]
            )
            let names = columns.compactMap { $0 }
            if names.count == columns.count, certain.isSuperset(of: names) { return names }
        }
        return []
    }

    // MARK: Rows

    func read(_ step: CopyStep, _ body: ([CopyValue]) throws -> Void) throws {
        let sql = """
            SELECT \(CopyTable.quoted(step.columns)) FROM \(CopyTable.quoted(step.table))
            ORDER BY \(CopyTable.quoted(step.key))
            """
        let statement = try naming { try database.makeStatement(sql: sql) }
        let row = statement.sqliteStatement
        defer { sqlite3_reset(row) }
        let count = Int32(step.columns.count)
        while true {
            let code = sqlite3_step(row)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw failure(code, sql) }
                return
            }
            try body((0..<count).map { Self.value(row, $0) })
        }
    }

    private static func value(_ row: SQLiteStatement, _ column: Int32) -> CopyValue {
        switch sqlite3_column_type(row, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(row, column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(row, column))
        case SQLITE_TEXT: .text(bytes(row, column, sqlite3_column_text(row, column)))
        case SQLITE_BLOB: .blob(bytes(row, column, sqlite3_column_blob(row, column)))
        default: .null
        }
    }

    /// - Parameter address: nil for an empty value.
    private static func bytes(
        _ row: SQLiteStatement,
        _ column: Int32,
        _ address: UnsafeRawPointer?
    ) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(row, column))
        return [UInt8](UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : count))
    }

    func insert(
        _ step: CopyStep,
        _ body: (_ insert: ([CopyValue]) throws -> Void) throws -> Void
    ) throws {
        let places = step.columns.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            INSERT INTO \(CopyTable.quoted(step.table)) (\(CopyTable.quoted(step.columns)))
            VALUES (\(places))
            """
        let statement = try naming { try database.makeStatement(sql: sql) }
        let row = statement.sqliteStatement
        try body { values in
            var code = SQLITE_OK
            for (index, value) in values.enumerated() where code == SQLITE_OK {
                code = Self.bind(value, to: Int32(index + 1), of: row)
            }
            if code == SQLITE_OK { code = sqlite3_step(row) }
            guard code == SQLITE_DONE else {
                let error = failure(code, "\(sql) \(step.describeKey(of: values))")
                sqlite3_reset(row)
                throw error
            }
            sqlite3_reset(row)
        }
    }

    /// SQLite copies the bytes: the values of a row are not in one place.
    private static func bind(_ value: CopyValue, to index: Int32, of row: SQLiteStatement) -> Int32
    {
        switch value {
        case .null: return sqlite3_bind_null(row, index)
        case .integer(let value): return sqlite3_bind_int64(row, index, value)
        case .real(let value): return sqlite3_bind_double(row, index, value)
        case .text(let bytes):
            return (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { buffer in
                sqlite3_bind_text64(
                    row,
                    index,
                    buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UInt64(bytes.count),
                    copied,
                    UInt8(SQLITE_UTF8)
                )
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(row, index, 0) }
            return bytes.withUnsafeBytes { buffer in
                sqlite3_bind_blob64(row, index, buffer.baseAddress, UInt64(buffer.count), copied)
            }
        }
    }

    /// SQLITE_TRANSIENT, a macro.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func failure(_ code: Int32, _ sql: String) -> any Error {
        StoreError.translating(
            DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) },
                sql: sql
            ),
            path: path
        )
    }

    // MARK: Numbers

    func lastNumber(of table: CopyTable) throws -> Int64? {
        guard table.numbered != nil else { return nil }
        return try naming {
            try Int64.fetchOne(
                database,
                sql: "SELECT seq FROM sqlite_sequence WHERE name = ?",
                arguments: [table.name]
            )
        }
    }

    /// SQLite itself continues above the rows.
    func continueNumbers(of table: CopyTable, after number: Int64?) throws {
        guard table.numbered != nil, let number else { return }
        try naming {
            let update = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
            try database.execute(sql: update, arguments: [number, table.name])
            guard database.changesCount == 0 else { return }
            let insert = "INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)"
            try database.execute(sql: insert, arguments: [number, table.name])
        }
    }

    /// `hub.unsynced_boot` is NULL: the file is synced before it gets its name.
    func complete() throws {
        try naming {
            guard let row = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") else {
                return
            }
            let (table, parent): (String, String) = (row[0], row[2])
            throw DamagedValue("table \(table) has a row that refers to none of table \(parent)")
        }
    }
}
