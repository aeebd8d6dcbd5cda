import Expectations
import News

@testable import NewsApp

@Suite("From the items of a feed to articles", .timeLimit(.minutes(10)))
struct ArticleReaderTests {
    private let source: NewsSection.Source = {
        var source = NewsSection.Source()
        source.name = "fed"
        source.category = .business
        source.language = "nb"
        source.country = "us"
        return source
    }()

    private func item(
        _ name: String = "a",
        title: String = "Title",
        _ change: (inout FeedItem) -> Void = { _ in }
    ) -> FeedItem {
        var item = FeedItem()
        item.url = "https://news.example.org/\(name)"
        item.title = FeedText(title)
        item.published = at(-60)
        change(&item)
        return item
    }

    private func read(
        _ items: [FeedItem],
        _ change: (inout FeedDocument) -> Void = { _ in }
    ) -> ArticleReader.Reading {
        var document = FeedDocument(format: .rss)
        document.items = items
        change(&document)
        return ArticleReader().read(document, from: source, now: at(0))
    }

    private func article(_ item: FeedItem) throws -> Article {
        try require(read([item]).articles.first)
    }

    /// Sources write names of files with spaces and letters of all languages into addresses, which apps
    /// could not open.
    @Test(arguments: [
        ("https://a.example/there now.xml", "https://a.example/there%20now.xml"),
        ("https://a.example/?q=\"a\" <b>`{c}", "https://a.example/?q=%22a%22%20%3Cb%3E%60%7Bc%7D"),
        ("https://a.example/原子力", "https://a.example/%E5%8E%9F%E5%AD%90%E5%8A%9B"),
        ("https://a.example/a%20b c", "https://a.example/a%20b%20c"),
    ])
    func addressesAreEncodedAsInBrowsers(given: String, expected: String) throws {
        let linked = try article(
            item {
                $0.url = given; $0.imageURL = given
            }
        )
        expectEqual(linked.link.text, expected)
        expectEqual(linked.imageURL, expected)
        let episode = try article(
            item {
                $0.url = nil; $0.enclosureURL = given
            }
        )
        expectEqual(episode.link.text, expected)
    }

    @Test func addressesWithControlCharactersAreNone() throws {
        let given = "https://a.example/a\u{0}b"
        expect(read([item { $0.url = given }]).articles.isEmpty)
        try expectNil(article(item { $0.imageURL = given }).imageURL)
    }

    @Test func itemIsTakenWithAllThatItHas() throws {
        let article = try article(
            item("b?utm_source=rss", title: "One &amp; <b>two</b>") {
                $0.title.isHTML = true
                $0.summary = FeedText("<p>Apple (NASDAQ: AAPL)</p><p>rises</p>", isHTML: true)
                $0.content = FeedText("All of it")
                $0.author = "Somebody"
                $0.imageURL = "https://news.example.org/b.png"
            }
        )
        expectEqual(article.url, "https://news.example.org/b")
        expectEqual(article.title, "One & two")
        expectEqual(article.summary, "Apple (NASDAQ: AAPL)\nrises")
        expectEqual(article.content, "All of it")
        expectEqual(article.author, "Somebody")
        expectEqual(article.imageURL, "https://news.example.org/b.png")
        expectEqual(article.tickers, [Ticker("AAPL")!])
        expect((article.publishedAt, article.isDateGuessed) == (at(-60), false))
        expectEqual(article.firstSeenAt, at(0))
        expect((article.language, article.country) == ("nb", "us"))
        expectEqual(article.category, .business)
        expectEqual(article.source, ArticleSource(name: "fed", title: "fed"))
    }

    // MARK: URLs

    @Test func identifierThatIsAURLStandsForAMissingOne() throws {
        let article = try article(
            item {
                $0.url = nil
                $0.identifier = "https://news.example.org/id"
            }
        )
        expectEqual(article.url, "https://news.example.org/id")
    }

    @Test func itemWithoutAURLIsSkipped() {
        let items = ["tag:a,2026:1", "ftp://a.example/", ""].map { text in
            item { $0.url = text }
        }
        expectEqual(read(items), ArticleReader.Reading(articles: [], skippedCount: 3))
    }

    @Test func secondItemOfAURLIsSkipped() {
        let reading = read([item("a"), item("b"), item("a#part", title: "Again")])
        expectEqual(reading.articles.map(\.title), ["Title", "Title"])
        expectEqual(reading.skippedCount, 1)
    }

    // MARK: Publishers

