import DomainKit
import News

/// An entry of a list: a signal with its article.
package struct ListedSignal: Equatable, Sendable {
    package var signal: StoredSignal
    package var article: Article
}

extension NewsTables {
    /// The most signals that are read for one page. A page that would need more is shorter.
    static let scanMax = 2000
    private static let scanPage = 64

    /// A page of the general feed: the best signal of each story, in the order of their ranks.
    ///
    /// - Parameters:
    ///   - position: the last entry of the previous page.
    ///   - generation: articles with a greater id are left out.
    package func feed(
        after position: RankPosition,
        generation: Int,
        includesIgnored: Bool,
        limit: Int
    ) throws -> (entries: [StoredSignal], next: RankPosition?) {
        var entries: [StoredSignal] = []
        var last = position
        var scanned = 0
        while scanned < NewsTables.scanMax {
            let page = try signals(after: last, generation, includesIgnored)
            for signal in page {
                let best = try bestArticle(
                    ofStory: signal.storyID,
                    generation: generation,
                    includesIgnored
                )
                if best == signal.articleID {
                    guard entries.count < limit else { return (entries, last) }
                    entries.append(signal)
                }
                last = signal.position
            }
            scanned += page.count
            if page.count < NewsTables.scanPage { return (entries, nil) }
        }
        return (entries, last)
    }

    private func signals(
        after position: RankPosition,
        _ generation: Int,
        _ includesIgnored: Bool
    ) throws -> [StoredSignal] {
        try session.rows(
            """
            SELECT \(NewsTables.signalColumns) FROM news_signal
            WHERE copy_of IS NULL AND (rank_key, article_id) < (?, ?) AND article_id <= ?
                AND is_ignored <= ?
            ORDER BY rank_key DESC, article_id DESC LIMIT ?
            """,
            [
                position.key, position.id, generation, includesIgnored ? 1 : 0,
                NewsTables.scanPage,
            ]
        ) { try StoredSignal($0) }
    }

    private func bestArticle(
        ofStory story: Int,
        generation: Int,
        _ includesIgnored: Bool
    ) throws -> Int? {
        try session.integer(
            """
            SELECT article_id FROM news_signal
            WHERE story_id = ? AND copy_of IS NULL AND article_id <= ? AND is_ignored <= ?
            ORDER BY rank_key DESC, article_id DESC LIMIT 1
            """,
            [story, generation, includesIgnored ? 1 : 0]
        )
    }

    /// The best signals that name a company.
    package func signals(
        naming ticker: Ticker,
        generation: Int,
        limit: Int
    ) throws -> [StoredSignal] {
        let ids = try session.integers(
            """
            SELECT article_id FROM news_signal_ticker
            WHERE ticker = ? AND article_id <= ?
            ORDER BY rank_key DESC, article_id DESC LIMIT ?
            """,
            [ticker.text, generation, limit]
        )
        return try ids.compactMap { try signal(ofArticle: $0) }
    }

    /// Signals with their articles, in the same order; deleted ones are left out.
    package func listed(_ signals: [StoredSignal]) throws -> [ListedSignal] {
        try signals.compactMap { signal in
            try article(signal.articleID).map { ListedSignal(signal: signal, article: $0) }
        }
    }

    /// The values by which a feed orders signals, without the texts of their articles; deleted ones
    /// are left out.
    package func candidates(_ signals: [StoredSignal]) throws -> [FeedCandidate] {
        try signals.compactMap { signal in
            try session.rows(
                "SELECT published_at, tickers FROM news_article WHERE id = ?",
                [signal.articleID]
            ) { row in
                FeedCandidate(
                    position: signal.position,
                    storyID: signal.storyID,
                    importance: signal.signal.importance,
                    publishedAt: try row.instant(0),
                    tickers: tickers(inColumn: try row[1])
                )
            }.first
        }
    }

    // MARK: Story groups

    /// A condition: the story has a report within a time. Its parameters are `within`. Most stories
    /// have their first or their last report within it; of others the articles are read.
    private static let isReported = """
        started_at < ? AND (started_at >= ? OR news_story.updated_at < ? OR EXISTS (
            SELECT 1 FROM news_signal JOIN news_article ON news_article.id = article_id
            WHERE story_id = news_story.id
                AND news_article.published_at >= ? AND news_article.published_at < ?))
        """

    private static func within(_ time: Range<Timestamp>) -> SQLArguments {
        let (start, end) = (time.lowerBound.milliseconds, time.upperBound.milliseconds)
        return [end, start, end, start, end]
    }

    /// The stories without a primary ticker, or those that name a ticker, with a report within a
    /// time, in the order of lists.
    package func stories(
        of ticker: Ticker?,
        during time: Range<Timestamp>,
        limit: Int
    ) throws -> [StoredStory] {
        let start = time.lowerBound.milliseconds
        let order = "ORDER BY impact DESC, importance DESC, id DESC LIMIT ?"
        guard let ticker else {
            return try session.rows(
                """
                SELECT \(NewsTables.storyColumns) FROM news_story
                WHERE primary_ticker IS NULL AND updated_at >= ? AND merged_into IS NULL
                    AND \(NewsTables.isReported) \(order)
                """,
                [start] + NewsTables.within(time) + [limit]
            ) { try StoredStory($0) }
        }
        let columns = NewsTables.storyColumns.replacing(
            "updated_at, created_at",
            with: "news_story.updated_at, created_at"
        )
        return try session.rows(
            """
            SELECT \(columns) FROM news_story_ticker JOIN news_story ON id = story_id
            WHERE ticker = ? AND news_story_ticker.updated_at >= ? AND merged_into IS NULL
                AND \(NewsTables.isReported) \(order)
            """,
            [ticker.text, start] + NewsTables.within(time) + [limit]
        ) { try StoredStory($0) }
    }

    /// The totals of the stories without a primary ticker, and of those that name a holding of a
    /// user, with a report within a time. Each story counts once.
    package func storyTotals(
        for user: NewsUserID,
        during time: Range<Timestamp>
    ) throws -> StoryGroupsView.Metadata {
        let row = try session.row(
            """
            SELECT count(*), coalesce(sum(article_count), 0), coalesce(sum(copy_count), 0)
            FROM news_story
            WHERE updated_at >= ? AND merged_into IS NULL AND \(NewsTables.isReported)
                AND (primary_ticker IS NULL OR EXISTS (
                    SELECT 1 FROM news_story_ticker
                    JOIN news_holding ON news_holding.ticker = news_story_ticker.ticker
                    WHERE story_id = news_story.id AND news_holding.user = ?))
            """,
            [time.lowerBound.milliseconds] + NewsTables.within(time) + [user.text]
        )
        guard let row else { throw NewsTablesError("no totals of stories") }
        let (groups, originals, copies): (Int, Int, Int) = try (row[0], row[1], row[2])
        return StoryGroupsView.Metadata(
            totalGroups: groups,
            articlesClustered: originals + copies,
            duplicatesRemoved: copies
        )
    }
}
