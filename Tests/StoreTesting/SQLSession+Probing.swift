import GRDB
import GRDBSQLite

@testable import Store

/// What a statement costs, for the tests of tables: they see no type of the library underneath.
extension HubStore {
    /// The engine of a store in a file.
    var file: SQLiteEngine {
        guard let engine = engine as? SQLiteEngine else { preconditionFailure("no file") }
        return engine
    }

    package var pool: DatabasePool { file.pool }
}

extension SQLSession {
    /// The connection to the file.
    package var database: Database {
        guard case .sqlite(let database) = engine else { preconditionFailure("no file") }
        return database
    }

    /// Gives the next row of a table the id 1.
    package func beginIDsAgain(of table: String) throws {
        switch dialect {
        case .sqlite: try run("DELETE FROM sqlite_sequence WHERE name = '\(table)'")
        case .postgres: try run("ALTER TABLE \(table) ALTER COLUMN id RESTART WITH 1")
        }
    }

    /// The steps of a statement's plan. Every argument is 1.
    package func plan(of sql: String) throws -> [String] {
        let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
        let count = Int(sqlite3_bind_parameter_count(statement.sqliteStatement))
        let arguments = StatementArguments((0..<count).map { _ in 1 })
        return try Row.fetchAll(statement, arguments: arguments).map { $0["detail"] }
    }

    /// How many instructions of SQLite's machine `body` takes in these statements.
    package func steps<Value>(
        in statements: [String],
        _ body: () throws -> Value
    ) throws -> (value: Value, steps: Int) {
        let prepared = try statements.map {
            try database.cachedStatement(sql: $0).sqliteStatement
        }
        func total(reset: Int32) -> Int {
            prepared.reduce(0) {
                $0 + Int(sqlite3_stmt_status($1, SQLITE_STMTSTATUS_VM_STEP, reset))
            }
        }
        _ = total(reset: 1)
        let value = try body()
        return (value, total(reset: 0))
    }

    /// Calls `note` with every statement that the connection executes from now on, until
    /// `endTrace`.
    package func trace(_ note: @escaping @Sendable (String) -> Void) {
        database.trace { event in
            if case .statement(let statement) = event { note(statement.sql) }
        }
    }

    package func endTrace() {
        database.trace(options: [])
    }
}
