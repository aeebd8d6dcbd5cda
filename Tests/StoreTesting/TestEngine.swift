import Expectations
import Foundation

@testable import Store

/// The engine of the tests' stores: SQLite, or PostgreSQL if the environment says `STORE=postgres`.
package enum TestEngine {
    /// The connection string of the tests' own PostgreSQL server; nil for stores in files.
    static let server: String? = {
        let environment = ProcessInfo.processInfo.environment
        return environment["STORE"] == "postgres" ? environment["POSTGRES"] : nil
    }()

    package static var isPostgres: Bool { server != nil }

    /// Where the store of a test's directory is: a file in it, or a schema of its name.
    package static func location(_ directory: String) -> String {
        guard let server else { return directory + "/varde.sqlite" }
        let name = directory.split(separator: "/").suffix(2).joined(separator: "_")
            .replacing("-", with: "").lowercased()
        return server + "&schema=" + name
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test of what only a file has.
    package static var needsFile: Self {
        .enabled(if: !TestEngine.isPostgres, "this store is not in a file")
    }
}

extension PostgresEngine {
    /// Runs a statement in a connection of its own, which blocks.
    func rows(_ sql: String) throws -> PostgresResult {
        let connection = try PostgresConnection(target.connection)
        try connection.execute("SET search_path = \(target.schema), pg_catalog")
        return try connection.run(sql)
    }

    fileprivate func rowCounts() throws -> [String: Int] {
        let tables = try rows(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = '\(target.schema)'::regnamespace AND relkind = 'r'
                AND relname NOT IN ('hub', 'migration', 'delivery_tally')
            """
        )
        var counts: [String: Int] = [:]
        for row in 0..<tables.rowCount {
            let table = try tables.text(row, 0) ?? ""
            counts[table] = Int(
                try rows("SELECT count(*) FROM \(table)").integer(0, 0) ?? 0
            )
        }
        return counts
    }
}

extension HubStore {
    /// Runs `body` with the writing connection, outside a transaction.
    package func onSession<Value: Sendable>(
        _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            engine.write { session in
                continuation.resume(with: Result { try body(session) })
            }
        }
    }

    /// Lets every write fail, as on a file that became read-only.
    package func setQueryOnly(_ isOn: Bool) async throws {
        guard TestEngine.isPostgres else {
            return try await pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA query_only = \(isOn ? "ON" : "OFF")")
            }
        }
        try await onSession { session in
            try session.run("SET default_transaction_read_only = \(isOn ? "on" : "off")")
        }
    }

    /// How many rows each table has, but for the hub's own row and the names of the schema's steps.
    package func rowCounts() throws -> [String: Int] {
        if let engine = engine as? PostgresEngine { return try engine.rowCounts() }
        return try fileRowCounts()
    }
}
