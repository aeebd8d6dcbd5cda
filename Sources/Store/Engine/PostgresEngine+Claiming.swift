/// The requirements of a hub for its server, and the claim that excludes other hubs from its schema.
extension PostgresEngine {
    /// - Throws: `StoreError` for a server that is too old or that loses commits by its settings, and
    ///   for a database that cannot have all texts.
    static func check(_ connection: PostgresConnection, _ target: PostgresTarget) throws {
        guard connection.serverVersion >= 150_000 else {
            throw StoreError(
                .cannotOpen,
                "PostgreSQL \(connection.serverVersion / 10_000) is too old: 15 or later is needed",
                path: target.name
            )
        }
        let encoding = try connection.run("SHOW server_encoding").text(0, 0) ?? ""
        guard encoding == "UTF8" else {
            throw StoreError(
                .cannotOpen,
                "the database has the encoding \(encoding): create one with ENCODING 'UTF8'",
                path: target.name
            )
        }
        for setting in ["fsync", "synchronous_commit"] {
            let value = try connection.run("SHOW \(setting)").text(0, 0)
            guard value != "off" else {
                throw StoreError(
                    .cannotOpen,
                    "\(setting) is off: the server would lose commits that were acknowledged",
                    path: target.name
                )
            }
        }
        guard try connection.run("SELECT pg_is_in_recovery()").integer(0, 0) == 0 else {
            throw StoreError(
                .readOnly,
                "the server is a standby: add target_session_attrs=read-write to the URL",
                path: target.name
            )
        }
    }

    /// Returns the roles that may connect to the database without a right to the schema of the hub:
    /// `PUBLIC`, or the first few names. Nil if there are none.
    ///
    /// Owners and superusers of the database are left out: no right keeps them away.
    static func strangers(
        _ connection: PostgresConnection,
        _ target: PostgresTarget
    ) throws -> String? {
        var schema = PostgresArguments()
        schema.append(target.schema)
        return try connection.run(selectStrangers, schema).text(0, 0)
    }

    private static let selectStrangers = """
        SELECT CASE WHEN has_database_privilege('public', current_database(), 'CONNECT')
            THEN 'PUBLIC' ELSE (
                SELECT string_agg(name, ', ') FROM (
                    SELECT rolname::text AS name FROM pg_roles, pg_database
                    WHERE datname = current_database() AND rolcanlogin AND NOT rolsuper
                        AND rolname <> current_user
                        AND has_database_privilege(pg_roles.oid, pg_database.oid, 'CONNECT')
                        AND NOT has_schema_privilege(pg_roles.oid, $1, 'USAGE')
                        AND NOT pg_has_role(pg_roles.oid, datdba, 'MEMBER')
                    ORDER BY rolname LIMIT 5) AS stranger) END
        """

    /// The state of the database at the start of the hub.
    struct Start {
        var place: PostgresPlace
        var claims: Int64?
        var epoch: String
    }

    static func claims(_ connection: PostgresConnection) throws(PostgresError) -> Int64? {
        try connection.run("SELECT claims FROM hub").integer(0, 0)
    }

    /// - Throws: `gone` for a server on which the epoch does not hold, because it may lack commits;
    ///   and for a schema that another hub has used since, because it may have commits that this
    ///   one does not have in memory.
    /// - Parameter applied: the last batch that this node of a cluster has applied; nil without a
    ///   cluster.
    /// - Returns: the place in which the epoch holds now.
    static func check(
        _ connection: PostgresConnection,
        _ target: PostgresTarget,
        against start: Start,
        _ applied: LogPlace?
    ) throws -> PostgresPlace {
        let place = start.place
        let current = try PostgresPlace.current(connection)
        let isKept =
            try current == place
            || applied.map { try hasLostNothing(connection, current, since: start, $0) } ?? false
        guard isKept else {
            if let applied { try endEpochIfLost(connection, current, since: start, applied) }
            throw StoreError(
                .gone,
                "the server is \(current) instead of \(place): restart the hub, which begins a new epoch",
                path: target.name
            )
        }
        guard try claims(connection) == start.claims else {
            throw StoreError(
                .gone,
                "another hub has used schema \(target.schema) meanwhile: restart this hub",
                path: target.name
            )
        }
        return current
    }

