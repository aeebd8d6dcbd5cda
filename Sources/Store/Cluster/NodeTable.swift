/// The statements on table `node`, in PostgreSQL's dialect.
enum NodeTable {
    /// A node that was not seen for so long counts as dead: its batches are no longer kept for it.
    static let deadAfter = Duration.seconds(300)

    /// Claims the node's name until the connection ends.
    private static let claim = """
        SELECT pg_try_advisory_lock(
            \(Schema.applicationID + 2), hashtext(current_schema() || '/' || $1))
        """
    /// The row of the process before, which had the same name.
    private static let forget = "DELETE FROM node WHERE name = $1 AND process <> $2"
    private static let note = """
        INSERT INTO node (process, name, version, applied, contracts, log_version)
        VALUES ($1, $2, $3, $4, $5, \(LogCoding.version))
        ON CONFLICT (process) DO UPDATE SET
            applied = excluded.applied, seen_at = clock_timestamp()
        """
    private static let leave = "DELETE FROM node WHERE process = $1"
    /// The newest batch stays: the next one has the number after it.
    private static let trim = """
        DELETE FROM batch WHERE number < least(
            (SELECT max(number) FROM batch),
            (SELECT min(applied) FROM node
                WHERE seen_at > clock_timestamp() - $1 * interval '1 millisecond'))
        """

    /// - Returns: false if another process has the name.
    static func claim(
        _ name: String,
        process: String,
        in connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        var arguments = PostgresArguments()
        arguments.append(name)
        let result = try connection.run(claim, arguments)
        guard try result.integer(0, 0) == 1 else { return false }
        arguments.append(process)
        try connection.run(forget, arguments)
        return true
    }

    /// Notes that the process lives, and what it has applied.
    ///
    /// - Parameter contracts: `PostgresSchema.contracts`.
    static func note(
        _ options: ClusterOptions,
        process: String,
        applied: Int64,
        contracts: String,
        in connection: PostgresConnection
    ) throws(PostgresError) {
        var arguments = PostgresArguments()
        arguments.append(process)
        arguments.append(options.node)
        arguments.append(options.version)
        arguments.append(applied)
        arguments.append(contracts)
        try connection.run(note, arguments)
    }

    /// The number of other living nodes that have not applied a batch.
    static let behind = """
        SELECT count(*) FROM node
        WHERE applied < ? AND process <> ?
            AND seen_at > clock_timestamp() - ? * interval '1 millisecond'
        """

    /// The processes that were seen recently.
    static let living = """
        SELECT process FROM node WHERE seen_at > clock_timestamp() - ? * interval '1 millisecond'
        """

    static func leave(process: String, in connection: PostgresConnection) throws(PostgresError) {
        var arguments = PostgresArguments()
        arguments.append(process)
        try connection.run(leave, arguments)
    }

    /// Deletes the batches that every living node has applied.
    static func trimLog(in connection: PostgresConnection) throws(PostgresError) {
        var arguments = PostgresArguments()
        arguments.append(Int64(deadAfter.wholeMilliseconds))
        try connection.run(trim, arguments)
    }
}
