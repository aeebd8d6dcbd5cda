import Expectations
import Foundation
import HubTesting
import LoopTesting
import News
import Reactor
import Service
import Wire

@testable import NewsApp

@Suite("Texts of the model in answers", .timeLimit(.minutes(10)))
struct WrittenTextsInAnswersTests {
    private static let user = NewsUserID("ann")!

    /// Runs `body` with a service whose writer writes in the background meanwhile.
    private func withService(
        _ body: (WriterHub, NewsService) async throws -> Void
    ) async throws {
        try await WriterHub.run { hub in
            let writer = try await hub.writer()
            let service = newsService(hub.store, writer: writer)
            let background = Task { await writer.run() }
            do { try await body(hub, service) } catch {
                background.cancel()
                throw error
            }
            background.cancel()
            await background.value
        }
    }

    private var report: Article {
        newArticle(
            "a",
            title: "Acme Rockets earns more",
            summary: WriterHub.sentences,
            tickers: ["ACME"]
        )
    }

    // MARK: Explanations

    @Test func explanationIsThatOfTheTemplateUntilTheModelHasWrittenOne() async throws {
        try await withService { hub, service in
            hub.set(WriterHub.explanation())
            _ = try await service.take([report])
            let holdings = try PreferencesRequest(json: Array(#"{"holdings":["ACME"]}"#.utf8))
            _ = try await service.change(holdings, of: Self.user)
            func explanation() async throws -> PersonalSignalView.Explanation {
                let query = try NewsFeedQuery(limit: nil, cursor: nil)
                let page = try await service.personalFeed(query, of: Self.user)
                return try require(page.items.first?.explanation)
            }
            let first = try await explanation()
            expect(first.confidence <= PersonalSignalView.Explanation.templateConfidenceMax)
            var latest = first
            while latest == first {
                await Task.yield()
                latest = try await explanation()
            }
            expectEqual(latest.impact, "Profit rose 12 percent.")
            expectEqual(latest.confidence, 0.75)
            expectEqual(hub.requests.count, 1)
        }
    }

    // MARK: Summaries

    private struct Page: Decodable {
        struct Article: Decodable {
            var summary: String
            var summarySource: String
            var storyId: Int
        }
        var articles: [Article]
    }

    private struct Summary: Decodable {
        var summary: String
        var summarySource: String
        var model: String?
    }

    private func ask<Answer: Decodable>(
        _ target: String,
        _ responder: RouteResponder,
        as: Answer.Type
    ) async throws -> Answer {
        let response = await responder.respond(
            to: ServerRequest(
                head: HTTPRequestHead(method: "GET", target: target, headers: [:]),
                body: [],
                peer: SocketAddress("127.0.0.1:5")
            )
        )
        expectEqual(response.head.status, 200)
        return try JSONDecoder().decode(Answer.self, from: Data(response.body))
    }

    @Test func listHasThePublishersTextUntilTheModelHasWrittenASummary() async throws {
        try await withService { hub, service in
            hub.set(WriterHub.summary())
            _ = try await service.take([report])
            var settings = NewsSection()
            settings.requestsPerMinute = 1_000_000
            var routes = Routes()
            NewsAPIRoutes(
                service: newsService(hub.store, settings: settings, writer: service.writer),
                keys: NewsAPIKeys([], development: true),
                reads: FairReads()
            ).add(to: &routes)
            let responder = RouteResponder(routes: routes, logger: silentLogger)
            func article() async throws -> Page.Article {
                let page = try await ask("/v2/everything?q=rockets", responder, as: Page.self)
                return try require(page.articles.first)
            }
            let first = try await article()
            expectEqual(first.summarySource, "original")
            expectEqual(first.summary, WriterHub.sentences)
            expectEqual(first.storyId, 1)
            var latest = first
            while latest.summarySource == "original" {
                await Task.yield()
                latest = try await article()
            }
            expectEqual(latest.summarySource, "ai")
            expectEqual(latest.summary, "Acme Rockets earned 12 percent more.")
            let url = "https://news.example.org/a"
            let target = "/v2/articles/summary?url=\(url)"
            let summary = try await ask(target, responder, as: Summary.self)
            expectEqual(summary.summary, latest.summary)
            expectEqual(summary.model, "model-dated")
            expectEqual(hub.requests.count, 1)
        }
    }
}
