import Activity
import DomainKit

extension ActivityTables {
    /// A list of a person's stored data: its table, the statement, and the output for a row. Other
    /// people in the rows are given only by their numbers: their names are theirs.
    struct ExportSection: Sendable {
        let name: String
        let table: String
        let sql: String
        let write: @Sendable (SQLRow, inout JSONWriter) throws -> Void
    }

    /// In the order in which a person gets them.
    static let exportSections: [ExportSection] = [
        ExportSection(name: "profile", table: "person", sql: ActivitySQL.exportPerson) {
            $1.field("user_id", try $0[0] as Int)
            $1.field("provider", try $0[1] as String)
            $1.field("provider_subject", try $0[2] as String)
            $1.field("name", try $0[3] as String)
            $1.field("avatar_url", try $0[4] as String?)
            $1.field("email", try $0[5] as String?)
            $1.field("bio", try $0[6] as String?)
            $1.field("created_at", try $0.instant(7).iso8601Seconds)
            $1.field("last_active", try $0.optionalInstant(8)?.iso8601Seconds)
            $1.field("suggest_by_taste", try $0[9] as Bool)
        },
        ExportSection(name: "ratings", table: "rating", sql: ActivitySQL.exportRatings) {
            $1.field("review_id", try $0[1] as Int)
            $1.field("movie_id", try $0[0] as Int)
            $1.field("rating", try $0.stars(2).value)
            $1.field("is_review", try $0[3] as Bool)
            $1.field("comment", try $0[4] as String?)
            $1.field("likes", try $0[5] as Int)
            $1.field("timestamp", try $0.instant(6).iso8601Seconds)
        },
        ExportSection(name: "likes", table: "review_like", sql: ActivitySQL.exportLikes) {
            $1.field("review_id", try $0[0] as Int)
            $1.field("timestamp", try $0.instant(1).iso8601Seconds)
        },
        ExportSection(name: "watched", table: "watch", sql: ActivitySQL.exportWatched) {
            $1.field("movie_id", try $0[0] as Int)
            $1.field("watch_status", try $0.value(1, WatchStatus.init(column:)).rawValue)
            if let progress = try $0[2] as Int? {
                $1.field("progress_percent", progress)
            } else {
                $1.null("progress_percent")
            }
            $1.field("completed_at", try $0.optionalInstant(3)?.iso8601Seconds)
            $1.field("timestamp", try $0.instant(4).iso8601Seconds)
        },
        films("watchlist", "watchlist", ActivitySQL.exportWatchlist),
        films("not_interested", "not_interested", ActivitySQL.exportNotInterested),
        people("friends", "friendship", ActivitySQL.exportFriends),
        requests("requests_sent", ActivitySQL.exportRequestsSent),
        requests("requests_received", ActivitySQL.exportRequestsReceived),
        people("blocked", "block", ActivitySQL.exportBlocks),
        ExportSection(name: "activities", table: "activity", sql: ActivitySQL.exportActivities) {
            $1.field("activity_id", try $0[0] as Int)
            $1.field("type", try $0.value(1, ActivityType.init(column:)).rawValue)
            $1.field("movie_id", try $0[2] as Int)
            if let stars = try $0[3] as Int? {
                $1.field("rating", stars)
            } else {
                $1.null("rating")
            }
            $1.field("comment", try $0[4] as String?)
            $1.field("timestamp", try $0.instant(5).iso8601Seconds)
        },
    ]

    private static func films(_ name: String, _ table: String, _ sql: String) -> ExportSection {
        ExportSection(name: name, table: table, sql: sql) {
            $1.field("movie_id", try $0[0] as Int)
            $1.field("timestamp", try $0.instant(1).iso8601Seconds)
        }
    }

    private static func people(_ name: String, _ table: String, _ sql: String) -> ExportSection {
        ExportSection(name: name, table: table, sql: sql) {
            $1.field("user_id", try $0[0] as Int)
            $1.field("timestamp", try $0.instant(1).iso8601Seconds)
        }
    }

    private static func requests(_ name: String, _ sql: String) -> ExportSection {
        ExportSection(name: name, table: "friend_request", sql: sql) {
            $1.field("request_id", try $0[0] as Int)
            $1.field("user_id", try $0[1] as Int)
            $1.field("timestamp", try $0.instant(2).iso8601Seconds)
        }
    }

    /// Rows of a section behind a key, at most so many.
    func export(
        _ section: ExportSection,
        of personID: Int,
        after key: Int,
        limit: Int
    ) throws -> [UserDataRow] {
        try rows(section.sql, [personID, key, limit]) { row in
            var json = JSONWriter()
            var problem: (any Error)?
            json.object { json in
                do { try section.write(row, &json) } catch { problem = error }
            }
            if let problem { throw problem }
            return UserDataRow(key: try row[0], json: json.bytes)
        }
    }
}

extension HubStore {
    /// The data that the film app stores about a person.
    var activityUserData: [UserDataSection] {
        ActivityTables.exportSections.map { section in
            UserDataSection(section.name, tables: [section.table]) { user, after, limit in
                guard let id = Person.id(ofUser: user) else { return [] }
                return try await self.readActivity {
                    try $0.export(section, of: id, after: after, limit: limit)
                }
            }
        }
    }
}
