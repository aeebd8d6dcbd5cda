import Configuration
import Expectations
import HubTesting
import LoopTesting
import News
import Service
import StoreTesting
import Upstream

@testable import NewsApp

@Suite("NewsAPI as a source, polled over loopback", .timeLimit(.minutes(10)))
struct NewsAPISourcesTests {
    private static let start = Timestamp(iso8601: "2026-01-02T10:00:00Z")!
    private static let key = "the-key-of-a-test"

    private func answer(_ titles: [String], publisher: String = "Sample Daily") -> String {
        let articles = titles.map { title in
            """
            {"source":{"id":null,"name":"\(publisher)"},"author":null,
            "title":"\(title) - \(publisher)","description":"About \(title).",
            "url":"https://daily.example.org/\(title)","urlToImage":null,
            "publishedAt":"2026-01-02T09:00:00Z","content":"Text of \(title). [+99 chars]"}
            """
        }
        return """
            {"status":"ok","totalResults":\(titles.count),
            "articles":[\(articles.joined(separator: ","))]}
            """
    }

    private func refusal(_ code: String, _ message: String = "No.") -> String {
        #"{"status":"error","code":"\#(code)","message":"\#(message)"}"#
    }

    private func source(_ url: String, dailyRequests: Int = 100) -> NewsSection.Source {
        var source = NewsSection.Source()
        source.name = "headlines"
        source.kind = .newsapi
        source.url = url
        source.dailyRequests = dailyRequests
        var query = NewsSection.Query()
        query.country = "us"
        query.category = .science
        source.query = query
        return source
    }

    private struct Outcome {
        var requests: [HTTPRequestHead]
        var health: FeedHealth?
        var log: [String]
    }

    /// Polls the source until `count` polls are over.
    private func poll(
        _ script: [ScriptedServer.Answer],
        count: Int,
        _ body: (HubStore, Outcome) async throws -> Void
    ) async throws {
        let requests = Locked<[HTTPRequestHead]>([])
        let rest = Locked(script[...])
        try await ScriptedServer.run(
            answer: { request in
                requests.withLock { $0.append(request.head) }
                return rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
            }
        ) { server in
            try await withStore(migrations: NewsTables.migrations) { store in
                let log = RecordedLog()
                let board = HealthBoard()
                try await run(source(server.url), store, polls: count, board, log)
                let outcome = Outcome(
                    requests: requests.withLock { $0 },
                    health: board.all.first { $0.name == "news.headlines" }?.health,
                    log: log.texts
                )
                try await body(store, outcome)
            }
        }
    }

    /// Counts a request that the source is not allowed to send as a poll.
    private func run(
        _ source: NewsSection.Source,
        _ store: HubStore,
        polls: Int,
        _ board: HealthBoard,
        _ log: RecordedLog,
        speed: Double = 100_000
    ) async throws {
        let clock = HubClock(
            .recording(start: NewsAPISourcesTests.start, speed: speed, anchor: HubClock.wall)
        )
        var section = NewsSection()
        section.sources = [source]
        let service = newsService(store, settings: section, clock: clock)
        let (settled, settling) = AsyncStream<Void>.makeStream()
        let keys = [source.name: Secret(NewsAPISourcesTests.key)]
        var feed = try require(NewsSources(service: service, keys: keys).all.first)
        feed.settle = { settling.yield() }
        let ask = feed.holdOff
        feed.holdOff = {
            let time = await ask()
            if time != nil { settling.yield() }
            return time
        }
        let client = UpstreamClient()
        let poller = FeedPoller(
            feed: feed,
            fetcher: UpstreamFetcher(client: client, userAgent: "tests/1"),
            clock: clock,
            board: board,
            logger: log.logger
        )
        let task = Task { await poller.run(poller.listed(validators: FeedValidators())) }
        var left = polls
        for await _ in settled {
            left -= 1
            if left == 0 { break }
        }
        task.cancel()
        await task.value
        client.shutDown()
    }

