extension PostgresCopyEnd {
    /// A store that is copied may be silent for as long as the other one is read or written, and
    /// a server may take no bytes while it writes a checkpoint: neither is a broken network.
    private static func connect(_ target: PostgresTarget) throws(PostgresError)
        -> PostgresConnection
    {
        let connection = try PostgresEngine.connect(
            target,
            defaults: PostgresEngine.defaults.filter { $0.0 != "tcp_user_timeout" },
            watchedBy: PostgresEngine.watchdog(target, nil)
        )
        try connection.execute(
            "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"
        )
        return connection
    }

    /// Ends the transaction, the claim and the connection.
    private static func release(_ connection: PostgresConnection) {
        _ = try? connection.execute("ROLLBACK")
        PostgresEngine.release(connection)
        connection.close()
    }

    // MARK: Source

    /// Passes a store to `body` that no hub uses. Nothing in it is changed.
    static func withSource(
        _ target: PostgresTarget,
        _ migrations: [Migration],
        _ body: (PostgresCopyEnd) throws -> Void
    ) throws {
        do {
            let connection = try connect(target)
            defer { release(connection) }
            try PostgresEngine.check(connection, target)
            let table = try connection.run("SELECT to_regclass('migration')::oid")
            guard !table.isNull(0, 0) else {
                throw StoreError(
                    .cannotOpen,
                    "schema \(target.schema) has no store",
                    path: target.name
                )
            }
            try PostgresEngine.claim(connection, target)
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let schema = try schema(target, migrations)
            try StoreCopy.checkSteps(
                schema.appliedNames(connection),
                of: schema.migrations,
                path: target.name
            )
            try checkPlace(connection, target)
            try checkInbox(connection, target)
            try body(PostgresCopyEnd(connection, target))
        } catch {
            throw StoreError.translating(error, path: target.name)
        }
    }

    private static func schema(
        _ target: PostgresTarget,
        _ migrations: [Migration]
    ) throws -> PostgresSchema {
        try PostgresSchema(
            target,
            adding: migrations,
            unused: StoreCopy.unusedInPostgres(migrations)
        )
    }

    /// - Throws: if the epoch does not hold on this server.
    private static func checkPlace(
        _ connection: PostgresConnection,
        _ target: PostgresTarget
    ) throws {
        let row = try connection.run("SELECT system, timeline FROM hub")
        guard row.rowCount == 1 else { throw DamagedValue("no identity in table hub") }
        let place = try PostgresPlace.current(connection)
        guard try row.text(0, 0) == place.system, try row.integer(0, 1) == place.timeline else {
            throw StoreCopy.mayLackCommits(path: target.name)
        }
    }

    /// - Throws: if applications have publications in the inbox that no hub has taken.
    private static func checkInbox(
        _ connection: PostgresConnection,
        _ target: PostgresTarget
    ) throws {
        guard try connection.run("SELECT EXISTS (SELECT FROM inbox)").integer(0, 0) == 1 else {
            return
        }
        throw StoreError(
            .cannotOpen,
            "publications from SQL wait in the table inbox: start the hub on it once, and stop it",
            path: target.name
        )
    }

    // MARK: Target

    /// Passes a store to `body` that is committed when `body` has returned. If it throws, there are
    /// no tables.
    ///
    /// - Throws: also, before a table is made, if the schema has any, or a hub uses it.
    static func withTarget(
        _ target: PostgresTarget,
        _ migrations: [Migration],
        _ body: (PostgresCopyEnd) throws -> Void
    ) throws {
        do {
            let session = try PostgresSession { try connect(target) }
            defer {
                release(session.connection)
                session.close()
            }
            try PostgresEngine.check(session.connection, target)
            let schema = try schema(target, migrations)
            try session.begin()
            try schema.create(session.connection)
            try PostgresEngine.claim(session.connection, target)
            try checkEmpty(session.connection, target)
            // Hubs on other schemas of this database start only when the schema was made.
            try session.commit()
            try session.begin()
            try schema.runSteps(session.connection)
            let references = try dropReferences(session.connection)
            try body(PostgresCopyEnd(session.connection, target, references: references))
            try commit(session, target)
        } catch {
            throw StoreError.translating(error, path: target.name)
        }
    }

    private static func checkEmpty(
        _ connection: PostgresConnection,
        _ target: PostgresTarget
    ) throws {
        let entries = try connection.run(
            "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
        )
        guard try entries.integer(0, 0) == 0 else {
            throw StoreError(
                .cannotOpen,
                """
                schema \(target.schema) has tables, and a copy replaces none: drop it, or choose \
                another one with the parameter schema
                """,
                path: target.name
            )
        }
    }

    /// Drops the foreign keys. Made again when all rows are there, they need no order of the tables
    /// and no check of each row.
    private static func dropReferences(_ connection: PostgresConnection) throws -> [Reference] {
        let rows = try connection.run(
            """
            SELECT class.relname::text, entry.conname::text, pg_get_constraintdef(entry.oid)
            FROM pg_constraint AS entry JOIN pg_class AS class ON class.oid = entry.conrelid
            WHERE class.relnamespace = current_schema()::regnamespace AND entry.contype = 'f'
            """
        )
        return try (0..<rows.rowCount).map { row in
            let reference = Reference(
                table: try rows.text(row, 0) ?? "",
                name: try rows.text(row, 1) ?? "",
                definition: try rows.text(row, 2) ?? ""
            )
            try connection.execute(
                """
                ALTER TABLE \(CopyTable.quoted(reference.table))
                DROP CONSTRAINT \(CopyTable.quoted(reference.name))
                """
            )
            return reference
        }
    }

    /// Commits, and asks the server for the outcome if it does not answer.
    static func commit(_ session: PostgresSession, _ target: PostgresTarget) throws {
        do {
            try session.commit()
        } catch  where error.code == .noConnection {
            guard let question = session.question(nil) else { throw error }
            switch session.fate(of: question, within: PostgresSession.fateWaitMax) {
            case .committed: return
            case .lost: throw error
            case .undone, .open, .never:
                throw StoreError(
                    .fateUnknown,
                    "the connection was lost during the commit: the schema has no table or all rows",
                    path: target.name
                )
            }
        }
    }
}
