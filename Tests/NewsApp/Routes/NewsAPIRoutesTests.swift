import Configuration
import Expectations
import Foundation
import HubTesting
import News
import Reactor
import Service
import StoreTesting
import Wire

@testable import NewsApp

@Suite("/v2 of the news", .timeLimit(.minutes(10)))
struct NewsAPIRoutesTests {
    /// What a client sees of an answer.
    struct Page: Decodable {
        struct Article: Decodable {
            struct Source: Decodable {
                var id: String?
                var name: String
            }
            var source: Source
            var title: String
            var description: String?
            var url: String
            var publishedAt: String
            var summary: String?
            var summarySource: String?
        }
        var status: String
        var totalResults: Int
        var articles: [Article]
    }

    struct Failure: Decodable {
        var status: String
        var code: String
        var message: String
    }

    /// A hub's routes over a store with articles.
    struct Hub: Sendable {
        let store: HubStore
        let responder: RouteResponder

        func ask(
            _ target: String,
            _ headers: HTTPHeaders = [:],
            method: String = "GET",
            peer: String = "127.0.0.1:5"
        ) async -> ServerResponse {
            let head = HTTPRequestHead(method: method, target: target, headers: headers)
            return await responder.respond(
                to: ServerRequest(head: head, body: [], peer: SocketAddress(peer))
            )
        }

        func page(_ target: String, peer: String = "127.0.0.1:5") async throws -> Page {
            let response = await ask(target, peer: peer)
            expectEqual(response.head.status, 200, "\(target)")
            return try JSONDecoder().decode(Page.self, from: Data(response.body))
        }

        func titles(_ target: String) async throws -> [String] {
            try await page(target).articles.map(\.title)
        }

        func failure(_ target: String, status: Int) async throws -> Failure {
            let response = await ask(target)
            expectEqual(response.head.status, status, "\(target)")
            return try JSONDecoder().decode(Failure.self, from: Data(response.body))
        }

        func put(_ articles: [Article]) async throws {
            try await store.commitNews { tables in
                for article in articles { _ = try tables.put(article) }
                return (Change(), ())
            }
        }
    }