    private func ok(_ text: String) -> ScriptedServer.Answer {
        .status(200, [:], body: Array(text.utf8))
    }

    // MARK: Requests

    @Test func keyIsSentInAHeaderAndTheQueryInTheURL() async throws {
        try await poll([ok(answer(["a"]))], count: 1) { _, outcome async throws in
            let request = try require(outcome.requests.first)
            expectEqual(
                request.target,
                "/v2/top-headlines?country=us&category=science&pageSize=100"
            )
            expectEqual(request.headers.first("X-Api-Key"), NewsAPISourcesTests.key)
        }
    }

    @Test func articlesHaveTheirPublisherAndWhatTheQuerySays() async throws {
        try await poll([ok(answer(["b", "a"]))], count: 1) { store, _ async throws in
            let articles = try await store.readNews { tables in
                try tables.articles(tables.articleIDs(ArticleFilter(), limit: 10))
            }
            expectEqual(articles.map(\.title), ["b", "a"])
            let article = try require(articles.first)
            expectEqual(article.source.title, "Sample Daily")
            expectEqual(article.source.owner, "sample-daily")
            expectEqual(article.source.name, "headlines")
            expectEqual(article.content, "Text of b.")
            expect((article.country, article.category) == ("us", .science))
        }
    }

    // MARK: Refusals

    @Test(arguments: [400, 401, 403, 426])
    func refusalThatStaysStopsTheSource(status: Int) async throws {
        let body = refusal("apiKeyInvalid", "Your key \(NewsAPISourcesTests.key) is wrong.")
        let script = [ScriptedServer.Answer.status(status, [:], body: Array(body.utf8))]
        try await poll(script, count: 1) { store, outcome async throws in
            expectEqual(outcome.requests.count, 1)
            expectEqual(outcome.health?.status, .stopped)
            let log = outcome.log.joined(separator: "\n")
            expect(log.contains("apiKeyInvalid"))
            expect(!log.contains(NewsAPISourcesTests.key))
            try await expectEqual(store.readNews { try $0.generation() }, 0)
        }
    }

    @Test func errorWithStatus200ChangesNothing() async throws {
        let script = [ok(answer(["a"])), ok(refusal("unexpectedError"))]
        try await poll(script, count: 2) { store, outcome async throws in
            expect(outcome.log.contains { $0.contains("unexpectedError") })
            try await expectEqual(store.readNews { try $0.generation() }, 1)
        }
    }

    @Test func sourceThatHasAskedTooOftenWaitsAndGoesOn() async throws {
        let body = Array(refusal("rateLimited").utf8)
        let script = [ScriptedServer.Answer.status(429, [:], body: body), ok(answer(["a"]))]
        try await poll(script, count: 2) { store, outcome async throws in
            expectEqual(outcome.requests.count, 2)
            expectEqual(outcome.health?.status, .healthy)
            expect(outcome.log.contains { $0.contains("rateLimited") })
            try await expectEqual(store.readNews { try $0.generation() }, 1)
        }
    }

