import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Which articles a filter lets through", .timeLimit(.minutes(10)))
struct ArticleFilterTests {
    /// Ids are the places in the list, from 1; the later is the newer.
    private func expectArticles(
        _ ids: [Int],
        _ change: @escaping @Sendable (inout ArticleFilter) -> Void
    ) async throws {
        try await withNewsTables { tables throws in
            let articles = [
                newArticle(
                    "a",
                    title: "Fed raises rates",
                    language: "en",
                    country: "us",
                    category: .business
                ),
                newArticle("b", title: "Café opens", source: "bls", category: .business),
                newArticle(
                    "c",
                    title: "Rocket lands",
                    summary: "Rates of descent",
                    source: "nasa",
                    language: "en",
                    category: .science
                ),
                newArticle("d", title: "Renten steigen", language: "de", country: "de"),
            ]
            for (minute, var article) in articles.enumerated() {
                article.publishedAt = at(minute)
                _ = try tables.put(article)
            }
            var filter = ArticleFilter()
            change(&filter)
            try expectEqual(tables.articleIDs(filter, limit: 10), ids)
        }
    }

    @Test func emptyFilterLetsAllThroughNewestFirst() async throws {
        try await expectArticles([4, 3, 2, 1]) { _ in }
    }

    @Test func categoryCountryLanguageAndSourceAreCompared() async throws {
        try await expectArticles([2, 1]) { $0.category = .business }
        try await expectArticles([1]) { $0.country = "us" }
        try await expectArticles([3, 1]) { $0.language = "en" }
        try await expectArticles([3, 2]) { $0.sources = ["nasa", "bls", "none"] }
        try await expectArticles([]) { $0.category = .health }
    }

    @Test func conditionsHoldTogether() async throws {
        try await expectArticles([1]) {
            $0.category = .business
            $0.language = "en"
            $0.words = ["fed"]
            $0.sources = ["fed", "nasa"]
        }
        try await expectArticles([]) {
            $0.category = .business
            $0.country = "de"
        }
    }

    @Test func timesAreFromTheFirstUpToTheSecond() async throws {
        try await expectArticles([3, 2]) {
            $0.from = at(1)
            $0.to = at(3)
        }
        try await expectArticles([]) {
            $0.from = at(2)
            $0.to = at(2)
        }
    }

    @Test(arguments: [
        (["rates"], [3, 1]), (["RATES", "fed"], [1]), (["cafe"], [2]), (["caf"], []),
        (["rates", "none"], []),
    ])
    func everyWordHasToOccur(words: [String], ids: [Int]) async throws {
        try await expectArticles(ids) { $0.words = words }
    }

    /// Words of one entry have to follow each other in one text: "lands" ends a title, and "Rates"
    /// begins its summary.
    @Test(arguments: [
        (["rates of"], [3]), (["of descent"], [3]), (["rates descent"], []), (["lands rates"], []),
        (["rates, of?"], [3]), (["Fed\nraises"], [1]), (["raises", "FED"], [1]), (["!"], []),
        (["!", "fed"], [1]),
    ])
    func phraseHasToOccur(words: [String], ids: [Int]) async throws {
        try await expectArticles(ids) { $0.words = words }
    }

    private static let unspaced = [
        ("原子力", [1]), ("再稼働", [1]), ("力発", [1]), ("原力", []), ("原子力 再稼働", [1]), ("TEPCO", [1]),
        ("tepco社", [1]), ("央行", [2]), ("利率", [2]), ("行利", []), ("ดอกเบี้ย", [3]), ("ขึ้นดอก", [3]),
        ("ธนาคาร", [3]), ("rates", [4]), ("발표", [4]),
    ]

    private static func articlesWithoutSpaces() -> [Article] {
        [
            newArticle("ja", title: "原子力発電所の再稼働", summary: "TEPCO社が発表"),
            newArticle("zh", title: "北京", summary: "央行宣布下调基准利率。"),
            newArticle("th", title: "ธนาคารกลางขึ้นดอกเบี้ยนโยบาย"),
            newArticle("ko", title: "Rates 발표"),
        ]
    }

    /// In scripts without spaces a word is a phrase of its characters.
    @Test(arguments: unspaced)
    func wordIsFoundInATextWithoutSpaces(word: String, ids: [Int]) async throws {
        try await withNewsTables { tables throws in
            for article in Self.articlesWithoutSpaces() { _ = try tables.put(article) }
            var filter = ArticleFilter()
            filter.words = SearchTerms(word).required
            try expectEqual(tables.articleIDs(filter, limit: 10), ids)
            filter.words = ["rates"]
            filter.excludedWords = [word]
            try expectEqual(tables.articleIDs(filter, limit: 10), (ids == [4] ? [] : [4]))
        }
    }

