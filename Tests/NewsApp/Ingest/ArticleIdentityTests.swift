import Expectations
import NewsFeeds
import Store
import StoreTesting

@testable import NewsApp

@Suite("Articles are told apart, and belong to their source", .timeLimit(.minutes(10)))
struct ArticleIdentityTests {
    private struct Given {
        var link: String?
        var guid: String?
        var title: String
    }

    private func document(_ items: [Given], site: String? = "https://site.example/") -> FeedDocument
    {
        var document = FeedDocument(format: .rss)
        document.siteURL = site
        document.items = items.map { given in
            var item = FeedItem()
            item.url = given.link
            item.identifier = given.guid
            item.title = FeedText(given.title)
            return item
        }
        return document
    }

    private func source(_ name: String) -> NewsSection.Source {
        var source = NewsSection.Source()
        source.name = name
        return source
    }

    /// The titles that are stored after a source has sent each of these documents.
    private func titles(_ documents: [(String, FeedDocument)]) async throws -> [String] {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            for (name, document) in documents {
                let row = FeedRow(name: name, FeedValidators())
                try await service.take(document, from: source(name), keeping: row)
            }
            return try await store.readNews { tables in
                try tables.articleIDs(ArticleFilter(), limit: 100).sorted()
                    .compactMap { try tables.article($0)?.title }.sorted()
            }
        }
    }

    private let shared = [
        Given(link: "https://frag.example/log#v0", guid: "v0", title: "Zero"),
        Given(link: "https://frag.example/log#v1", guid: "v1", title: "One"),
        Given(link: "https://same.example/", guid: "inc-0", title: "Login"),
        Given(link: "https://same.example/", guid: "inc-1", title: "Billing"),
    ]

    @Test func itemsThatShareAPageAreArticlesOfTheirOwn() async throws {
        let all = ["Billing", "Login", "One", "Zero"]
        let document = document(shared)
        try await expectEqual(titles([("x", document)]), all)
        try await expectEqual(titles([("x", document), ("x", document)]), all)
        // One after the other, as the page of incidents has them.
        let parts: [(String, FeedDocument)] = [
            ("x", self.document([shared[2]])), ("x", self.document([shared[3], shared[2]])),
            ("x", self.document([shared[3]])),
        ]
        try await expectEqual(titles(parts), ["Billing", "Login"])
    }

    @Test func freshGuidsAtEachPollMakeNoNewArticles() async throws {
        let polls = (0..<3).map { poll in
            let items = ["Login", "Billing", "Search"].enumerated().map { index, title in
                Given(link: "https://same.example/", guid: "\(poll)-\(index)", title: title)
            }
            return ("x", document(items))
        }
        try await expectEqual(titles(polls), ["Billing", "Login", "Search"])
        // A page that another source shares has articles of both.
        let other = polls.map { ("y", $0.1) }
        try await expectEqual(titles(polls + other).count, 6)
    }

    /// As a hub stored them that kept no links.
    @Test func articleWithoutAMarkerIsTheItemWithItsTexts() async throws {
        let page = "https://same.example/"
        let items = [shared[3], shared[2]]
        let (source, document) = (source("x"), document(items))
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            let row = FeedRow(name: "x", FeedValidators())
            var former = newArticle("a", title: "Login", source: "x")
            former.url = page
            _ = try await service.take([former])
            try await store.commitNews { tables in
                try tables.session.run("UPDATE news_article SET link = NULL, marker = NULL")
                return (Change(), ())
            }
            for added in [1, 0] {
                let taken = try await service.take(document, from: source, keeping: row)
                expectEqual(taken.counts.added, added)
            }
            let article = try await store.readNews { try $0.article(1) }
            expectEqual(article?.url, page)
            expectEqual(article?.link, ArticleLink(page, marker: "inc-0"))
        }
    }

    @Test func markersCountWithoutALink() async throws {
        try await withNewsTables { tables throws in
            var article = newArticle("a")
            article.link = ArticleLink(article.url, marker: "m")
            _ = try tables.put(article)
            try tables.session.run("UPDATE news_article SET link = NULL")
            try expectEqual(tables.article(1)?.link.marker, "m")
        }
    }

    @Test func longMarkersAreKept() async throws {
        let long = String(repeating: "é", count: 2000)
        let items = ["a", "b"].map {
            Given(link: "https://same.example/", guid: long + $0, title: $0)
        }
        let document = ("x", document(items))
        try await expectEqual(titles([document, document]), ["a", "b"])
    }

    @Test(.needsFile) func articlesOfAPageAreFoundByIndex() async throws {
        try await withNewsTables { tables throws in
            for sql in [
                NewsSQL.selectURLOfMarker, NewsSQL.selectURLOfTexts, NewsSQL.selectSharing,
                NewsSQL.selectIdentity, NewsSQL.setMarker,
            ] {
                let steps = try tables.session.plan(of: sql).filter { $0.contains("news_article") }
                expect(!steps.isEmpty)
                expect(steps.allSatisfy { $0.hasPrefix("SEARCH") }, "\(steps) in: \(sql)")
            }
            for (sql, columns) in [
                (NewsSQL.selectURLOfMarker, "(page=? AND source=? AND marker=?)"),
                (NewsSQL.selectURLOfTexts, "(page=? AND source=? AND content_hash=?)"),
            ] {
                try expect(tables.session.plan(of: sql).contains { $0.hasSuffix(columns) })
            }
        }
    }

    @Test func fragmentsTellItemsWithoutAGuidApart() async throws {
        let items = [
            Given(link: "https://frag.example/log#a", guid: nil, title: "A"),
            Given(link: "https://frag.example/log#b", guid: nil, title: "B"),
            Given(link: "https://frag.example/log#b", guid: nil, title: "B again"),
        ]
        try await expectEqual(titles([("x", document(items))]), ["A", "B"])
    }

    @Test func anotherGuidInAnotherDocumentIsARevision() async throws {
        let link = "https://news.example/a"
        let documents = (0..<3).map { number in
            ("x", document([Given(link: link, guid: "a#\(number)", title: "Title \(number)")]))
        }
        try await expectEqual(titles(documents), ["Title 2"])
    }

    @Test func itemWithoutAnAddressHasTheSiteOfItsFeed() async throws {
        let items = [
            Given(link: nil, guid: "1001", title: "First"),
            Given(link: nil, guid: "1002", title: "Second"),
        ]
        let alone = document([Given(link: nil, guid: "1003", title: "Third")])
        try await expectEqual(
            titles([("x", document(items)), ("x", alone)]),
            [
                "First", "Second", "Third",
            ]
        )
        try await expectEqual(titles([("x", document(items, site: nil))]), [])
    }

    @Test func onlyTheSourceOfAnArticleRevisesAndWithdrawsIt() async throws {
        let link = "https://publisher.example/tram"
        let publisher = ("a", document([Given(link: link, guid: nil, title: "Tram opens")]))
        let other = ("b", document([Given(link: link, guid: nil, title: "Tram (42 comments)")]))
        let removed = document([Given(link: link, guid: nil, title: "[Removed]")])
        try await expectEqual(titles([publisher, other, publisher, other]), ["Tram opens"])
        try await expectEqual(titles([publisher, ("b", removed)]), ["Tram opens"])
        try await expectEqual(titles([publisher, other, ("a", removed)]), [])
        let renamed = ("a", document([Given(link: link, guid: nil, title: "Tram is open")]))
        try await expectEqual(titles([publisher, other, renamed]), ["Tram is open"])
    }

    @Test(arguments: [
        "http://port.example:8080/a/1", "http://plain.example/a/2", "https://m.site.example/post-1",
        "https://shop.example/catalogue/amp", "https://a.example/b?utm_source=x#y",
    ])
    func readersGetTheLinkOfTheFeed(_ link: String) throws {
        let document = document([Given(link: link, guid: "g", title: "Title")])
        let reading = ArticleReader().read(document, from: source("x"), now: at(0))
        let article = try require(reading.articles.first)
        expectEqual(article.link.text, link)
        expectEqual(article.url, (try CanonicalURL(link).text))
    }

    @Test func hostsInOtherLettersAreRead() throws {
        let document = document([
            Given(link: "https://Bücher.example/neu ü", guid: nil, title: "Title")
        ])
        let reading = ArticleReader().read(document, from: source("x"), now: at(0))
        expectEqual(reading.articles.map(\.url), ["https://xn--bcher-kva.example/neu%20%C3%BC"])
        expectEqual(
            reading.articles.map(\.link.text),
            ["https://xn--bcher-kva.example/neu%20%C3%BC"]
        )
    }

    // MARK: Copies

    private func query() throws -> NewsFeedQuery {
        try NewsFeedQuery(limit: "20", cursor: nil, include: "ignored")
    }

    private func report(_ name: String, minute: Int) -> Article {
        var article = newArticle(
            name,
            title: "Granlia bridge closed after crack found in pillar",
            summary: "Engineers found a crack in the northern pillar and closed the bridge.",
            published: minute
        )
        article.source = ArticleSource(name: name, title: name)
        return article
    }

    @Test func copyTakesThePlaceOfAWithdrawnArticle() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            let a = try CanonicalURL("https://news.example.org/a")
            for (name, minute) in [("a", 0), ("b", 1), ("c", 2)] {
                _ = try await service.take([report(name, minute: minute)])
            }
            let before = try await service.feed(query())
            expectEqual(before.items.map(\.url), ["https://news.example.org/a"])
            try await expect(service.withdraw(a))
            let after = try await service.feed(query())
            expectEqual(after.items.map(\.url), ["https://news.example.org/b"])
            let story = try await store.readNews { try $0.story(1) }
            expectEqual(story?.articleCount, 1)
            expectEqual(story?.copyCount, 1)
            _ = try await service.take([report("a", minute: 3)])
            try await expectEqual(service.feed(query()).items.count, 1)
        }
    }

    @Test func withdrawnArticleThatComesBackIsShownInANewStory() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            _ = try await service.take([report("a", minute: 0)])
            try await expect(service.withdraw(try CanonicalURL("https://news.example.org/a")))
            try await expect(service.feed(query()).items.isEmpty)
            _ = try await service.take([report("a", minute: 1)])
            let items = try await service.feed(query()).items
            expectEqual(items.map(\.url), ["https://news.example.org/a"])
            try await expectNil(store.readNews { try $0.story(1) })
            try await expect(store.readNews { try $0.story(2) } != nil)
        }
    }
}
