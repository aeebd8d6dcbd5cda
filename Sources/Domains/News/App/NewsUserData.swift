import DomainKit
import News

extension HubStore {
    /// The user data of the news: preferences, the latest brief and feedback.
    var newsUserData: [UserDataSection] {
        [
            UserDataSection("news_preferences", tables: ["news_user", "news_holding"]) {
                user,
                after,
                _ in
                guard after == 0, let id = NewsUserID(user),
                    let stored = try await self.readNews({ try $0.user(id) })
                else { return [] }
                return [UserDataRow(key: 1, json: stored.exportJSON())]
            },
            UserDataSection("news_brief", tables: ["news_brief"]) { user, after, _ in
                guard after == 0, let id = NewsUserID(user),
                    let brief = try await self.readNews({ try $0.brief(of: id) })
                else { return [] }
                return [UserDataRow(key: 1, json: brief)]
            },
            UserDataSection("news_feedback", tables: ["news_feedback"]) { user, after, limit in
                guard let id = NewsUserID(user) else { return [] }
                return try await self.readNews {
                    try $0.feedbackRows(of: id, after: after, limit: limit)
                }
            },
        ]
    }
}

extension StoredUser {
    fileprivate func exportJSON() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("focus_profile", preferences.focusProfile.rawValue)
            json.array("holdings") { json in
                for holding in preferences.holdings {
                    json.object { json in
                        json.field("ticker", holding.ticker.text)
                        json.field("label", holding.label)
                        json.field("notes", holding.notes)
                    }
                }
            }
            json.field("seen_at", seenAt.iso8601Seconds)
        }
        return json.bytes
    }
}

extension NewsTables {
    fileprivate func feedbackRows(
        of id: NewsUserID,
        after article: Int,
        limit: Int
    ) throws -> [UserDataRow] {
        try session.rows(
            """
            SELECT article_id, kind, note, at FROM news_feedback
            WHERE user = ? AND article_id > ? ORDER BY article_id LIMIT ?
            """,
            [id.text, article, limit]
        ) { row in
            let article: Int = try row[0]
            let kind = try row.value(1) { NewsFeedback.Kind(column: $0) }
            let note: String? = try row[2]
            let at = try row.instant(3)
            var json = JSONWriter()
            json.object { json in
                json.field("article_id", article)
                json.field("feedback", kind.rawValue)
                json.field("note", note)
                json.field("timestamp", at.iso8601Seconds)
            }
            return UserDataRow(key: article, json: json.bytes)
        }
    }
}
