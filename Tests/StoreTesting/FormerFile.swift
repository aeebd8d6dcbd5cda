import Foundation
import GRDB

@testable import Store

/// A file of a former, numbered version of the schema: `Tests/Store/Fixtures` has one of each with a row in
/// every table; `make-fixtures.py` made them.
package enum FormerFile {
    package static let versions = [1, 2, 3, 4, 5, 6]

    /// The names of the columns, by table.
    package typealias Columns = [String: [String]]
    /// The rows as SQL literals, by table.
    package typealias Rows = [String: [String]]

    /// Copies the file to where `openStore` looks for it.
    package static func copy(_ version: Int, to directory: String) throws {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Store/Fixtures/version\(version).sqlite")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: directory + "/varde.sqlite")
    }

    /// Executes statements in a file that no store has open.
    package static func execute(_ sql: String, in directory: String) throws {
        let queue = try DatabaseQueue(path: directory + "/varde.sqlite")
        defer { try? queue.close() }
        try queue.write { try $0.execute(sql: sql) }
    }

    /// The columns and rows of all tables but the hub's own row, which has what changes with every start.
    package static func contents(_ directory: String) throws -> (Columns, Rows) {
        let queue = try DatabaseQueue(path: directory + "/varde.sqlite")
        defer { try? queue.close() }
        return try queue.read { database in
            let names = try columns(database).filter { $0.key != "hub" }
            return (names, try rows(database, of: names))
        }
    }

    /// What the header of a file that no store has open says.
    package static func version(_ directory: String) throws -> Int? {
        let queue = try DatabaseQueue(path: directory + "/varde.sqlite")
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }

    private static func columns(_ database: Database) throws -> Columns {
        let tables = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'"
        )
        var columns: Columns = [:]
        for table in tables {
            columns[table] = try String.fetchAll(
                database,
                sql: "SELECT name FROM pragma_table_info(?)",
                arguments: [table]
            )
        }
        return columns
    }

    fileprivate static func rows(_ database: Database, of columns: Columns) throws -> Rows {
        var rows: Rows = [:]
        for (table, names) in columns {
            let values = names.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            rows[table] = try String.fetchAll(
                database,
                sql: "SELECT \(values) FROM \"\(table)\" ORDER BY 1"
            )
        }
        return rows
    }
}

extension HubStore {
    package func rows(of columns: FormerFile.Columns) throws -> FormerFile.Rows {
        try pool.read { try FormerFile.rows($0, of: columns) }
    }

    /// All entries of the schema, whatever the spaces of their statements.
    package func schemaEntries() throws -> [String] {
        let entries = try pool.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT type || ' ' || name || ' on ' || tbl_name || ': ' || coalesce(sql, '')
                    FROM sqlite_schema ORDER BY type, name
                    """
            )
        }
        return entries.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    /// The steps of the schema that were run in the file.
    package func migrationNames() throws -> Set<String> {
        try pool.read { Set(try String.fetchAll($0, sql: "SELECT name FROM migration")) }
    }

    package func schemaVersion() throws -> Int? {
        try pool.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
}
