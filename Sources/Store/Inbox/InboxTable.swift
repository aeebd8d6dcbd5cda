/// The statements on the tables of publications from SQL, in PostgreSQL's dialect.
enum InboxTable {
    /// The number of refused rows that are kept, the newest.
    static let refusedMax = 10_000
    /// The bytes of their payloads, as they are stored.
    static let refusedBytesMax = 64 << 20
    /// The number up to which waiting rows are counted: counting reads each of them.
    static let countedMax = 100_000

    /// Rows that another session has locked are left out: the owner deletes rows, and the writer
    /// must not wait for the end of that transaction.
    private static let select = """
        SELECT id, channel, convert_to(json_build_object(
            'channel', channel, 'data', data, 'idempotency_key', idempotency_key, 'tags', tags,
            'version', version, 'version_epoch', version_epoch, 'skip_history', skip_history,
            'delta', delta)::text, 'UTF8')
        FROM (
            SELECT *, sum(bytes) OVER (ORDER BY id) AS total
            FROM (SELECT * FROM inbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) AS oldest
        ) AS summed
        WHERE total <= $2 OR total = bytes
        ORDER BY id
        """
    private static let delete = "DELETE FROM inbox WHERE id = ANY ($1)"
    private static let move = """
        WITH moved AS (DELETE FROM inbox WHERE id = ANY ($1) RETURNING *)
        INSERT INTO inbox_refused (reason, inbox_id, channel, data, idempotency_key, tags, version,
            version_epoch, skip_history, delta)
        SELECT refused.reason, moved.id, channel, data, idempotency_key, tags, version,
            version_epoch, skip_history, delta
        FROM moved JOIN unnest($1, $2) AS refused (id, reason) ON refused.id = moved.id
        ORDER BY moved.id
        """
    private static let trim = """
        DELETE FROM inbox_refused WHERE id IN (
            SELECT id FROM (
                SELECT id, row_number() OVER newest AS number,
                    sum(pg_column_size(data)) OVER newest AS bytes
                FROM inbox_refused WINDOW newest AS (ORDER BY id DESC)
            ) AS kept
            WHERE number > $1 OR bytes > $2)
        """
    static let exists = "SELECT EXISTS (SELECT FROM inbox)"
    static let count = "SELECT count(*) FROM (SELECT FROM inbox LIMIT ?) AS waiting"

    /// Returns the oldest rows in order, and locks them until the end of the transaction.
    ///
    /// - Parameter bytesMax: of all rows; the first one is returned in any case.
    static func oldestRows(
        _ rowsMax: Int,
        bytesMax: Int,
        in session: PostgresSession
    ) throws(PostgresError) -> [InboxRow] {
        var arguments = PostgresArguments()
        arguments.append(Int64(rowsMax))
        arguments.append(Int64(bytesMax))
        let result = try session.runNative(select, arguments)
        var rows: [InboxRow] = []
        for index in 0..<result.rowCount {
            guard let id = try result.integer(index, 0), let channel = try result.text(index, 1),
                let request = try result.blob(index, 2)
            else { throw PostgresError(.unexpected, "NULL in inbox", statement: select) }
            rows.append(InboxRow(id: id, channel: channel, request: request))
        }
        return rows
    }

    /// Deletes the published rows, and moves the refused ones.
    static func settle(_ plan: InboxPlan, in session: PostgresSession) throws(PostgresError) {
        if !plan.published.isEmpty {
            var arguments = PostgresArguments()
            arguments.append(plan.published.map { Optional($0.id) })
            try session.runNative(delete, arguments)
        }
        guard !plan.refusals.isEmpty else { return }
        var arguments = PostgresArguments()
        arguments.append(plan.refusals.map { Optional($0.id) })
        arguments.append(plan.refusals.map { Optional($0.reason) })
        try session.runNative(move, arguments)
        arguments = PostgresArguments()
        arguments.append(Int64(refusedMax))
        arguments.append(Int64(refusedBytesMax))
        try session.runNative(trim, arguments)
    }
}
