import Expectations
import News
import Service
import StoreTesting
import Wire

@testable import NewsApp

@Suite("Articles pushed by a back end", .timeLimit(.minutes(10)))
struct NewsPushRoutesTests {
    private let path = "/api/news/articles"

    private func push(_ hub: NewsHub, _ articles: String...) async throws -> [Int?] {
        let answer = try await hub.object(
            path,
            method: "POST",
            body: #"{"articles":[\#(articles.joined(separator: ","))]}"#
        )
        return ["added", "revised", "unchanged"].map { answer[$0] as? Int }
    }

    private let article = #"""
        {"url":"HTTP://News.example.org:80/a?utm_source=x","title":"Apple beats estimates",
        "description":"Quarterly profit of the bank (NASDAQ: AAPL) lifts its shares.","source":"The Wire",
        "published_at":"2026-01-01T00:00:00Z"}
        """#

    @Test func pushedArticleIsStoredOnceByItsCanonicalURL() async throws {
        try await NewsHub.run { hub in
            try await expectEqual(push(hub, article), [1, 0, 0])
            try await expectEqual(push(hub, article), [0, 0, 1])
            let changed = article.replacing("beats", with: "misses")
            try await expectEqual(push(hub, changed), [0, 1, 0])
            let stored = try await hub.store.readNews { try $0.article(1) }
            let found = try require(stored)
            expectEqual(found.url, "https://news.example.org/a")
            expectEqual(found.source.title, "The Wire")
            expectEqual(found.tickers, [Ticker("AAPL")!])
            expectEqual(found.category, .business)
            expectEqual(found.publishedAt, startOfTests)
        }
    }

    @Test func lastVersionInOneRequestCounts() async throws {
        try await NewsHub.run { hub in
            let changed = article.replacing("beats", with: "misses")
            try await expectEqual(push(hub, article, changed), [1, 1, 0])
            let stored = try await hub.store.readNews { try $0.article(1) }
            expectEqual(stored?.title, "Apple misses estimates")
            // Pages that articles share are told apart all the same.
            let parts = ["one", "two"].map {
                #"{"url":"https://a.example/log#\#($0)","title":"\#($0)"}"#
            }
            try await expectEqual(push(hub, parts[0], parts[1], parts[0]), [2, 0, 1])
        }
    }

    @Test func futureDateIsTheTimeOfArrival() async throws {
        try await NewsHub.run { hub in
            let now = hub.service.clock.now
            let soon = (now + .seconds(3600)).iso8601Seconds
            _ = try await push(hub, article.replacing("2026-01-01T00:00:00Z", with: soon))
            let stored = try await hub.store.readNews { try $0.article(1) }
            try expect(require(stored).publishedAt < now + .seconds(60))
            try await expectEqual(hub.object("/v1/feed?include=ignored").items("items").count, 1)
        }
    }

    @Test func oneBadArticleRefusesAll() async throws {
        try await NewsHub.run { hub in
            let error = try await hub.object(
                path,
                method: "POST",
                body: #"{"articles":[\#(article),{"url":"x","title":"T"}]}"#,
                status: 400
            )
            expectEqual((error["details"] as? String)?.contains("articles[1]"), true)
            try await expectEqual(hub.store.readNews { try $0.articleCount() }, 0)
        }
    }

    @Test func withdrawnArticleIsGone() async throws {
        try await NewsHub.run { hub in
            _ = try await push(hub, article)
            let target = path + "?url=https://news.example.org/a"
            let answer = try await hub.object(target, method: "DELETE")
            expectEqual(answer["success"] as? Bool, true)
            try await expectEqual(hub.store.readNews { try $0.articleCount() }, 0)
            let payloads = try await hub.payloads(of: "news:category:business")
            expect(payloads.allSatisfy { !$0.contains("Apple") })
            expect(payloads.contains { $0.contains("news.signal.removed") })
            let again = try await hub.object(target, method: "DELETE", status: 404)
            expectEqual(again["error"] as? String, "Article not found")
            _ = try await hub.object(path, method: "DELETE", status: 400)
        }
    }
}
