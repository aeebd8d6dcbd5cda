import GRDB

/// The tables, and the migration from those of a file to those that this hub needs.
///
/// The schema is the sum of named steps (`Migration`): the store's own, and those that domains add.
/// Table `migration` has the names of the steps that were run in the file. The file's header has
/// the application's ID and a version (`PRAGMA user_version`). Versions 1 to 6 counted the steps,
/// in files without names: each step states the first of them that contains it
/// (`Migration.sinceVersion`). From version 7 on the names are used, and the version changes only
/// with their table.
///
/// A file of another application, of a later version, or with a step or a table unknown to this hub
/// is refused before a byte of it is written.
struct Schema {
    /// "Vard" in ASCII.
    static let applicationID: Int32 = 0x5661_7264

    static let version = 7

    /// The store's own steps, in the order in which they run in a new file.
    static let ownMigrations = [
        Migration("core.1", sql: core1, sinceVersion: 1),
        Migration("core.2", sql: core2, sinceVersion: 2),
        Migration("core.3", sql: core3, sinceVersion: 3),
        Migration("core.4", sql: core4, sinceVersion: 4),
        Migration("core.5", sql: core5, sinceVersion: 5),
        Migration("core.6", sql: core6, sinceVersion: 6),
        Migration("core.7", sql: core7, phase: .expand),
        Migration("core.8", sql: core8, phase: .expand),
    ]

    /// The versions that counted the steps.
    static let numberedVersions = 1...6

    /// All steps, in the order in which they run.
    let migrations: [Migration]

    /// - Parameter domainMigrations: run after the store's own.
    init(adding domainMigrations: [Migration] = []) {
        migrations = Self.ownMigrations + domainMigrations
        precondition(
            Set(migrations.map(\.name)).count == migrations.count,
            "two migrations of one name"
        )
    }

    /// Refuses files that are not ours. Called for each connection, before anything is written.
    func check(_ database: Database, path: String) throws {
        let found = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let foundVersion = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found != Self.applicationID else {
            return try check(database, version: foundVersion, path: path)
        }
        let tableCount = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard found == 0, foundVersion == 0, tableCount == 0 else {
            throw StoreError(
                .foreignDatabase,
                "database of another application (application_id \(found), \(tableCount) schema entries)",
                path: path
            )
        }
    }

    private func check(_ database: Database, version found: Int, path: String) throws {
        // The version comes from the file's header, which can be damaged.
        guard found >= 0 else {
            throw StoreError(.corrupt, "schema version is \(found)", path: path)
        }
        guard found <= Self.version else {
            throw StoreError(
                .newerSchema,
                "schema version \(found) is newer than \(Self.version), the newest of this hub",
                path: path
            )
        }
        guard found == Self.version else {
            return try checkTables(database, version: found, path: path)
        }
        let unknown = try appliedNames(in: database).subtracting(migrations.map(\.name)).sorted()
        guard unknown.isEmpty else {
            throw StoreError(
                .newerSchema,
                "this hub does not have the migrations \(unknown.joined(separator: ", ")) of the database",
                path: path
            )
        }
    }

    /// A file of a numbered version lists no steps, so an unknown step is detected by its tables.
    private func checkTables(_ database: Database, version: Int, path: String) throws {
        guard Self.numberedVersions.contains(version) else { return }
        let known = try Self.entries(of: migrations(ofVersion: version))
        let unknown = try Self.entries(of: database).subtracting(known)
            .filter { $0.hasPrefix("table ") }.map { $0.dropFirst("table ".count) }.sorted()
        guard unknown.isEmpty else {
            throw StoreError(
                .newerSchema,
                "this hub does not have the tables \(unknown.joined(separator: ", ")) of the database",
                path: path
            )
        }
    }

    /// The steps that files of a numbered version have run.
    private func migrations(ofVersion version: Int) -> [Migration] {
        migrations.filter { migration in migration.sinceVersion.map { $0 <= version } ?? false }
    }

    /// Runs the steps that the file has not run, all in one transaction.
    func migrate(_ database: Database) throws {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if found == Self.version {
            let applied = try appliedNames(in: database)
            guard migrations.contains(where: { !applied.contains($0.name) }) else { return }
        }
        try database.inTransaction(.immediate) {
            if found < Self.version { try beginNames(in: database, version: found) }
            let applied = try appliedNames(in: database)
            for migration in migrations where !applied.contains(migration.name) {
                try database.execute(sql: migration.sql)
                try Self.note(migration.name, in: database)
            }
            try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(Self.version)")
            return .commit
        }
    }

    /// Creates the table of names, with the steps that a file of a numbered version has run.
    private func beginNames(in database: Database, version: Int) throws {
        try database.execute(sql: Self.nameTable)
        for migration in migrations(ofVersion: version) {
            try Self.note(migration.name, in: database)
        }
    }

    /// The names of the steps that the file has run.
    func appliedNames(in database: Database) throws -> Set<String> {
        Set(try String.fetchAll(database, sql: "SELECT name FROM migration"))
    }

    private static func note(_ name: String, in database: Database) throws {
        try database.execute(sql: "INSERT INTO migration (name) VALUES (?)", arguments: [name])
    }

    static let nameTable =
        "CREATE TABLE migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"
}
