import Configuration
import Duties
import HubTesting
import News
import StoreTesting

@testable import NewsApp

/// Runs `body` in one transaction of a store that has the domain's tables.
func withNewsTables(
    _ body: @escaping @Sendable (NewsTables) throws -> Void
) async throws {
    try await withStore(migrations: NewsTables.migrations) { store in
        try await store.commitNews { tables in
            try body(tables)
            return (Change(), ())
        }
    }
}

/// 2026-01-01T00:00:00Z and so many minutes.
func at(_ minutes: Int) -> Timestamp { startOfTests + .seconds(60 * minutes) }

func newArticle(
    _ name: String,
    title: String? = nil,
    summary: String = "",
    source: String = "fed",
    language: String? = nil,
    country: String? = nil,
    category: NewsCategory = .general,
    published: Int = 0,
    tickers: [String] = []
) -> Article {
    Article(
        id: 0,
        url: "https://news.example.org/\(name)",
        source: ArticleSource(name: source, title: "Source \(source)", owner: "group", weight: 1.5),
        title: title ?? "Title of \(name)",
        summary: summary,
        language: language,
        country: country,
        category: category,
        publishedAt: at(published),
        firstSeenAt: at(published + 1),
        tickers: tickers.compactMap { Ticker($0) }
    )
}

/// A service without sources.
func newsService(
    _ store: HubStore,
    settings: NewsSection = NewsSection(),
    pipeline: NewsPipeline = NewsPipeline(),
    clock: HubClock = HubClock(.wall),
    writer: NewsWriter? = nil,
    outbox: OutboxRouter = OutboxRouter(endpoints: []) {}
) -> NewsService {
    NewsService(
        settings: settings,
        pipeline: pipeline,
        cursorKey: Array(repeating: 7, count: 32),
        writer: writer,
        store: store,
        clock: clock,
        outbox: outbox,
        logger: silentLogger
    )
}
