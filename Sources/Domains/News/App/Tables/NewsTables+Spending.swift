import DomainKit

extension NewsTables {
    /// The amounts that users have taken of `news_spending`, including reservations. `user` is a
    /// digest, or empty for the users beyond the limit.
    static let userSpending = """
        CREATE TABLE news_user_spending (
            day INTEGER NOT NULL,
            source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
            user BLOB NOT NULL CHECK (length(user) <= 16),
            requests INTEGER NOT NULL CHECK (requests >= 0),
            tokens INTEGER NOT NULL CHECK (tokens >= 0),
            PRIMARY KEY (day, source, user)
        ) STRICT;

        """

    /// The spending of a source on a day; zeros if nothing is stored.
    package func spending(of source: String, day: Int) throws -> DaySpending {
        let row = try session.row(
            "SELECT requests, tokens FROM news_spending WHERE source = ? AND day = ?",
            [source, day]
        )
        guard let row else { return DaySpending(day: day) }
        return DaySpending(day: day, requests: try row[0], tokens: try row[1])
    }

    /// Returns the amounts that users have taken of a source's day, by account.
    package func shares(of source: String, day: Int) throws -> [[UInt8]: UserShares.Taken] {
        let rows = try session.rows(
            "SELECT user, requests, tokens FROM news_user_spending WHERE day = ? AND source = ?",
            [day, source]
        ) { row in
            (try row[0] as [UInt8], UserShares.Taken(requests: try row[1], tokens: try row[2]))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Adds a change to the spending and to its user's share; its numbers may be negative.
    package func add(_ change: SpendingChange, of source: String) throws {
        try session.run(
            """
            INSERT INTO news_spending (day, source, requests, tokens) VALUES (?, ?, 0, 0)
            ON CONFLICT DO NOTHING
            """,
            [change.day, source]
        )
        // Not an upsert, whose inserted values would fail the CHECKs if they are negative.
        try session.run(
            """
            UPDATE news_spending SET requests = requests + ?, tokens = tokens + ?
            WHERE day = ? AND source = ?
            """,
            [change.requests, change.tokens, change.day, source]
        )
        guard let user = change.user else { return }
        try session.run(
            """
            INSERT INTO news_user_spending (day, source, user, requests, tokens)
            VALUES (?, ?, ?, 0, 0)
            ON CONFLICT DO NOTHING
            """,
            [change.day, source, user]
        )
        try session.run(
            """
            UPDATE news_user_spending SET requests = requests + ?, tokens = tokens + ?
            WHERE day = ? AND source = ? AND user = ?
            """,
            [change.requests, change.tokens, change.day, source, user]
        )
    }

    fileprivate static let deleteOldSpending = """
        DELETE FROM news_spending WHERE rowid IN (
            SELECT rowid FROM news_spending WHERE day < ? LIMIT ?)
        """
    fileprivate static let deleteOldUserSpending = """
        DELETE FROM news_user_spending WHERE rowid IN (
            SELECT rowid FROM news_user_spending WHERE day < ? LIMIT ?)
        """
}

extension HubStore {
    /// The number of days for which the spending of sources is kept.
    private static let newsSpendingDays = 31

    /// Deletes the spending of earlier days, in small transactions.
    func trimNewsSpending(now: Timestamp) async throws {
        let today = Int(now.milliseconds / Duration.seconds(86_400).wholeMilliseconds)
        let oldest = today - HubStore.newsSpendingDays
        try await deletingInBatches(NewsTables.deleteOldSpending, [oldest])
        // A request that was sent before midnight is settled with the day before.
        try await deletingInBatches(NewsTables.deleteOldUserSpending, [today - 1])
    }
}
