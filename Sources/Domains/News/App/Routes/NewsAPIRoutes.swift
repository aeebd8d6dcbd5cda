import DomainKit
import News

/// The routes of `/v2`, in NewsAPI's form: protocol/news.md.
///
/// The first page of a query freezes its results, so that the pages of one query are parts of one
/// list.
package struct NewsAPIRoutes: Sendable {
    private let service: NewsService
    private let keys: NewsAPIKeys
    private let reads: FairReads
    private let requests: Locked<RateWindow<Caller>>
    private let snapshots = Locked(PageSnapshots<Caller, ListQuery>())

    package init(service: NewsService, keys: NewsAPIKeys, reads: FairReads) {
        self.service = service
        self.keys = keys
        self.reads = reads
        requests = Locked(
            RateWindow(limit: service.settings.requestsPerMinute, length: .seconds(60))
        )
    }

    /// Installations of an app share a key, so a caller is a key and an address.
    private struct Caller: Hashable, Sendable {
        var key: [UInt8]
        var address: String

        /// The key by which the reads of callers take turns.
        var readKey: [UInt8] { key + Array(address.utf8) }
    }

    private struct ListQuery: Hashable, Sendable {
        var filter: ArticleFilter
        var order: ArticleFilter.Order
    }

    package static let prefixes = RoutePrefixes(.newsAPI, "/v2")

    package func add(to routes: inout Routes) {
        routes.get("/v2/top-headlines") { request in
            await answer(request) { try await headlines(request, $0) }
        }
        routes.get("/v2/everything") { request in
            await answer(request) { try await everything(request, $0) }
        }
        routes.get("/v2/top-headlines/sources") { request in
            await answer(request) { _ in try sources(request) }
        }
        routes.get("/v2/articles/summary") { request in
            await answer(request) { try await summary(request, $0) }
        }
        routes.errors(NewsAPIRoutes.prefixes)
        routes.appKeys(below: "/v2")
    }

    // MARK: Lists

    private func headlines(_ request: RouteRequest, _ caller: Caller) async throws -> [UInt8] {
        let query = try HeadlinesQuery(
            country: request.query("country"),
            category: request.query("category"),
            sources: request.query("sources"),
            q: request.query("q"),
            language: request.query("language")
        )
        try check(query.sources)
        var filter = ArticleFilter()
        filter.country = query.country
        filter.category = query.category
        filter.sources = query.sources
        filter.language = query.language
        filter.search(query.text)
        return try await list(request, ListQuery(filter: filter, order: .newest), caller)
    }

    private func everything(_ request: RouteRequest, _ caller: Caller) async throws -> [UInt8] {
        let query = try EverythingQuery(
            q: request.query("q"),
            sources: request.query("sources"),
            from: request.query("from"),
            to: request.query("to"),
            language: request.query("language"),
            sortBy: request.query("sortBy")
        )
        try check(query.sources)
        var filter = ArticleFilter()
        filter.sources = query.sources
        filter.language = query.language
        filter.from = query.from
        filter.to = query.to.map { $0 + .milliseconds(1) }
        filter.search(query.text)
        let order: ArticleFilter.Order =
            switch query.order {
            case .publishedAt: .newest
            case .relevancy: .relevance
            case .popularity: .weight
            }
        return try await list(request, ListQuery(filter: filter, order: order), caller)
    }

    private func list(
        _ request: RouteRequest,
        _ query: ListQuery,
        _ caller: Caller
    ) async throws -> [UInt8] {
        let paging = try NewsAPIPaging(
            page: request.query("page"),
            pageSize: request.query("pageSize")
        )
        let now = service.clock.now
        let frozen = snapshots.withLock {
            $0.results(of: query, for: caller, page: paging.page, now: now)
        }
        let limit = PageSnapshots<Caller, ListQuery>.resultsMax
        let (ids, page, views, lacking) = try await reads.run(for: caller.readKey) { [service] in
            try await service.store.readNews { tables in
                let ids = try frozen ?? tables.articleIDs(query.filter, query.order, limit: limit)
                let page = SnapshotPage(of: ids, paging)
                var lacking: [Article] = []
                let views = try tables.articles(page.ids).map { article in
                    let written = service.writer?.summary(known: article, in: tables)
                    if written == nil { lacking.append(article) }
                    return NewsAPIArticleView(
                        article,
                        sourceID: service.settings.sourceID(of: article),
                        summary: written ?? article.originalSummary,
                        storyID: try tables.signal(ofArticle: article.id)?.storyID
                    )
                }
                return (ids, page, views, lacking)
            }
        }
        service.writer?.request(summariesOf: lacking)
        if frozen == nil {
            snapshots.withLock { _ = $0.freeze(ids, of: query, for: caller, now: now) }
        }
        return NewsAPIPage(totalResults: page.totalResults, articles: views).json()
    }

    // MARK: Sources

    private func sources(_ request: RouteRequest) throws -> [UInt8] {
        let query = try SourcesQuery(
            category: request.query("category"),
            language: request.query("language"),
            country: request.query("country")
        )
        let sources = service.settings.sources.map(\.asQueried).filter { source in
            (query.category.map { $0 == source.category } ?? true)
                && (query.language.map { $0 == source.language } ?? true)
                && (query.country.map { $0 == source.country } ?? true)
        }
        return newsAPISourcesJSON(
            sources.map { source in
                NewsAPISourceView(
                    id: source.name,
                    name: source.title ?? source.name,
                    category: source.category,
                    language: source.language ?? "",
                    country: source.country ?? ""
                )
            }
        )
    }

    private func check(_ sources: [String]) throws(NewsAPIError) {
        let known = Set(service.settings.sources.map(\.name))
        for name in sources where !known.contains(name) { throw .sourceDoesNotExist(name) }
    }

    // MARK: One article

    private func summary(_ request: RouteRequest, _ caller: Caller) async throws -> [UInt8] {
        let requested = try requestedSummaryURL(request.query("url"))
        let url = try? CanonicalURL(requested)
        let article = try await reads.run(for: caller.readKey) { [service] in
            try await service.store.readNews { tables in
                try url.flatMap { try tables.articles(named: $0).first }
            }
        }
        guard let article else { throw NewsAPIError.articleNotFound(url: requested) }
        let written = await service.writer?.summary(of: article)
        return (written ?? article.originalSummary).json()
    }

    private func key(of request: RouteRequest) throws(NewsAPIError) -> String? {
        switch PresentedKey(request.head.headers) {
        case .malformed: throw .apiKeyInvalid
        case .key(let key): key
        case .none:
            presentedNewsAPIKey(
                header: nil,
                authorization: request.header("Authorization"),
                query: request.query("apiKey")
            )
        }
    }

    // MARK: Answers

    private func answer(
        _ request: RouteRequest,
        _ body: (Caller) async throws -> [UInt8]
    ) async -> ServerResponse {
        do {
            let caller = Caller(
                key: try keys.admit(try key(of: request)),
                address: request.peer?.host ?? ""
            )
            let now = HubClock.wall
            let standing = requests.withLock { $0.take(caller, now: now) }
            guard standing.isAllowed else {
                let pause = (standing.reset - now).inSeconds.rounded(.up)
                throw NewsAPIError.rateLimited(retryAfterSeconds: Int(max(1, pause)))
            }
            return .uncached(try await body(caller))
        } catch let error as NewsAPIError {
            var response = ServerResponse.newsAPIError(error)
            response.refusesKey = error.code == .apiKeyInvalid
            return response
        } catch is FairReads.Refused {
            let pause = Int(FairReads.Refused.retryAfter.inSeconds)
            return .newsAPIError(.rateLimited(retryAfterSeconds: pause))
        } catch {
            service.logger.error(
                "news: request not carried out",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return .newsAPIError(error is StoreError ? .unavailable() : .unexpectedError)
        }
    }
}

extension NewsSection {
    /// Nil for the articles of a source with many publishers, whose id would name none of them, and
    /// of one that is not configured, which `sources` would refuse.
    fileprivate func sourceID(of article: Article) -> String? {
        let name = article.source.name
        return sources.contains { $0.name == name && $0.kind == .feed } ? name : nil
    }
}

extension ArticleFilter {
    fileprivate mutating func search(_ text: String?) {
        guard let text, !text.isEmpty else { return }
        let terms = SearchTerms(text)
        words = terms.required
        excludedWords = terms.excluded
        isEmpty = terms.required.isEmpty
    }
}

extension Article {
    /// The publisher's own text: the content, or else the summary, or else the title.
    fileprivate var originalSummary: NewsSummaryView {
        let text = [content, summary, title].first { !$0.isEmpty } ?? ""
        return NewsSummaryView(text: text, source: .original)
    }
}

extension ErrorForm {
    fileprivate static let newsAPI = ErrorForm { problem in
        switch problem {
        case .notFound: .newsAPIError(.notFound)
        case .keyRefused: .newsAPIError(.apiKeyInvalid)
        case .methodNotAllowed(let allowed): .newsAPIError(.methodNotAllowed(allowed: allowed))
        case .notLeading(let message): .newsAPIError(NewsAPIError(.unavailable, message))
        }
    }
}

extension ServerResponse {
    fileprivate static func newsAPIError(_ error: NewsAPIError) -> ServerResponse {
        var response = ServerResponse.uncached(error.json(), status: error.status)
        if let seconds = error.retryAfterSeconds {
            response.head.headers.append("Retry-After", String(seconds))
        }
        return response
    }
}