    /// Whether a promoted standby has every commit that was acknowledged. If it has, the epoch holds
    /// in its timeline from now on.
    ///
    /// It has if every commit waited for a synchronous standby, and if this node, which has lived
    /// through it, finds the last batch that it has applied. The latter is false for a standby that
    /// was not the synchronous one, and for a backup of an earlier time.
    private static func hasLostNothing(
        _ connection: PostgresConnection,
        _ current: PostgresPlace,
        since start: Start,
        _ applied: LogPlace
    ) throws -> Bool {
        guard current.isLater(than: start.place) else { return false }
        var arguments = PostgresArguments()
        arguments.append(current.timeline)
        arguments.append(start.place.timeline)
        arguments.append(start.epoch)
        arguments.append(applied.number)
        arguments.append(Int64(applied.lastCursor))
        arguments.append(applied.writer.process)
        arguments.append(applied.writer.attempt)
        let updated = try connection.run(
            """
            UPDATE hub SET timeline = $1
            WHERE (timeline = $2 AND unreplicated_timeline IS DISTINCT FROM $2 OR timeline = $1)
                AND epoch = $3
                AND EXISTS (SELECT FROM batch WHERE number = $4 AND last_cursor = $5
                    AND process = $6 AND attempt = $7)
            """,
            arguments
        )
        return updated.changedRows == 1
    }

    /// Ends the epoch for all nodes if the promoted standby lacks a commit of it, which this node has
    /// applied: the mark that this commit did not wait is lost together with it, so a node that has not
    /// seen the commit may have vouched for the timeline.
    private static func endEpochIfLost(
        _ connection: PostgresConnection,
        _ current: PostgresPlace,
        since start: Start,
        _ applied: LogPlace
    ) throws {
        guard current.isLater(than: start.place) else { return }
        let result = try connection.run([SharedLog.snapshotCommand(at: applied)])[0]
        let snapshot = try SharedLog.snapshot(result, at: applied)
        guard !snapshot.has(applied, of: start.epoch) else { return }
        var arguments = PostgresArguments()
        arguments.append(start.epoch)
        try connection.run("UPDATE hub SET timeline = NULL WHERE epoch = $1", arguments)
    }

    /// Claims the schema until the connection ends: only for this process, or for the nodes of a
    /// cluster.
    ///
    /// - Parameter patience: the server takes a moment to end the connections of a hub that stopped.
    static func claim(
        _ connection: PostgresConnection,
        _ target: PostgresTarget,
        isShared: Bool = false,
        within patience: Duration = .seconds(5)
    ) throws {
        let function = isShared ? "pg_advisory_lock_shared" : "pg_advisory_lock"
        let milliseconds = max(1, patience.wholeMilliseconds)
        do throws(PostgresError) {
            try connection.execute("SET lock_timeout = \(milliseconds)")
            try connection.run(
                "SELECT \(function)(\(claimKey(target)))"
            )
            try connection.execute("SET lock_timeout = 0")
        } catch {
            guard error.state == .lockNotAvailable else { throw error }
            throw StoreError(
                .locked,
                isShared
                    ? "schema \(target.schema) is in use: a hub without cluster runs on it"
                    : "schema \(target.schema) is in use: another hub runs on it",
                path: target.name
            )
        }
    }

    private static func claimKey(_ target: PostgresTarget) -> String {
        "\(Schema.applicationID), '\(target.schema)'::regnamespace::integer"
    }

    /// Reduces the claim of this process to that of a node, so that other nodes can start.
    static func share(_ connection: PostgresConnection, _ target: PostgresTarget) throws {
        try connection.run("SELECT pg_advisory_lock_shared(\(claimKey(target)))")
        try connection.run("SELECT pg_advisory_unlock(\(claimKey(target)))")
    }

    /// Ends the claim, if the connection is there. The server would notice only later that it was
    /// closed, and until then refuse the next hub.
    static func release(_ connection: PostgresConnection) {
        _ = try? connection.run("SELECT pg_advisory_unlock_all()")
    }
}
