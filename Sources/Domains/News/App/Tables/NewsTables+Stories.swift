import DomainKit
import News

extension NewsTables {
    /// The most changes of one story that are kept: the first ones.
    static let storyChangesMax = 200

    static let storyColumns = """
        id, title, article_id, article_count, copy_count, started_at, updated_at, created_at,
        novelty, bits, importance, impact, category, primary_ticker, tickers, reasons, revision,
        published_at, published_title, published_impact, published_ticker, published_count, merged_into
        """

    private static let storyUpdates = updates(of: storyColumns)

    /// The assignments of an upsert that replaces all these columns.
    static func updates(of columns: String) -> String {
        columns.split { ", \n".contains($0) }.map { "\($0) = excluded.\($0)" }
            .joined(separator: ", ")
    }

    // MARK: Writing

    package func put(_ story: StoredStory) throws {
        try putTickers(of: story)
        try session.run(
            """
            INSERT INTO news_story (\(NewsTables.storyColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET \(NewsTables.storyUpdates)
            """,
            [
                story.id, story.title, story.articleID, story.articleCount, story.copyCount,
                story.startedAt.milliseconds, story.updatedAt.milliseconds,
                story.createdAt.milliseconds, story.novelty, story.bits, story.importance,
                story.impact.column, story.category.column, story.primaryTicker?.text,
                column(of: story.tickers), story.reasons.joined(separator: "\n"), story.revision,
                story.published?.at.milliseconds, story.published?.title,
                story.published?.impact.column,
                story.published?.primaryTicker?.text, story.published?.articleCount,
                story.mergedInto,
            ]
        )
    }

    private func putTickers(of story: StoredStory) throws {
        try session.run("DELETE FROM news_story_ticker WHERE story_id = ?", [story.id])
        guard story.mergedInto == nil else { return }
        for ticker in Set(story.tickers + [story.primaryTicker].compactMap(\.self)) {
            try session.run(
                "INSERT INTO news_story_ticker (ticker, updated_at, story_id) VALUES (?, ?, ?)",
                [ticker.text, story.updatedAt.milliseconds, story.id]
            )
        }
    }

    /// Makes a story, and all stories merged into it, aliases of another.
    package func merge(story: Int, into other: Int) throws {
        try session.run(
            "UPDATE news_story SET merged_into = ?1 WHERE merged_into = ?2 OR id = ?2",
            [other, story]
        )
        try session.run("DELETE FROM news_story_ticker WHERE story_id = ?", [story])
    }

    package func deleteStory(_ id: Int) throws {
        try session.run("DELETE FROM news_story WHERE id = ?1 OR merged_into = ?1", [id])
    }

    package func put(_ change: StoryDetailView.Change, ofStory story: Int) throws {
        let last = try session.integer(
            "SELECT max(number) FROM news_story_change WHERE story_id = ?",
            [story]
        )
        let number = (last ?? 0) + 1
        guard number <= NewsTables.storyChangesMax else { return }
        try session.run(
            """
            INSERT INTO news_story_change
                (story_id, number, at, kind, article_count, title, other_id)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                story, number, change.at.milliseconds, change.kind.column, change.articleCount,
                change.title, change.otherID,
            ]
        )
    }

    // MARK: Reading

    package func story(_ id: Int) throws -> StoredStory? {
        try session.row(
            "SELECT \(NewsTables.storyColumns) FROM news_story WHERE id = ?",
            [id]
        ).map { try StoredStory($0) }
    }

    /// The changes of a story, the oldest first.
    package func changes(ofStory id: Int) throws -> [StoryDetailView.Change] {
        try session.rows(
            """
            SELECT at, kind, article_count, title, other_id FROM news_story_change
            WHERE story_id = ? ORDER BY number
            """,
            [id]
        ) { row in
            StoryDetailView.Change(
                at: try row.instant(0),
                kind: try row.value(1) { StoryDetailView.Change.Kind(column: $0) },
                articleCount: try row[2],
                title: try row[3],
                otherID: try row[4]
            )
        }
    }

    /// The ids of the stories that were merged into one.
    package func aliases(ofStory id: Int) throws -> [Int] {
        try session.integers("SELECT id FROM news_story WHERE merged_into = ? ORDER BY id", [id])
    }

    /// The stories with a report since `start`, without those that were merged into another.
    package func stories(updatedSince start: Timestamp) throws -> [StoredStory] {
        try session.rows(
            """
            SELECT \(NewsTables.storyColumns) FROM news_story
            WHERE updated_at >= ? AND merged_into IS NULL
            """,
            [start.milliseconds]
        ) { try StoredStory($0) }
    }
}

extension StoredStory {
    init(_ row: SQLRow) throws {
        let reasons: String = try row[15]
        let lastPublishedAt = try row.optionalInstant(17)
        try self.init(
            id: row[0],
            title: row[1],
            articleID: row[2],
            articleCount: row[3],
            copyCount: row[4],
            startedAt: row.instant(5),
            updatedAt: row.instant(6),
            createdAt: row.instant(7),
            novelty: row[8],
            bits: row[9],
            importance: row[10],
            impact: row.value(11) { ImpactLevel(column: $0) },
            category: row.value(12) { NewsCategory(column: $0) },
            primaryTicker: (row[13] as String?).flatMap { Ticker($0) },
            tickers: NewsApp.tickers(inColumn: row[14]),
            reasons: reasons.split(separator: "\n").map(String.init),
            revision: row[16],
            published: lastPublishedAt.map { at in
                try Published(
                    at: at,
                    title: row[18],
                    impact: row.value(19) { ImpactLevel(column: $0) },
                    primaryTicker: (row[20] as String?).flatMap { Ticker($0) },
                    articleCount: row[21]
                )
            },
            mergedInto: row[22]
        )
    }
}
