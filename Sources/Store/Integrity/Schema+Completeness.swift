import GRDB

extension Schema {
    /// The tables and indexes of the store's own steps, for files without those of domains; nil
    /// would be an error in these steps, which the tests find.
    private static let ownEntries = try? entries(of: ownMigrations)

    /// Refuses a file that lacks a table or an index, at the start and not at its first use.
    func checkComplete(_ database: Database) throws {
        let isOwn = migrations.count == Self.ownMigrations.count
        let needed = try isOwn ? Self.ownEntries ?? [] : Self.entries(of: migrations)
        // Tables first, since their indexes are missing with them.
        let missing = needed.subtracting(try Self.entries(of: database)).sorted(by: >)
        guard let first = missing.first else { return }
        throw DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: missing.count == 1
                ? "\(first) is missing" : "\(first) and \(missing.count - 1) more are missing"
        )
    }

    /// The names of all tables and indexes that the steps create, found by running them in memory.
    static func entries(of migrations: [Migration]) throws -> Set<String> {
        try DatabaseQueue().write { database in
            for migration in migrations { try database.execute(sql: migration.sql) }
            return try entries(of: database)
        }
    }

    static func entries(of database: Database) throws -> Set<String> {
        Set(
            try String.fetchAll(
                database,
                sql: "SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
            )
        )
    }
}