    private func withHub(
        development: Bool = true,
        requestsPerMinute: Int = 1000,
        others: [NewsSection.Source] = [],
        _ articles: [Article] = [],
        _ body: (Hub) async throws -> Void
    ) async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            var section = NewsSection()
            section.appKeys = [Secret("an-app's-key"), Secret("another-app's-key")]
            section.requestsPerMinute = requestsPerMinute
            section.sources = ["fed", "nasa"].map { name in
                var source = NewsSection.Source()
                source.name = name
                source.category = name == "fed" ? .business : .science
                source.language = "en"
                source.country = "us"
                return source
            }
            section.sources += others
            let service = newsService(store, settings: section)
            var routes = Routes()
            NewsAPIRoutes(
                service: service,
                keys: NewsAPIKeys(section.appKeys, development: development),
                reads: FairReads()
            ).add(to: &routes)
            let responder = RouteResponder(routes: routes, logger: silentLogger)
            let hub = Hub(store: store, responder: responder)
            try await hub.put(articles)
            try await body(hub)
        }
    }

    private let some = [
        newArticle("a", title: "Fed raises rates", country: "us", category: .business),
        newArticle(
            "b",
            title: "Rocket lands",
            summary: "At rates of descent",
            source: "nasa",
            language: "en",
            category: .science,
            published: 1
        ),
        newArticle("c", title: "Fed holds", country: "us", category: .business, published: 2),
    ]

    // MARK: Lists

    @Test func headlinesAreTheNewestOfACountryAndACategory() async throws {
        try await withHub(some) { hub async throws in
            try await expectEqual(
                hub.titles("/v2/top-headlines?country=us"),
                [
                    "Fed holds", "Fed raises rates",
                ]
            )
            try await expectEqual(
                hub.titles("/v2/top-headlines?country=US&category=business").count,
                2
            )
            try await expectEqual(
                hub.titles("/v2/top-headlines?category=science"),
                ["Rocket lands"]
            )
            try await expect(hub.titles("/v2/top-headlines?category=science&country=us").isEmpty)
            try await expectEqual(hub.titles("/v2/top-headlines?sources=nasa"), ["Rocket lands"])
            try await expectEqual(hub.titles("/v2/top-headlines?q=holds"), ["Fed holds"])
        }
    }

    @Test func articleHasTheFormOfNewsAPI() async throws {
        try await withHub(some) { hub in
            let page = try await hub.page("/v2/top-headlines?sources=nasa")
            expect((page.status, page.totalResults) == ("ok", 1))
            let article = try require(page.articles.first)
            expect((article.source.id, article.source.name) == ("nasa", "Source nasa"))
            expectEqual(article.description, "At rates of descent")
            expectEqual(article.url, "https://news.example.org/b")
            expectEqual(article.publishedAt, "2026-01-01T00:01:00Z")
            expect((article.summary, article.summarySource) == ("At rates of descent", "original"))
        }
    }

    @Test func everythingIsSearchedAndOrdered() async throws {
        try await withHub(some) { hub async throws in
            let path = "/v2/everything"
            try await expectEqual(
                hub.titles("\(path)?q=rates"),
                ["Rocket lands", "Fed raises rates"]
            )
            try await expectEqual(hub.titles("\(path)?q=rates%20-rocket"), ["Fed raises rates"])
            try await expectEqual(hub.titles("\(path)?q=%22fed%20raises%22"), ["Fed raises rates"])
            let best = try await hub.titles("\(path)?q=rates&sortBy=relevancy")
            expectEqual(best, ["Fed raises rates", "Rocket lands"], "the title counts for more")
            try await expectEqual(hub.titles("\(path)?q=fed&to=2026-01-01T00:00:00Z").count, 1)
            try await expectEqual(
                hub.titles("\(path)?q=fed&from=2026-01-01T00:00:01Z"),
                ["Fed holds"]
            )
            try await expectEqual(
                hub.titles("\(path)?sources=fed,nasa&language=en"),
                ["Rocket lands"]
            )
        }
    }

    // MARK: Pages

    /// While articles keep arriving: no article twice, none missing, and the total of the first page.
    @Test(arguments: [1, 7, 20, 100])
    func pagesAreOneListWhileArticlesArrive(size: Int) async throws {
        let count = 50
        let articles = (0..<count).map { newArticle("\($0)", category: .sports, published: $0) }
        try await withHub(articles) { hub in
            var seen: [String] = []
            var number = 1
            while true {
                let page = try await hub.page(
                    "/v2/top-headlines?category=sports&page=\(number)&pageSize=\(size)"
                )
                expectEqual(page.totalResults, count)
                if page.articles.isEmpty { break }
                seen += page.articles.map(\.url)
                number += 1
                let name = "late\(number)"
                try await hub.put([newArticle(name, category: .sports, published: 1000 + number)])
            }
            expectEqual(seen, articles.reversed().map(\.url))
            let anew = try await hub.page("/v2/top-headlines?category=sports")
            expect(anew.totalResults > count, "a first page is read anew")
        }
    }

    /// Two installations of one app have the same key.
    @Test func listsOfTwoAddressesAreTwoLists() async throws {
        try await withHub(some) { hub in
            let target = "/v2/top-headlines?country=us&pageSize=1"
            try await expectEqual(hub.page(target, peer: "127.0.0.1:1").totalResults, 2)
            try await hub.put([newArticle("d", country: "us", published: 9)])
            try await expectEqual(hub.page(target, peer: "127.0.0.2:1").totalResults, 3)
            let second = try await hub.page(target + "&page=2", peer: "127.0.0.1:9")
            expectEqual(second.totalResults, 2)
        }
    }

    // MARK: Sources and summaries

    @Test func sourcesAreThoseOfTheConfiguration() async throws {
        try await withHub { hub in
            let all = await hub.ask("/v2/top-headlines/sources")
            expect(String(decoding: all.body, as: UTF8.self).contains(#""id":"nasa""#))
            let some = await hub.ask("/v2/top-headlines/sources?category=business")
            expect(!String(decoding: some.body, as: UTF8.self).contains("nasa"))
        }
    }

    private static let headlines = {
        var source = NewsSection.Source()
        source.name = "headlines"
        source.title = "Headlines"
        source.kind = .newsapi
        var query = NewsSection.Query()
        query.country = "gb"
        query.category = .health
        source.query = query
        return source
    }()

    @Test func sourceWithManyPublishersIsOneSourceWithWhatItsQueryAsksFor() async throws {
        try await withHub(others: [Self.headlines]) { hub async throws in
            let path = "/v2/top-headlines/sources"
            for query in ["country=gb", "category=health", "country=gb&category=health"] {
                let answer = await hub.ask("\(path)?\(query)")
                expectEqual(
                    String(decoding: answer.body, as: UTF8.self),
                    """
                    {"status":"ok","sources":[{"id":"headlines","name":"Headlines",\
                    "description":"","url":"","category":"health","language":"",\
                    "country":"gb"}]}
                    """
                )
            }
            let other = await hub.ask("\(path)?category=general")
            expect(String(decoding: other.body, as: UTF8.self).contains(#""sources":[]"#))
        }
    }

    @Test func articlesOfASourceWithManyPublishersAreFoundByItAndNameTheirPublisher() async throws {
        let articles = ["Sample Daily", "Sample Wire"].map { publisher in
            var article = newArticle(publisher.replacing(" ", with: "-"), source: "headlines")
            article.source = article.source.publishing(as: publisher)
            return article
        }
        try await withHub(others: [Self.headlines], some + articles) { hub async throws in
            for path in ["top-headlines", "everything"] {
                let found = try await hub.page("/v2/\(path)?sources=headlines").articles
                expectEqual(found.map(\.source.id), [nil, nil])
                expectEqual(Set(found.map(\.source.name)), ["Sample Daily", "Sample Wire"])
            }
            let all = try await hub.page("/v2/everything?sources=headlines,nasa")
            expectEqual(all.totalResults, 3)
            expectEqual(all.articles.compactMap(\.source.id), ["nasa"])
        }
    }

    @Test func everySourceIDOfAnArticleCanBeAskedFor() async throws {
        let articles = ["fed", "nasa", "headlines", "push", "gone"].map { source in
            newArticle(source, source: source, category: .sports)
        }
        try await withHub(others: [Self.headlines], articles) { hub async throws in
            let found = try await hub.page("/v2/top-headlines?category=sports").articles
            expectEqual(found.count, articles.count)
            let ids = found.compactMap(\.source.id)
            expectEqual(Set(ids), ["fed", "nasa"])
            for id in ids {
                let own = try await hub.page("/v2/top-headlines?sources=\(id)").articles
                expectEqual(own.map(\.source.id), [id])
            }
        }
    }

    @Test func summaryOfAStoredArticleIsThePublishersText() async throws {
        try await withHub(some) { hub in
            let url = "http://news.example.org/b?utm_source=x%23part"
            let response = await hub.ask("/v2/articles/summary?url=\(url)")
            expectEqual(response.head.status, 200)
            let text = String(decoding: response.body, as: UTF8.self)
            expect(text.contains(#""summary":"At rates of descent","summarySource":"original""#))
            let failure = try await hub.failure(
                "/v2/articles/summary?url=https://elsewhere.example/",
                status: 404
            )
            expectEqual(failure.status, "error")
        }
    }

    // MARK: Errors

    @Test(arguments: [
        ("/v2/top-headlines", 400, "parametersMissing"),
        ("/v2/top-headlines?category=", 400, "parametersMissing"),
        ("/v2/top-headlines?category=gossip", 400, "parameterInvalid"),
        ("/v2/top-headlines?country=usa", 400, "parameterInvalid"),
        ("/v2/top-headlines?country=us&sources=fed", 400, "parametersIncompatible"),
        ("/v2/top-headlines?sources=none", 400, "sourceDoesNotExist"),
        ("/v2/top-headlines?country=us&page=0", 400, "parameterInvalid"),
        ("/v2/top-headlines?country=us&pageSize=101", 400, "parameterInvalid"),
        ("/v2/everything", 400, "parametersMissing"),
        ("/v2/everything?q=a&sortBy=size", 400, "parameterInvalid"),
        ("/v2/everything?q=a&from=yesterday", 400, "parameterInvalid"),
        ("/v2/articles/summary", 400, "parametersMissing"), ("/v2/none", 404, "notFound"),
    ])
    func wrongRequestIsRefusedInNewsAPIsForm(target: String, status: Int, code: String) async throws
    {
        try await withHub { hub in
            let failure = try await hub.failure(target, status: status)
            expect((failure.status, failure.code) == ("error", code))
            expect(!failure.message.isEmpty)
        }
    }

    @Test func otherMethodIsRefused() async throws {
        try await withHub { hub async throws in
            let response = await hub.ask("/v2/everything?q=a", method: "POST")
            expectEqual(response.head.status, 405)
            expectEqual(response.head.headers.first("Allow")?.contains("GET"), true)
        }
    }

    // MARK: Keys

    @Test func appShowsItsKeyInAHeaderOrInTheQuery() async throws {
        try await withHub(development: false, some) { hub async throws in
            let target = "/v2/top-headlines?country=us"
            for headers in [
                ["X-Api-Key": "an-app's-key"], ["Authorization": "Bearer an-app's-key"],
                ["Authorization": "an-app's-key"],
            ] as [HTTPHeaders] {
                await expectEqual(hub.ask(target, headers).head.status, 200)
            }
            await expectEqual(hub.ask(target + "&apiKey=an-app%27s-key").head.status, 200)
        }
    }

    @Test func requestWithoutAKnownKeyIsRefused() async throws {
        try await withHub(development: false) { hub in
            for path in ["top-headlines?country=us", "everything?q=a", "top-headlines/sources"] {
                let missing = try await hub.failure("/v2/\(path)", status: 401)
                expectEqual(missing.code, "apiKeyMissing")
                let sign = path.contains("?") ? "&" : "?"
                let wrong = try await hub.failure("/v2/\(path)\(sign)apiKey=wrong", status: 401)
                expectEqual(wrong.code, "apiKeyInvalid")
            }
        }
    }

    @Test func requestsOfAKeyAndAddressAreLimited() async throws {
        try await withHub(requestsPerMinute: 10) { hub in
            let target = "/v2/top-headlines/sources"
            var statuses: [Int] = []
            // The minute may end in between, so up to two windows are used up.
            for _ in 0..<21 {
                let response = await hub.ask(target)
                statuses.append(response.head.status)
                guard response.head.status == 429 else { continue }
                let pause = try require(
                    response.head.headers.first("Retry-After").flatMap(Int.init)
                )
                expect((1...60).contains(pause))
                let failure = try JSONDecoder().decode(Failure.self, from: Data(response.body))
                expectEqual(failure.code, "rateLimited")
                break
            }
            expectEqual(statuses.last, 429)
            expect(statuses.count > 10)
            await expectEqual(hub.ask(target, peer: "127.0.0.2:5").head.status, 200)
            await expectEqual(hub.ask(target, ["X-Api-Key": "another-app's-key"]).head.status, 200)
        }
    }
}
