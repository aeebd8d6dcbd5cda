import GRDB

extension Schema {
    /// Of all tables and indexes that the steps make; nil would be a fault in the steps, which the tests find.
    private static let entries: Set<String>? = {
        guard let memory = try? DatabaseQueue() else { return nil }
        return try? memory.write { database in
            for step in steps { try database.execute(sql: step) }
            return try entries(of: database)
        }
    }()

    /// Refuses a file that lacks a table or an index, at the start and not at the first request for it.
    static func checkComplete(_ database: Database) throws {
        // Tables first: they take their indexes along.
        let missing = (entries ?? []).subtracting(try entries(of: database)).sorted(by: >)
        guard let first = missing.first else { return }
        throw DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: missing.count == 1
                ? "\(first) is missing" : "\(first) and \(missing.count - 1) more are missing"
        )
    }

    private static func entries(of database: Database) throws -> Set<String> {
        Set(
            try String.fetchAll(
                database,
                sql: "SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
            )
        )
    }
}
