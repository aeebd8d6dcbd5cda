extension HubStore {
    /// Makes an endpoint's ended deliveries pending again, the oldest first: due at `now`, with no
    /// attempts, in their old order.
    ///
    /// - Returns: their number.
    package func redeliver(
        to endpoint: String,
        createdFrom first: Timestamp,
        through last: Timestamp,
        now: Timestamp,
        rowsMax: Int
    ) async throws -> Int {
        let count = try await write { session in
            let rowCount = try session.changes(
                SQL.redeliverRange,
                [
                    now.milliseconds, endpoint, first.milliseconds, last.milliseconds, rowsMax,
                ]
            )
            return Written(rowCount: rowCount)
        }.rowCount
        growth.withLock { $0.noteAgain(count, to: endpoint) }
        return count
    }

    /// Makes one delivery of an endpoint pending again.
    ///
    /// - Returns: false when there is no ended delivery with this id.
    package func redeliver(
        _ id: Int64,
        to endpoint: String,
        now: Timestamp
    ) async throws -> Bool {
        let count = try await write { session in
            Written(
                rowCount: try session.changes(
                    SQL.redeliverOne,
                    [now.milliseconds, endpoint, id]
                )
            )
        }.rowCount
        growth.withLock { $0.noteAgain(count, to: endpoint) }
        return count == 1
    }
}

extension SQL {
    private static let restart = """
        UPDATE delivery SET status = 0, status_at = ?, attempts = 0, status_code = NULL, state = x''
        """
    fileprivate static let redeliverRange = """
        \(restart) WHERE id IN (
            SELECT id FROM delivery
            WHERE endpoint = ? AND status IN (1, 2) AND created_at BETWEEN ? AND ?
            ORDER BY id LIMIT ?)
        """
    fileprivate static let redeliverOne =
        "\(restart) WHERE endpoint = ? AND id = ? AND status IN (1, 2)"
}
