import DomainKit
import News

/// The routes of `/v1`, with signals and stories: protocol/news.md.
package struct NewsRoutes: Sendable {
    /// The most bytes of a request's body.
    static let bodyBytesMax = 128 << 10
    private static let cacheControl = "private, max-age=0, must-revalidate"
    private static let groupsCacheControl = "private, max-age=60"

    private let service: NewsService
    private let interpreter: NewsInterpreter
    private let callers: NewsCallers
    private let reads: FairReads
    private let requests: Locked<RateWindow<NewsUserID>>
    private let interpretations: Locked<RateWindow<NewsUserID>>
    private let searches = Locked(PageSnapshots<NewsUserID, String>())

    package init(
        service: NewsService,
        pages: PageReader,
        access: RouteAccess,
        reads: FairReads,
        isDevelopment: Bool
    ) {
        self.service = service
        interpreter = NewsInterpreter(service: service, pages: pages)
        callers = NewsCallers(access: access, isDevelopment: isDevelopment)
        self.reads = reads
        requests = Locked(
            RateWindow(limit: service.settings.requestsPerMinute, length: .seconds(60))
        )
        interpretations = Locked(
            RateWindow(limit: service.settings.interpretationsPerMinute, length: .seconds(60))
        )
    }

    package static let prefixes = RoutePrefixes(.news, "/v1")

    package func add(to routes: inout Routes) {
        addFeeds(to: &routes)
        addUsers(to: &routes)
        routes.get("/v1/stories/:id") { request in
            await answer(request) { _ in try await story(request) }
        }
        routes.get("/v1/search") { request in
            await answer(request) { user in try await search(request, user) }
        }
        routes.post("/v1/interpret") { request in
            await answer(request) { user in try await interpretation(request, user) }
        }
        routes.post("/v1/signals/:id/feedback") { request in
            await answer(request) { [service] user in
                let feedback = try NewsFeedback(json: try content(request))
                let id = request.parameters["id"]
                try await service.take(feedback, on: id, by: user)
                return .uncached(feedbackJSON(signalID: id, feedback: feedback))
            }
        }
        routes.errors(NewsRoutes.prefixes)
    }

    private func addFeeds(to routes: inout Routes) {
        routes.get("/v1/feed") { request in
            await read(request) { [service] _ in
                let query = try NewsFeedQuery(
                    limit: request.query("limit"),
                    cursor: request.query("cursor"),
                    include: request.query("include")
                )
                return try await service.feed(query).json()
            }
        }
        routes.get("/v1/personalized-feed") { request in
            await read(request) { [service] user in
                let query = try NewsFeedQuery(
                    limit: request.query("limit"),
                    cursor: request.query("cursor"),
                    limitDefault: NewsRequestLimits.personalFeedLengthDefault
                )
                return try await service.personalFeed(query, of: user).json()
            }
        }
        routes.get("/v1/feed/story-groups") { request in
            await read(request, NewsRoutes.groupsCacheControl) { [service] user in
                let now = service.clock.now
                let query = try StoryGroupsQuery(
                    date: request.query("date"),
                    limitGlobal: request.query("limit_global"),
                    limitPerTicker: request.query("limit_per_ticker"),
                    now: now + service.settings.timeZone.offset(at: now)
                )
                return try await service.storyGroups(query, of: user).json()
            }
        }
        routes.get("/v1/brief/latest") { request in
            await read(request) { [service] user in try await service.brief(of: user) }
        }
    }

    private func addUsers(to routes: inout Routes) {
        routes.get("/v1/preferences") { request in
            await read(request) { [service] user in
                try await service.preferences(of: user).json()
            }
        }
        routes.put("/v1/preferences") { request in
            await answer(request) { [service] user in
                let change = try PreferencesRequest(json: try content(request))
                return .uncached(try await service.change(change, of: user).updatedJSON())
            }
        }
        routes.delete("/v1/users/me/data") { request in
            await answer(request, seesUser: false) { [service] user in
                try await service.deleteData(of: user)
                return .uncached(newsDataDeletedJSON())
            }
        }
    }

    private func interpretation(
        _ request: RouteRequest,
        _ user: NewsUserID
    ) async throws -> ServerResponse {
        let pasted = try NewsInterpretRequest(json: try content(request))
        let standing = interpretations.withLock { $0.take(user, now: HubClock.wall) }
        guard standing.isAllowed else { throw NewsError.rateLimitExceeded(until: standing.reset) }
        return .uncached(try await interpreter.signal(of: pasted, for: user).json())
    }

    private func content(_ request: RouteRequest) throws(NewsError) -> [UInt8] {
        guard request.body.count <= NewsRoutes.bodyBytesMax else {
            throw .bodyTooLong(bytesMax: NewsRoutes.bodyBytesMax)
        }
        return request.body
    }

    // MARK: Stories and searches

    private func story(_ request: RouteRequest) async throws -> ServerResponse {
        let id = try storyIDInPath(request.parameters["id"])
        switch try await service.story(id) {
        case .story(let view): return tagged(view.json(), request, NewsRoutes.cacheControl)
        case .merged(let target):
            var response = ServerResponse.uncached(
                mergedStoryJSON(id: id, into: target),
                status: 301
            )
            response.head.headers.append("Location", "/v1/stories/\(target)")
            return response
        }
    }

    /// The first page of a search freezes its results, as in `/v2`; a cursor counts the results
    /// read.
    private func search(_ request: RouteRequest, _ user: NewsUserID) async throws -> ServerResponse
    {
        let query = try NewsSearchQuery(
            q: request.query("q"),
            limit: request.query("limit"),
            cursor: request.query("cursor")
        )
        let list = "search:\(user.text.utf8.count):\(user.text):\(query.text)"
        var start = 0
        if let text = query.cursor {
            do throws(NewsCursorError) {
                let cursor = try service.cursors.cursor(text, list: list, oldestGeneration: 0)
                start = cursor.generation
            } catch {
                throw NewsError.invalidCursor(error)
            }
        }
        let now = service.clock.now
        let page = start == 0 ? 1 : 2
        var results = searches.withLock {
            $0.results(of: query.text, for: user, page: page, now: now)
        }
        if results == nil {
            let limit = PageSnapshots<NewsUserID, String>.resultsMax
            let found = try await service.search(query.text, limit: limit)
            results = searches.withLock {
                $0.freeze(found, of: query.text, for: user, now: now)
            }
        }
        let rest = (results ?? []).dropFirst(start)
        let next = start + query.limit
        let cursor = NewsCursor(generation: next, position: .start)
        let view = SearchView(
            query: query.text,
            items: try await service.signals(ofArticles: Array(rest.prefix(query.limit))),
            nextCursor: rest.count > query.limit
                ? service.cursors.text(of: cursor, list: list) : nil
        )
        return .uncached(view.json())
    }

    // MARK: Answers

    /// Answers a read-only request with an entity tag. Users take turns.
    private func read(
        _ request: RouteRequest,
        _ cacheControl: String = NewsRoutes.cacheControl,
        _ body: @escaping (NewsUserID) async throws -> [UInt8]
    ) async -> ServerResponse {
        await answer(request) { user in
            let content = try await reads.run(for: Array(user.text.utf8)) { try await body(user) }
            return tagged(content, request, cacheControl)
        }
    }

    private func tagged(
        _ body: [UInt8],
        _ request: RouteRequest,
        _ cacheControl: String
    ) -> ServerResponse {
        let tag = EntityTag(of: body)
        let headers: HTTPHeaders = ["Cache-Control": cacheControl, "ETag": tag.text]
        guard !tag.isKnown(to: request.head.headers) else {
            // RFC 9110 §15.4.5: a 304 has the header fields of the 200 that it replaces.
            return ServerResponse(head: HTTPResponseHead(status: 304, headers: headers))
        }
        var response = ServerResponse.uncached(body)
        for field in ["Cache-Control", "ETag"] {
            if let value = headers.first(field) {
                response.head.headers.replace(field, with: value)
            }
        }
        return response
    }

    /// - Parameter seesUser: false for a request after which no data of the user may be stored.
    private func answer(
        _ request: RouteRequest,
        seesUser: Bool = true,
        _ body: (NewsUserID) async throws -> ServerResponse
    ) async -> ServerResponse {
        let user: NewsUserID
        do throws(NewsError) { user = try await callers.user(of: request) } catch {
            return .newsError(error)
        }
        let standing = requests.withLock { $0.take(user, now: HubClock.wall) }
        var response: ServerResponse
        if standing.isAllowed {
            response = await service.newsAnswer {
                if seesUser { try await service.see(user) }
                return try await body(user)
            }
        } else {
            response = .newsError(.rateLimitExceeded(until: standing.reset))
        }
        response.head.headers.add(standing)
        return response
    }
}

