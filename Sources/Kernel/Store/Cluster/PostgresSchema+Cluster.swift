/// The tables of a cluster, which several nodes write.
///
/// `batch`: see `SharedLog`. Batches that every node has applied are deleted, except for the newest.
/// `node`: one row for each process, with the number of the last batch that it has applied.
/// `hub.unreplicated_timeline`: the last timeline in which a commit did not wait for a standby.
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
}
