import DomainKit
import News

extension NewsTables {
    /// The latest articles of a story, from which its importance is computed.
    static let storyArticlesMax = 300

    static let signalColumns = """
        article_id, story_id, copy_of, rank_key, importance, is_ignored, reasons, action, horizon,
        opportunity, opportunity_note, relevance, confidence, is_global
        """

    private static let signalUpdates = updates(of: signalColumns)

    // MARK: Writing

    /// - Parameter tickers: the tickers of the article.
    package func put(_ stored: StoredSignal, tickers: [Ticker]) throws {
        let signal = stored.signal
        try session.run(
            """
            INSERT INTO news_signal (\(NewsTables.signalColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (article_id) DO UPDATE SET \(NewsTables.signalUpdates)
            """,
            [
                stored.articleID, stored.storyID, stored.copyOf, signal.rankKey, signal.importance,
                signal.isIgnored ? 1 : 0, signal.reasons.joined(separator: "\n"), signal.action,
                signal.horizon?.column, signal.opportunity.column, signal.opportunityNote,
                signal.relevance.column, signal.confidence, stored.isGlobal ? 1 : 0,
            ]
        )
        guard stored.copyOf == nil else { return }
        for ticker in Set(tickers) {
            try session.run(
                """
                INSERT INTO news_signal_ticker (ticker, rank_key, article_id) VALUES (?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [ticker.text, signal.rankKey, stored.articleID]
            )
        }
    }

    package func setOriginal(_ original: Int, ofCopies id: Int) throws {
        try session.run("UPDATE news_signal SET copy_of = ? WHERE copy_of = ?", [original, id])
    }

    package func moveSignals(ofStory story: Int, to other: Int) throws {
        try session.run(
            "UPDATE news_signal SET story_id = ? WHERE story_id = ?",
            [other, story]
        )
    }

    package func moveSignal(ofArticle article: Int, toStory story: Int) throws {
        try session.run(
            "UPDATE news_signal SET story_id = ? WHERE article_id = ?",
            [story, article]
        )
    }

    // MARK: Reading

    package func signal(ofArticle id: Int) throws -> StoredSignal? {
        try session.row(
            "SELECT \(NewsTables.signalColumns) FROM news_signal WHERE article_id = ?",
            [id]
        ).map { try StoredSignal($0) }
    }

    /// The copies of an article, the oldest first.
    package func copies(ofArticle id: Int) throws -> [Int] {
        try session.integers(
            "SELECT article_id FROM news_signal WHERE copy_of = ? ORDER BY article_id",
            [id]
        )
    }

    func stories(ofCopiesOf id: Int) throws -> [Int] {
        try session.integers("SELECT DISTINCT story_id FROM news_signal WHERE copy_of = ?", [id])
    }

    /// The latest articles of a story, including copies.
    package func storyArticles(_ story: Int) throws -> [StoryArticle] {
        try session.rows(
            """
            SELECT owner, weight, published_at, tickers, category, copy_of
            FROM news_signal JOIN news_article ON news_article.id = news_signal.article_id
            WHERE story_id = ? ORDER BY article_id DESC LIMIT ?
            """,
            [story, NewsTables.storyArticlesMax]
        ) { row in
            StoryArticle(
                report: StoryReport(
                    owner: try row[0],
                    weight: try row[1],
                    publishedAt: try row.instant(2)
                ),
                tickers: tickers(inColumn: try row[3]),
                category: try row.value(4) { NewsCategory(column: $0) },
                isCopy: !row.isNull(5)
            )
        }
    }

    /// Returns the number of a story's articles, and the number of copies among them.
    package func articleCounts(ofStory story: Int) throws -> (all: Int, copies: Int) {
        let counts = try session.rows(
            "SELECT count(*), count(copy_of) FROM news_signal WHERE story_id = ?",
            [story]
        ) { [try $0[0], try $0[1]] as [Int] }
        return (counts[0][0], counts[0][1])
    }

    /// The signals of a story without those of copies, the best one first.
    package func signals(ofStory story: Int, limit: Int) throws -> [StoredSignal] {
        try session.rows(
            """
            SELECT \(NewsTables.signalColumns) FROM news_signal
            WHERE story_id = ? AND copy_of IS NULL
            ORDER BY rank_key DESC, article_id DESC LIMIT ?
            """,
            [story, limit]
        ) { try StoredSignal($0) }
    }

    /// The least id of an article; 0 if there is none.
    package func oldestArticleID() throws -> Int {
        try session.integer("SELECT min(id) FROM news_article") ?? 0
    }

    /// The greatest id of an article; 0 if there is none.
    package func generation() throws -> Int {
        try session.integer("SELECT max(id) FROM news_article") ?? 0
    }
}

extension StoredSignal {
    init(_ row: SQLRow) throws {
        let reasons: String = try row[6]
        try self.init(
            articleID: row[0],
            storyID: row[1],
            copyOf: row[2],
            signal: ArticleSignal(
                importance: row[4],
                rankKey: row[3],
                isIgnored: row.flag(5),
                reasons: reasons.split(separator: "\n").map(String.init),
                action: row[7],
                horizon: row.optionalValue(8) { Horizon(column: $0) },
                opportunity: row.value(9) { Opportunity.Kind(column: $0) },
                opportunityNote: row[10],
                relevance: row.value(11) { RelevanceType(column: $0) },
                confidence: row[12]
            ),
            isGlobal: row.flag(13)
        )
    }
}
