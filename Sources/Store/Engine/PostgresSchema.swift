/// Brings the tables in PostgreSQL up to date: the same named steps as in a file, in PostgreSQL's
/// dialect, and those that only PostgreSQL needs.
struct PostgresSchema {
    let target: PostgresTarget
    let migrations: [Migration]
    private let unused: Set<String>

    /// - Parameter unused: the names of steps of domains that are off.
    /// - Throws: `StoreError` for a domain whose tables only SQLite can have.
    init(
        _ target: PostgresTarget,
        adding domainMigrations: [Migration],
        unused: Set<String> = []
    ) throws {
        self.target = target
        self.unused = unused
        migrations = Schema.ownMigrations + Self.ownMigrations + domainMigrations
        for migration in domainMigrations where !unused.contains(migration.name) {
            guard migration.postgres == nil, PostgresDialect.needsSQLite(migration.sql) else {
                continue
            }
            throw StoreError(
                .cannotOpen,
                "the tables \(migration.name) need SQLite's full-text search: use a file",
                path: target.name
            )
        }
    }

    /// `hub.system`, `hub.timeline`: the server, and the timeline of its write-ahead log, in which
    /// the epoch holds.
    /// `hub.claims`: the number of starts so far, which differs if another hub ran meanwhile.
    ///
    /// `delivery_tally` counts messages by status, as `DeliveryTally` does in a file.
    private static let ownMigrations = [
        Migration(
            "postgres.1",
            sql: """
                ALTER TABLE hub ADD COLUMN system TEXT;
                ALTER TABLE hub ADD COLUMN timeline INTEGER;
                ALTER TABLE hub ADD COLUMN claims INTEGER NOT NULL DEFAULT 0;

                CREATE TABLE delivery_tally (
                    status INTEGER PRIMARY KEY, number INTEGER NOT NULL
                ) STRICT;
                INSERT INTO delivery_tally (status, number) VALUES (0, 0), (1, 0), (2, 0);

                CREATE FUNCTION delivery_tally_add() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE delivery_tally SET number = delivery_tally.number + added.number
                    FROM (SELECT status, count(*) AS number FROM new_rows GROUP BY status) AS added
                    WHERE delivery_tally.status = added.status;
                    RETURN NULL;
                END $$;
                CREATE FUNCTION delivery_tally_remove() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE delivery_tally SET number = delivery_tally.number - removed.number
                    FROM (SELECT status, count(*) AS number FROM old_rows GROUP BY status) AS removed
                    WHERE delivery_tally.status = removed.status;
                    RETURN NULL;
                END $$;
                CREATE FUNCTION delivery_tally_move() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE delivery_tally SET number = delivery_tally.number + moved.number
                    FROM (
                        SELECT status, sum(number) AS number FROM (
                            SELECT status, 1 AS number FROM new_rows
                            UNION ALL SELECT status, -1 FROM old_rows) AS change
                        GROUP BY status HAVING sum(number) <> 0) AS moved
                    WHERE delivery_tally.status = moved.status;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER delivery_added AFTER INSERT ON delivery
                    REFERENCING NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION delivery_tally_add();
                CREATE TRIGGER delivery_removed AFTER DELETE ON delivery
                    REFERENCING OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION delivery_tally_remove();
                CREATE TRIGGER delivery_moved AFTER UPDATE ON delivery
                    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION delivery_tally_move();
                """
        ),
        inbox, cluster, upgrade, attempts,
    ]

    /// Makes the schema if there is none, and runs the steps of the plan, all in one transaction.
    ///
    /// - Parameter isShared: whether other nodes may run on the schema meanwhile.
    /// - Parameter claim: claims the schema before a table is made or changed, and is passed the step
    ///   for which this has to be the only hub, if there is one.
    /// - Returns: the names of the steps that are not used, and that the schema has not had.
    /// - Throws: `StoreError` for tables of another application or of a later version; nothing is
    ///   changed then.
    func migrate(
        _ connection: PostgresConnection,
        isShared: Bool = false,
        claim: (PostgresConnection, _ alone: Migration?) throws -> Void
    ) throws -> Set<String> {
        try connection.execute("BEGIN")
        do {
            try create(connection)
            // Only looks: a table of another transaction under way would block it, and the claim
            // would not be refused.
            let applied = try storedNames(connection) ?? []
            let pending = pending(applied)
            let plan =
                isShared
                ? UpgradePlan(pending, applied: applied, isKnown: try knownSteps(connection))
                : UpgradePlan(alone: pending)
            try claim(connection, plan.alone)
            _ = try appliedNames(connection, isShared: isShared)
            try run(plan.steps, withOthers: isShared && plan.alone == nil, connection)
            try connection.execute("COMMIT")
            return unused.subtracting(applied)
        } catch {
            _ = try? connection.execute("ROLLBACK")
            throw error
        }
    }

