import DomainKit
import News

/// The stored data of a user.
package struct StoredUser: Equatable, Sendable {
    package var preferences = NewsPreferences()
    package var seenAt: Timestamp
    /// The day of the last brief.
    package var briefDay: BriefDay?
}

extension NewsTables {
    package func user(_ id: NewsUserID) throws -> StoredUser? {
        let row = try session.rows(
            "SELECT focus_profile, seen_at, brief_day FROM news_user WHERE user = ?",
            [id.text]
        ) { row in
            (
                try row.value(0) { NewsPreferences.FocusProfile(column: $0) },
                try row.instant(1),
                (try row[2] as Int?).map { BriefDay(number: $0) }
            )
        }.first
        guard let (focusProfile, seenAt, briefDay) = row else { return nil }
        return StoredUser(
            preferences: NewsPreferences(
                focusProfile: focusProfile,
                holdings: try holdings(of: id)
            ),
            seenAt: seenAt,
            briefDay: briefDay
        )
    }

    private func holdings(of id: NewsUserID) throws -> [NewsPreferences.Holding] {
        try session.rows(
            "SELECT ticker, label, notes FROM news_holding WHERE user = ? ORDER BY place",
            [id.text]
        ) { row in
            NewsPreferences.Holding(
                ticker: try Ticker(inColumn: row[0]),
                label: try row[1],
                notes: try row[2]
            )
        }
    }

    /// Stores that a user has sent a request.
    package func see(_ id: NewsUserID, at time: Timestamp) throws {
        try session.run(
            """
            INSERT INTO news_user (user, focus_profile, seen_at) VALUES (?, ?, ?)
            ON CONFLICT (user) DO UPDATE SET seen_at = excluded.seen_at
            """,
            [id.text, NewsPreferences().focusProfile.column, time.milliseconds]
        )
    }

    package func put(
        _ preferences: NewsPreferences,
        of id: NewsUserID,
        at time: Timestamp
    ) throws {
        try see(id, at: time)
        try session.run(
            "UPDATE news_user SET focus_profile = ? WHERE user = ?",
            [preferences.focusProfile.column, id.text]
        )
        try session.run("DELETE FROM news_holding WHERE user = ?", [id.text])
        for (place, holding) in preferences.holdings.enumerated() {
            try session.run(
                """
                INSERT INTO news_holding (user, place, ticker, label, notes)
                VALUES (?, ?, ?, ?, ?)
                """,
                [id.text, place, holding.ticker.text, holding.label, holding.notes]
            )
        }
    }

    /// Deletes all data stored about a user; a trigger deletes the rows of the other tables.
    package func deleteUser(_ id: NewsUserID) throws {
        try session.run("DELETE FROM news_user WHERE user = ?", [id.text])
    }

    package func put(
        _ feedback: NewsFeedback,
        ofArticle article: Int,
        by id: NewsUserID,
        at time: Timestamp
    ) throws {
        try session.run(
            """
            INSERT INTO news_feedback (user, article_id, kind, note, at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (user, article_id) DO UPDATE
            SET kind = excluded.kind, note = excluded.note, at = excluded.at
            """,
            [id.text, article, feedback.kind.column, feedback.note, time.milliseconds]
        )
    }

    // MARK: Briefs

    /// The JSON text of a user's latest brief.
    package func brief(of id: NewsUserID) throws -> [UInt8]? {
        try session.row("SELECT body FROM news_brief WHERE user = ?", [id.text])
            .map { Array((try $0[0] as String).utf8) }
    }

    package func put(
        _ brief: [UInt8],
        of id: NewsUserID,
        day: BriefDay,
        at time: Timestamp
    ) throws {
        try session.run(
            """
            INSERT INTO news_brief (user, generated_at, body) VALUES (?, ?, ?)
            ON CONFLICT (user) DO UPDATE
            SET generated_at = excluded.generated_at, body = excluded.body
            """,
            [id.text, time.milliseconds, String(decoding: brief, as: UTF8.self)]
        )
        try session.run(
            "UPDATE news_user SET brief_day = ? WHERE user = ?",
            [day.number, id.text]
        )
    }

    /// Users who have sent a request since a time, and have no brief of this day or a later one.
    package func usersWithoutBrief(
        of day: BriefDay,
        seenSince time: Timestamp,
        limit: Int
    ) throws -> [NewsUserID] {
        try session.rows(
            """
            SELECT user FROM news_user
            WHERE (brief_day IS NULL OR brief_day < ?) AND seen_at >= ? LIMIT ?
            """,
            [day.number, time.milliseconds, limit]
        ) { try $0[0] as String }.compactMap { NewsUserID($0) }
    }
}

extension Ticker {
    fileprivate init(inColumn text: String) throws {
        guard let ticker = Ticker(text) else {
            throw NewsTablesError("a stored ticker is \"\(text)\"")
        }
        self = ticker
    }
}

/// An invalid value in the tables.
package struct NewsTablesError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