    /// Some errors have status 200, which stops no feed.
    @Test(arguments: [("rateLimited", 1800), ("apiKeyInvalid", 6 * 3600), ("unexpectedError", 0)])
    func errorWithStatus200HoldsRequestsOffAtNoCost(code: String, seconds: Int) async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            var section = NewsSection()
            section.sources = [source("http://127.0.0.1:9")]
            let clock = HubClock(.recording(start: Self.start, speed: 0, anchor: HubClock.wall))
            let service = newsService(store, settings: section, clock: clock)
            let keys = ["headlines": Secret(Self.key)]
            let feed = try require(NewsSources(service: service, keys: keys).all.first)
            let body = FeedBody(Array(refusal(code, "See \(Self.key).").utf8))
            let error = await #expect(throws: (any Error).self) {
                try await feed.apply(body, FeedValidators())
            }
            let text = "\(String(describing: error))"
            expect(text.contains(code) && !text.contains(Self.key), "\(text)")
            let isHeldOff = seconds > 0
            await expectEqual(feed.holdOff(), (isHeldOff ? Self.start + .seconds(seconds) : nil))
            try await expectEqual(store.state(domain: NewsSection.key).isEmpty, isHeldOff)
        }
    }

    // MARK: Budgets

    /// Also a request without an answer, so that no crash makes one free.
    @Test func requestIsStoredBeforeItIsSentAndCountsAfterARestart() async throws {
        let gate = ScriptedServer.Gate()
        let failure = ServerResponse(status: 500, text: "none")
        let count = Locked(0)
        try await ScriptedServer.run(
            answer: { _ in
                count.withLock { $0 += 1 }
                return .held(gate, failure)
            }
        ) { server in
            try await withStore(migrations: NewsTables.migrations) { store in
                let source = source(server.url, dailyRequests: 1)
                let log = RecordedLog()
                // So slow that the day does not end in between.
                async let first: Void = run(
                    source,
                    store,
                    polls: 1,
                    HealthBoard(),
                    log,
                    speed: 1000
                )
                for await _ in server.requests { break }
                let rows = try await store.state(domain: NewsSection.key)
                expectEqual(rows.map(\.key), [NewsAPIBudget.rowKey(of: Self.key)])
                gate.open()
                try await first
                try await run(source, store, polls: 1, HealthBoard(), log, speed: 1000)
                expectEqual(count.withLock { $0 }, 1)
            }
        }
    }

    private func budget(
        _ store: HubStore,
        _ log: RecordedLog = RecordedLog(),
        key: String = key,
        at time: Timestamp = start
    ) -> NewsAPIBudget {
        NewsAPIBudget(
            key: key,
            dailyMax: 3,
            store: store,
            clock: HubClock(.recording(start: time, speed: 0, anchor: HubClock.wall)),
            logger: log.logger
        )
    }

    @Test func budgetOfADayIsSpentBeforeTheRequestAndOutlivesTheProcess() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let midnight = try require(Timestamp(iso8601: "2026-01-03T00:00:00Z"))
            let first = budget(store)
            await expectNil(first.spend(for: "a"))
            await expectNil(first.spend(for: "b"))
            let log = RecordedLog()
            let second = budget(store, log)
            await expectNil(second.spend(for: "a"))
            await expectEqual(second.spend(for: "a"), midnight)
            await expectEqual(second.spend(for: "b"), midnight)
            expectEqual(log.texts.filter { $0.contains("used up") }.count, 1)
            await expectNil(budget(store, key: "another").spend(for: "c"))
            await expectNil(budget(store, at: midnight).spend(for: "a"))
        }
    }

    @Test func requestsAtATimeAreAllCounted() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let budget = budget(store)
            let granted = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 { group.addTask { await budget.spend(for: "a") == nil } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            expectEqual(granted, 3)
        }
    }

    @Test func sourcesWithOneKeyShareABudget() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            var section = NewsSection()
            section.sources = ["a", "b"].map { name in
                var source = source("http://127.0.0.1:9", dailyRequests: name == "a" ? 2 : 5)
                source.name = name
                return source
            }
            let clock = HubClock(.recording(start: Self.start, speed: 0, anchor: HubClock.wall))
            let service = newsService(store, settings: section, clock: clock)
            let keys = ["a": Secret(Self.key), "b": Secret(Self.key)]
            let feeds = NewsSources(service: service, keys: keys).all
            expectEqual(feeds.count, 2)
            await expectNil(feeds[0].holdOff())
            await expectNil(feeds[1].holdOff())
            await expect(feeds[0].holdOff() != nil)
            await expect(feeds[1].holdOff() != nil)
        }
    }
}

extension RecordedLog {
    /// Messages with their fields.
    fileprivate var texts: [String] {
        lines.withLock { $0.map { "\($0.message) \($0.fields)" } }
    }
}
