import DomainKit
import News

extension NewsPipeline {
    /// The pipeline in the state of the last commit.
    ///
    /// - Parameter scale: the row of the importance scale; nil before the first article.
    /// - Throws: `StoryStateError` if the rows of the board are damaged.
    package init(restoring tables: NewsTables, scale: [UInt8]?, now: Timestamp) throws {
        self.init()
        let rows = try tables.boardRows()
        if !rows.isEmpty { board = try StoryBoard(restoring: rows) }
        if let scale, let restored = ImportanceScale(bytes: scale) { self.scale = restored }
        let start = now - duplicates.rules.window
        let count = duplicates.rules.entriesMax
        for article in try tables.duplicateInputs(publishedSince: start, limit: count) {
            _ = duplicates.add(article)
        }
        let closed = now - board.rules.idleMax
        waiting = Set(
            try tables.stories(updatedSince: closed).filter { $0.visibleChange != nil }.map(\.id)
        )
    }
}

extension NewsTables {
    /// The latest originals since a time, in the order in which they were added.
    func duplicateInputs(publishedSince start: Timestamp, limit: Int) throws -> [StoryInput] {
        try session.rows(
            """
            SELECT id, title, summary, owner, published_at
            FROM news_article JOIN news_signal ON article_id = id
            WHERE published_at >= ? AND copy_of IS NULL ORDER BY published_at DESC, id DESC LIMIT ?
            """,
            [start.milliseconds, limit]
        ) { row in
            StoryInput(
                articleID: try row[0],
                title: try row[1],
                summary: try row[2],
                owner: try row[3],
                publishedAt: try row.instant(4)
            )
        }.sorted { $0.articleID < $1.articleID }
    }
}
