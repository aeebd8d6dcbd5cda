/// The tables of a cluster, which several nodes write.
///
/// `batch`: see `SharedLog`. Batches that every node has applied are deleted, except for the newest.
/// `node`: one row for each process, with the number of the last batch that it has applied.
/// `hub.unreplicated_timeline`: the timeline in which a commit did not wait for a standby, until one
/// that did: `ReplicationMark`.
/// `lease`: what only one node does at a time. Its term grows with each change of the holder.
extension PostgresSchema {
    static let cluster = Migration(
        "postgres.3",
        sql: """
            ALTER TABLE hub ADD COLUMN unreplicated_timeline INTEGER;

            CREATE TABLE batch (
                number INTEGER PRIMARY KEY,
                process TEXT NOT NULL,
                last_cursor INTEGER NOT NULL,
                records BLOB NOT NULL
            ) STRICT;

            CREATE TABLE node (
                process TEXT PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                version TEXT NOT NULL,
                applied INTEGER NOT NULL,
                started_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
                seen_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
            ) STRICT;

            CREATE TABLE lease (
                name TEXT PRIMARY KEY,
                process TEXT NOT NULL,
                node TEXT NOT NULL,
                term INTEGER NOT NULL,
                until TIMESTAMPTZ NOT NULL
            ) STRICT;
            """
    )

    /// `migration.expands`: whether nodes of the release before can run and start with it.
    /// `node.contracts`: the steps that contract the schema and that the node has, with commas
    /// between them. `node.log_version`: the newest format of the log that the node reads.
    static let upgrade = Migration(
        "postgres.4",
        sql: """
            ALTER TABLE migration ADD COLUMN expands INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE node ADD COLUMN contracts TEXT NOT NULL DEFAULT '';
            ALTER TABLE node ADD COLUMN log_version INTEGER NOT NULL DEFAULT 1;
            """,
        phase: .expand
    )

    /// `batch.attempt`: the number of the transaction that wrote it, of those of its process.
    static let attempts = Migration(
        "postgres.5",
        sql: "ALTER TABLE batch ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;",
        phase: .expand
    )

    /// The steps that nodes of this release tell others that they have.
    var contracts: String {
        migrations.filter { $0.phase == .contract }.map(\.name).joined(separator: ",")
    }

    /// The steps of the next release that this node does not notice: those that expand, and those of
    /// domains that it does not use.
    func unnoticed(
        _ applied: Set<String>,
        _ connection: PostgresConnection
    ) throws -> Set<String> {
        let rows = try connection.run(
            "SELECT name FROM migration WHERE (to_jsonb(migration) ->> 'expands')::integer = 1"
        )
        let expansions = try Set((0..<rows.rowCount).compactMap { try rows.text($0, 0) })
        return applied.filter { expansions.contains($0) || !uses(Migration.domain(of: $0)) }
    }

    /// Returns whether every running node has a step.
    func knownSteps(_ connection: PostgresConnection) throws -> (Migration) -> Bool {
        var arguments = PostgresArguments()
        arguments.append(Int64(Schema.applicationID))
        arguments.append(target.schema)
        // A node claims the schema before it has a row.
        let claims = try connection.run(
            """
            SELECT count(*) FROM pg_locks
            WHERE locktype = 'advisory' AND granted AND classid = $1::bigint::oid
                AND objid = $2::text::regnamespace::oid AND objsubid = 2
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """,
            arguments
        )
        let running = Int(try claims.integer(0, 0) ?? 0)
        let exists = try connection.run("SELECT to_regclass('node') IS NOT NULL")
        guard running > 0, try exists.integer(0, 0) == 1 else { return { _ in running == 0 } }
        // A node notes once a second that it lives.
        let nodes = try connection.run(
            """
            SELECT coalesce(to_jsonb(node) ->> 'contracts', '') FROM node
            WHERE seen_at > clock_timestamp() - interval '10 seconds'
            """
        )
        let known = try (0..<nodes.rowCount).map { row in
            Set((try nodes.text(row, 0) ?? "").split(separator: ","))
        }
        return { step in
            running <= known.count && known.allSatisfy { $0.contains(Substring(step.name)) }
        }
    }
}
