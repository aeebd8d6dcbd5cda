import Expectations
import HubTesting
import LoopTesting
import News
import Service
import StoreTesting
import Upstream

@testable import NewsApp

@Suite("Sources of the news, polled over loopback", .timeLimit(.minutes(10)))
struct NewsSourcesTests {
    private static let start = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

    private func rss(_ titles: [String]) -> String {
        let items = titles.map { title in
            """
            <item><title>\(title)</title><link>https://news.example.org/\(title)</link>
            <pubDate>Fri, 02 Jan 2026 09:00:00 GMT</pubDate></item>
            """
        }
        return """
            <?xml version="1.0"?><rss version="2.0"><channel><title>Fed</title>
            \(items.joined())</channel></rss>
            """
    }

    /// Polls a source whose answers are those of the script until `count` polls are over.
    private func poll(
        _ script: [ScriptedServer.Answer],
        count: Int,
        _ body: (HubStore, [HTTPRequestHead]) async throws -> Void
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
                try await run(server.url + "/feed.xml", store, polls: count)
                try await body(store, requests.withLock { $0 })
            }
        }
    }

    private func run(_ url: String, _ store: HubStore, polls: Int) async throws {
        let clock = HubClock(
            .recording(start: NewsSourcesTests.start, speed: 100_000, anchor: HubClock.wall)
        )
        var section = NewsSection()
        var source = NewsSection.Source()
        source.name = "fed"
        source.url = url
        section.sources = [source]
        let service = newsService(store, settings: section, clock: clock)
        let (settled, settling) = AsyncStream<Void>.makeStream()
        var feed = try require(NewsSources(service: service).all.first)
        feed.settle = { settling.yield() }
        let client = UpstreamClient()
        let poller = FeedPoller(
            feed: feed,
            fetcher: UpstreamFetcher(client: client, userAgent: "tests/1"),
            clock: clock,
            board: HealthBoard(),
            logger: silentLogger
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

    private func titles(_ store: HubStore) async throws -> [String] {
        try await store.readNews { tables in
            try tables.articles(tables.articleIDs(ArticleFilter(), limit: 100)).map(\.title)
        }
    }

    private func answer(_ text: String, _ headers: HTTPHeaders = [:]) -> ScriptedServer.Answer {
        .status(200, headers, body: Array(text.utf8))
    }

    @Test func articlesOfADocumentAreStoredTheFirstOneAsTheNewest() async throws {
        try await poll([answer(rss(["c", "b", "a"]))], count: 1) { store, requests async throws in
            try await expectEqual(titles(store), ["c", "b", "a"])
            let accept = try require(requests.first?.headers.first("Accept"))
            expect(accept.contains("application/rss+xml") && accept.contains("feed+json"))
        }
    }

    @Test func documentThatIsReadAgainAddsOnlyWhatIsNew() async throws {
        let script = [answer(rss(["a"]), ["ETag": "\"1\""]), answer(rss(["b", "a"]))]
        try await poll(script, count: 2) { store, requests async throws in
            try await expectEqual(titles(store), ["b", "a"])
            expectEqual(requests[1].headers.first("If-None-Match"), "\"1\"")
        }
    }

    @Test func pageOfHTMLIsNoFeedAndChangesNothing() async throws {
        let script = [answer(rss(["a"])), answer("<!DOCTYPE html><html><body>Maintenance")]
        try await poll(script, count: 2) { store, _ async throws in
            try await expectEqual(titles(store), ["a"])
        }
    }

    @Test func truncatedDocumentIsReadAsFarAsItGoes() async throws {
        let whole = rss(["a", "b"])
        let end = try require(whole.range(of: "</item></channel>")?.lowerBound)
        try await poll([answer(String(whole[..<end]))], count: 1) { store, _ async throws in
            let titles = try await titles(store)
            expect(titles.contains("a"))
        }
    }

    @Test func feedThatHasMovedIsReadAtItsNewPlace() async throws {
        let script = [
            .status(301, ["Location": "/new.xml"]), answer(rss(["a"])), answer(rss(["b"])),
        ]
        try await poll(script, count: 2) { store, requests async throws in
            expectEqual(requests.map(\.target), ["/feed.xml", "/new.xml", "/new.xml"])
            try await expectEqual(titles(store), ["b", "a"])
        }
    }

    // MARK: What a document asks for

    private func wait(
        pollInterval: Duration? = nil,
        skippedHours: Set<Int> = []
    ) -> Duration? {
        var document = FeedDocument(format: .rss)
        document.pollInterval = pollInterval
        document.skippedHours = skippedHours
        let now = Timestamp(iso8601: "2026-01-02T10:30:00Z")!
        return NewsSources.wait(document, now: now).map { $0 - now }
    }

    @Test func documentIsLeftAloneForItsIntervalAtMostADay() {
        expectNil(wait())
        expectEqual(wait(pollInterval: .seconds(7200)), .seconds(7200))
        expectEqual(wait(pollInterval: .seconds(90 * 86_400)), .seconds(86_400))
        expectNil(wait(pollInterval: .zero))
    }

    @Test func hoursThatADocumentSkipsAreSkipped() {
        expectNil(wait(skippedHours: [9, 11]))
        expectEqual(wait(skippedHours: [10]), .seconds(1800))
        expectEqual(wait(skippedHours: [10, 11, 12]), .seconds(1800 + 7200))
        expectEqual(wait(pollInterval: .seconds(3600), skippedHours: [11]), .seconds(1800 + 3600))
        // Over midnight, and no day that never ends.
        expectEqual(wait(skippedHours: Set(10..<24)), .seconds(1800 + 13 * 3600))
        expectEqual(wait(skippedHours: Set(0..<24)).map { $0 <= .seconds(86_400) }, true)
    }
}
