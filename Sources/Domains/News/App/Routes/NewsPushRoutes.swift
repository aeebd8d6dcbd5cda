import DomainKit
import News

/// The routes by which back ends add and withdraw articles, `/api/news/articles`: protocol/news.md.
package struct NewsPushRoutes: Sendable {
    private static let sourceName = "push"

    private let service: NewsService
    private let callers: NewsCallers
    private let tickers: TickerExtractor

    package init(service: NewsService, access: RouteAccess, isDevelopment: Bool) {
        self.service = service
        callers = NewsCallers(access: access, isDevelopment: isDevelopment)
        tickers = service.articles.tickers
    }

    static let prefixes = RoutePrefixes(.news, "/api/news")

    package func add(to routes: inout Routes) {
        let path = "/api/news/articles"
        routes.post(path) { request in
            await answer(request) { [service] in
                let now = service.clock.now
                let pushed = try PushedArticles(json: try content(request), now: now)
                let articles = try pushed.articles.map { try article($0, now: now) }
                    .tellingSharedPages
                let counts = try await service.take(articles)
                return .uncached(
                    PushedArticlesView(
                        added: counts.added,
                        revised: counts.revised,
                        unchanged: counts.unchanged
                    ).json()
                )
            }
        }
        routes.delete(path) { request in
            await answer(request) { [service] in
                let url = try requestedArticleURL(request.query("url"))
                guard try await service.withdraw(url) else {
                    throw NewsError.articleNotFound(url.text)
                }
                return .uncached(articleWithdrawnJSON())
            }
        }
        routes.backends(below: "/api/news")
        routes.errors(NewsPushRoutes.prefixes)
    }

    private func content(_ request: RouteRequest) throws(NewsError) -> [UInt8] {
        guard request.body.count <= NewsRoutes.bodyBytesMax else {
            throw .bodyTooLong(bytesMax: NewsRoutes.bodyBytesMax)
        }
        return request.body
    }

    private func article(_ pushed: PushedArticle, now: Timestamp) throws(NewsError) -> Article {
        let url = try requestedArticleURL(pushed.url)
        let summary = pushed.description ?? ""
        // Before `now`: the board then has all articles of an instant when it orders them.
        let latest = now - .milliseconds(1)
        let publisher = pushed.source ?? NewsPushRoutes.sourceName
        return Article(
            id: 0,
            url: url.text,
            link: ArticleLink(url.link, marker: url.fragment),
            source: ArticleSource(
                name: NewsPushRoutes.sourceName,
                title: publisher,
                owner: publisher.lowercased()
            ),
            title: pushed.title,
            summary: summary,
            content: pushed.content ?? "",
            author: pushed.author,
            imageURL: pushed.imageURL,
            language: pushed.language,
            country: pushed.country,
            category: pushed.category
                ?? CategoryGuess(title: pushed.title, text: summary).category,
            publishedAt: min(pushed.publishedAt ?? latest, latest),
            isDateGuessed: pushed.publishedAt == nil,
            firstSeenAt: now,
            tickers: pushed.tickers.isEmpty
                ? tickers.tickers(title: pushed.title, text: summary) : pushed.tickers
        )
    }

    private func answer(
        _ request: RouteRequest,
        _ body: () async throws -> ServerResponse
    ) async -> ServerResponse {
        guard callers.isBackend(request) else { return .newsError(.apiKeyRequired) }
        return await service.newsAnswer(body)
    }
}