    func uses(_ domain: Substring) -> Bool {
        migrations.contains {
            Migration.domain(of: $0.name) == domain && !unused.contains($0.name)
        }
    }

    private func pending(_ applied: Set<String>) -> [Migration] {
        migrations.filter { !applied.contains($0.name) && !unused.contains($0.name) }
    }

    /// Makes the schema if there is none. Of several hubs that start together, the others wait for
    /// the end of the transaction.
    ///
    /// Looks first: `CREATE SCHEMA IF NOT EXISTS` needs the right to create one even if it exists.
    func create(_ connection: PostgresConnection) throws(PostgresError) {
        try connection.execute("SELECT pg_advisory_xact_lock(\(Self.lock))")
        let found = try connection.run(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)",
            Self.arguments(target.schema)
        )
        guard try found.integer(0, 0) == 0 else { return }
        try connection.execute("CREATE SCHEMA \(target.schema)")
    }

    /// Runs the steps that the schema has not had, inside a transaction.
    func runSteps(_ connection: PostgresConnection) throws {
        try run(pending(appliedNames(connection)), withOthers: false, connection)
    }

    /// - Parameter withOthers: whether other nodes run meanwhile, and can start again.
    private func run(
        _ steps: [Migration],
        withOthers: Bool,
        _ connection: PostgresConnection
    ) throws {
        if withOthers, !steps.isEmpty { try connection.execute(Self.limitWaiting) }
        for step in steps {
            do throws(PostgresError) {
                try connection.execute(PostgresDialect.schema(step.postgres ?? step.sql))
            } catch {
                guard error.state == .lockNotAvailable else { throw error }
                throw StoreError(
                    .locked,
                    "the migration \(step.name) waits for another transaction, such as a backup: "
                        + "start again after it",
                    path: target.name
                )
            }
            try connection.run(Self.note, Self.arguments(step.name))
        }
        for step in steps where step.phase == .expand {
            try connection.run(Self.noteExpansion, Self.arguments(step.name))
        }
    }

    /// The writers of other nodes queue behind a step that waits for a table.
    private static let limitWaiting = "SET LOCAL lock_timeout = 2000"
    private static let note = "INSERT INTO migration (name) VALUES ($1)"
    private static let noteExpansion = "UPDATE migration SET expands = 1 WHERE name = $1"

    private static func arguments(_ text: String) -> PostgresArguments {
        var arguments = PostgresArguments()
        arguments.append(text)
        return arguments
    }

    /// A number that only hubs use for this: "Vard" in ASCII.
    private static let lock = Schema.applicationID

    /// The names in the table of steps; nil if there is none.
    private func storedNames(_ connection: PostgresConnection) throws -> Set<String>? {
        let exists = try connection.run("SELECT to_regclass('migration') IS NOT NULL")
        guard try exists.integer(0, 0) == 1 else { return nil }
        let rows = try connection.run("SELECT name FROM migration")
        return try Set((0..<rows.rowCount).compactMap { try rows.text($0, 0) })
    }

    /// The names of the steps that the schema has had.
    ///
    /// - Parameter isShared: whether steps of the next release that this one does not notice are
    ///   accepted.
    /// - Throws: `StoreError` for tables of another application or of a later version.
    func appliedNames(
        _ connection: PostgresConnection,
        isShared: Bool = false
    ) throws -> Set<String> {
        let tables = try connection.run(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')
            """,
            Self.arguments(target.schema)
        )
        let names = try Set((0..<tables.rowCount).compactMap { try tables.text($0, 0) })
        guard names.contains("migration") else {
            guard names.isEmpty else {
                throw StoreError(
                    .foreignDatabase,
                    "schema \(target.schema) has \(names.count) tables of another application",
                    path: target.name
                )
            }
            try connection.execute(PostgresDialect.schema(Schema.nameTable))
            return []
        }
        let applied = try storedNames(connection) ?? []
        let unnoticed = isShared ? try unnoticed(applied, connection) : []
        let unknown = applied.subtracting(migrations.map(\.name)).subtracting(unnoticed).sorted()
        guard unknown.isEmpty else {
            throw StoreError(
                .newerSchema,
                "this hub does not have the migrations \(unknown.joined(separator: ", ")) of the database",
                path: target.name
            )
        }
        return applied
    }
}