extension NewsService {
    /// The response of `body`, or an error in the form of `/v1`.
    func newsAnswer(_ body: () async throws -> ServerResponse) async -> ServerResponse {
        do {
            return try await body()
        } catch let error as NewsError {
            return .newsError(error)
        } catch is FairReads.Refused {
            let pause = Int(FairReads.Refused.retryAfter.inSeconds)
            return .newsError(.rateLimitExceeded(retryAfterSeconds: pause))
        } catch {
            logger.error(
                "news: request not carried out",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return .newsError(error is StoreError ? .unavailable() : .internal)
        }
    }
}

extension NewsError {
    fileprivate static func rateLimitExceeded(until reset: Timestamp) -> NewsError {
        let pause = Int(max(1, (reset - HubClock.wall).inSeconds.rounded(.up)))
        return rateLimitExceeded(retryAfterSeconds: pause)
    }
}

extension ErrorForm {
    static let news = ErrorForm { problem in
        switch problem {
        case .notFound: .newsError(.notFound)
        case .keyRefused: .newsError(.apiKeyRequired)
        case .methodNotAllowed(let allowed): .newsError(.methodNotAllowed(allowed: allowed))
        case .notLeading(let message): .newsError(.unavailable(details: message))
        }
    }
}

extension ServerResponse {
    static func newsError(_ error: NewsError) -> ServerResponse {
        var response = ServerResponse.uncached(error.json(), status: error.status)
        if error.status == 401 {
            response.head.headers.append("WWW-Authenticate", Challenge.apiKey)
        }
        if let seconds = error.retryAfterSeconds {
            response.head.headers.append("Retry-After", String(seconds))
        }
        return response
    }
}