    @Test func articlesOfFormerReleasesAreIndexedOnce() async throws {
        try await withDirectory { directory in
            let steps = NewsTables.migrations.prefix { $0.name != "news.8" }
            let former = try openStore(directory, migrations: Array(steps))
            try await former.commitNews { tables in
                for article in Self.articlesWithoutSpaces() { try tables.insertAsBefore(article) }
                return (Change(), ())
            }
            try await former.close()
            let store = try openStore(directory, migrations: NewsTables.migrations)
            for _ in 1...2 {
                try await store.indexUnspacedNews()
                for (word, ids) in Self.unspaced {
                    var filter = ArticleFilter()
                    filter.words = SearchTerms(word).required
                    let found = try await store.readNews { [filter] in
                        try $0.articleIDs(filter, limit: 10)
                    }
                    expectEqual(found, ids, "\(word)")
                }
            }
            // The index has no trace of the former words, and none of deleted articles.
            try await store.commitNews { tables throws in
                for id in 1...4 { try expect(tables.deleteArticle(id)) }
                for (word, _) in Self.unspaced {
                    var filter = ArticleFilter()
                    filter.words = [word]
                    try expect(tables.articleIDs(filter, limit: 10).isEmpty)
                }
                return (Change(), ())
            }
            try await store.close()
        }
    }

    @Test func excludedWordsMustNotOccur() async throws {
        try await expectArticles([3]) {
            $0.words = ["rates"]
            $0.excludedWords = ["fed", "none"]
        }
        try await expectArticles([]) {
            $0.words = ["rates"]
            $0.excludedWords = ["fed raises", "descent"]
        }
        try await expectArticles([3, 1]) {
            $0.words = ["rates"]
            $0.excludedWords = ["!"]
        }
    }

    /// A match in the title counts more than one in the summary.
    @Test func mostRelevantComesFirst() async throws {
        try await withNewsTables { tables throws in
            let older = newArticle("a", title: "Fed raises rates", summary: "On Monday")
            var newer = newArticle("b", title: "Rocket lands", published: 1)
            newer.summary = "Rates of descent and more"
            for article in [older, newer] { _ = try tables.put(article) }
            var filter = ArticleFilter()
            filter.words = ["rates"]
            filter.excludedWords = ["none"]
            try expectEqual(tables.articleIDs(filter, limit: 10), [2, 1])
            try expectEqual(tables.articleIDs(filter, .relevance, limit: 10), [1, 2])
        }
    }

    @Test func veryLongWordIsStoredAndFound() async throws {
        try await withNewsTables { tables throws in
            let word = String(repeating: "é", count: 1500)
            _ = try tables.put(newArticle("a", title: "\(word) and more"))
            var filter = ArticleFilter()
            filter.words = [word]
            try expectEqual(tables.articleIDs(filter, limit: 10), [1])
        }
    }

    @Test func revisedAndDeletedTextsAreNotFound() async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a", title: "Fed raises rates"))
            _ = try tables.put(newArticle("a", title: "Fed lowers rates"))
            guard case .new(let other) = try tables.put(newArticle("b", title: "Fed waits")) else {
                Issue.record("the second article is not new")
                return
            }
            try expect(tables.deleteArticle(other.id))
            var filter = ArticleFilter()
            filter.words = ["fed"]
            try expectEqual(tables.articleIDs(filter, limit: 10), [1])
            filter.words = ["raises"]
            try expectEqual(tables.articleIDs(filter, limit: 10), [])
        }
    }

    /// Signs of the query language are signs.
    @Test(arguments: [
        "\"", "a\"b", "OR", "NOT rates", "rates*", "title:", "-", "(", "NEAR(a b)", "'", "a'b",
        "rates:*", "!rates", "a & b", "<->", "\\", "\u{301}",
    ])
    func wordIsNoOperator(word: String) async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a", title: "rates and more"))
            var filter = ArticleFilter()
            filter.words = [word]
            #expect(throws: Never.self) { _ = try tables.articleIDs(filter, limit: 10) }
        }
    }

    @Test func limitIsHowManyComeAtMost() async throws {
        try await withNewsTables { tables throws in
            for number in 1...5 { _ = try tables.put(newArticle("\(number)", published: number)) }
            try expectEqual(tables.articleIDs(ArticleFilter(), limit: 2), [5, 4])
        }
    }
}

extension NewsTables {
    /// Stores an article by the statement of a release without texts with spaces.
    fileprivate func insertAsBefore(_ article: Article) throws {
        try session.run(
            """
            INSERT INTO news_article
                (url, source, source_title, owner, weight, title, summary, content, category,
                published_at, is_date_guessed, first_seen_at, tickers, content_hash, revision)
            VALUES (?, 's', 's', 's', 1, ?, ?, '', 0, 0, 0, 0, '', ?, 1)
            """,
            [article.url, article.title, article.summary, Array(repeating: UInt8(7), count: 32)]
        )
    }
}