    @Test func publisherOfAnItemIsItsSource() throws {
        let article = try article(item { $0.publisher = "The Sample Daily, Inc." })
        expectEqual(
            article.source,
            ArticleSource(
                name: "fed",
                title: "The Sample Daily, Inc.",
                owner: "the-sample-daily-inc"
            )
        )
    }

    @Test(arguments: [("Läkartidningen 24", "läkartidningen-24"), ("***", "fed"), ("9to5", "9to5")])
    func ownerIsNamedByTheWordsOfThePublisher(publisher: String, owner: String) throws {
        try expectEqual(article(item { $0.publisher = publisher }).source.owner, owner)
    }

    @Test func publisherIsCut() throws {
        let source = try article(item { $0.publisher = String(repeating: "å", count: 999) }).source
        expect((source.title.count, source.owner.count) == (200, 100))
    }

    // MARK: Texts

    @Test func titleIsMadeOfTheFirstSentenceIfThereIsNone() throws {
        let article = try article(
            item(title: "") { $0.summary = FeedText("First. Second.\nThird") }
        )
        expectEqual(article.title, "First.")
        let long = String(repeating: "long ", count: 100)
        let cut = try self.article(item(title: "") { $0.summary = FeedText(long) })
        expectEqual(cut.title.count, 120)
    }

    @Test(arguments: ["", " ", "[Removed]"])
    func itemWithoutATextOrTakenBackIsSkipped(title: String) {
        let reading = read([item(title: title)])
        expect(reading.articles.isEmpty)
        expectEqual(reading.skippedCount, 1)
        let url = "https://news.example.org/a"
        expectEqual(reading.withdrawn.map(\.page), (title == "[Removed]" ? [url] : []))
    }

    @Test func contentStandsForAMissingSummary() throws {
        let article = try article(item { $0.content = FeedText("Content") })
        expect((article.summary, article.content) == ("Content", "Content"))
    }

    @Test func textsAreCut() throws {
        let long = String(repeating: "å", count: 60_000)
        let article = try article(
            item(title: long) {
                $0.content = FeedText(long)
                $0.author = long
            }
        )
        let lengths = [article.title, article.summary, article.content, article.author ?? ""]
            .map(\.count)
        expectEqual(lengths, [500, 5000, 50_000, 200])
    }

    // MARK: Dates

    @Test(arguments: [
        (nil, nil, 0, true), (-60, nil, -60, false), (nil, -30, -30, false), (-60, -30, -60, false),
        (10, nil, 0, false), (11, nil, 0, true), (0, nil, 0, false),
    ])
    func dateIsThatOfTheFeedUnlessItIsMissingOrFarAhead(
        published: Int?,
        updated: Int?,
        date: Int,
        isGuessed: Bool
    ) throws {
        let article = try article(
            item {
                $0.published = published.map(at)
                $0.updated = updated.map(at)
            }
        )
        // Not the present instant: stories take articles of the past.
        let expected = min(at(date), at(0) - .milliseconds(1))
        expect((article.publishedAt, article.isDateGuessed) == (expected, isGuessed))
    }

    // MARK: What the document says

    @Test(arguments: [("en-US", "en"), ("de", "de"), ("english", "nb"), ("", "nb")])
    func languageIsThatOfTheDocumentIfItIsOne(tag: String, code: String) throws {
        let reading = read([item()]) { $0.language = tag }
        expectEqual(reading.articles.first?.language, code)
    }

    @Test(
        arguments: [
            ("en-US", nil, "us"), ("zh-Hant-TW", nil, "tw"), ("nb_NO", nil, "no"), ("en", nil, nil),
            ("", nil, nil), ("en-US", "gb", "gb"),
        ] as [(String, String?, String?)]
    )
    func countryIsThatOfTheSourceOrElseOfTheLanguage(
        tag: String,
        country: String?,
        expected: String?
    ) throws {
        var document = FeedDocument(format: .rss)
        document.items = [item()]
        document.language = tag
        var source = source
        source.country = country
        let reading = ArticleReader().read(document, from: source, now: at(0))
        try expectEqual(require(reading.articles.first).country, expected)
    }

    @Test func titleOfTheDocumentIsThatOfTheSource() {
        let reading = read([item()]) { $0.title = "Federal Reserve" }
        expectEqual(reading.articles.first?.source.title, "Federal Reserve")
    }

    @Test(arguments: [
        ([], NewsCategory.business), (["Sports"], .sports),
        (["none", "TECH", "sports"], .technology),
        (["none"], .business),
    ])
    func categoryIsTheFirstThatIsKnown(names: [String], category: NewsCategory) throws {
        try expectEqual(article(item { $0.categories = names }).category, category)
    }
}
