import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Articles in the store", .timeLimit(.minutes(10)))
struct ArticleTests {
    @Test func articleComesBackAsItWasPut() async throws {
        try await withNewsTables { tables throws in
            var article = newArticle(
                "a",
                summary: "Summary",
                language: "en",
                country: "us",
                category: .sports,
                tickers: ["AAPL", "MSFT"]
            )
            article.content = "Content"
            article.author = "Somebody"
            article.imageURL = "https://news.example.org/a.png"
            article.isDateGuessed = true
            let stored = try tables.put(article)
            article.id = 1
            expectEqual(stored, .new(article))
            try expectEqual(tables.article(1), article)
            try expectEqual(tables.article(url: article.url), article)
            try expectEqual(tables.articleCount(), 1)
        }
    }

    @Test func articleThatIsNotThereIsNil() async throws {
        try await withNewsTables { tables throws in
            try expectNil(tables.article(1))
            try expectNil(tables.article(url: "https://news.example.org/none"))
            try expect(tables.articles([1, 2]).isEmpty)
            try expect(!tables.deleteArticle(1))
        }
    }

    @Test func sameArticleAgainChangesNothing() async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a"))
            var again = newArticle("a", source: "other", published: 7)
            again.author = "Somebody else"
            try expectEqual(tables.put(again), .unchanged)
            try expectEqual(tables.article(1)?.source.name, "fed")
        }
    }

    @Test func changedTitleIsARevisionOfTheSameArticle() async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a", tickers: ["AAPL"]))
            var changed = newArticle("a", title: "Another", published: 9, tickers: ["MSFT"])
            changed.content = "More"
            guard case .revised(let revised) = try tables.put(changed) else {
                Issue.record("not revised")
                return
            }
            expect((revised.id, revised.revision) == (1, 2))
            expect((revised.title, revised.content) == ("Another", "More"))
            expectEqual(revised.publishedAt, at(0), "the first date stays")
            expectEqual(revised.tickers, [Ticker("MSFT")!])
            try expect(tables.put(newArticle("a")) != .unchanged, "the first title is another one")
            try expectEqual(tables.articleCount(), 1)
        }
    }

    /// A title that ends where a text begins is another article's.
    @Test func textsDoNotRunIntoEachOther() async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a", title: "ab", summary: "c"))
            try expect(tables.put(newArticle("a", title: "a", summary: "bc")) != .unchanged)
        }
    }

    @Test func deletedArticleIsGoneEverywhere() async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a", title: "Fed raises rates", tickers: ["AAPL"]))
            try expect(tables.deleteArticle(1))
            try expectNil(tables.article(1))
            var filter = ArticleFilter()
            filter.words = ["rates"]
            try expect(tables.articleIDs(filter, limit: 9).isEmpty)
            // Ids are never given twice.
            guard case .new(let next) = try tables.put(newArticle("b")) else {
                Issue.record("not stored")
                return
            }
            expectEqual(next.id, 2)
        }
    }

    // MARK: Retention

    @Test func articlesBeforeATimeAreTrimmed() async throws {
        try await withStore(
            limits: smallBatches,
            migrations: NewsTables.migrations
        ) { store in
            try await put(10, in: store)
            try await expectEqual(store.trimArticles(firstSeenBefore: at(5)), 4)
            try await expectEqual(ids(store), [10, 9, 8, 7, 6, 5])
            try await expectEqual(store.trimArticles(firstSeenBefore: at(5)), 0)
        }
    }

    @Test(arguments: [(0, 10), (3, 7), (9, 1), (10, 0), (11, 0)])
    func articlesOverALimitAreTrimmedOldestFirst(count: Int, trimmed: Int) async throws {
        try await withStore(
            limits: smallBatches,
            migrations: NewsTables.migrations
        ) { store in
            try await put(10, in: store)
            try await expectEqual(store.trimArticles(to: count), trimmed)
            try await expectEqual(ids(store), Array((1...10).reversed().prefix(count)))
        }
    }

    /// So that trimming takes several transactions.
    private let smallBatches = StoreLimits(trimRowsMax: 3)

    private func put(_ count: Int, in store: HubStore) async throws {
        try await store.commitNews { tables in
            for number in 0..<count {
                _ = try tables.put(newArticle("\(number)", published: number))
            }
            return (Change(), ())
        }
    }

    private func ids(_ store: HubStore) async throws -> [Int] {
        try await store.readNews { try $0.articleIDs(ArticleFilter(), limit: 100) }
    }

    @Test func changedDigitsThatTheSummaryHasNotAreStoredWithoutANewRevision() async throws {
        try await withNewsTables { tables throws in
            let report = { (years: Int, comments: String) in
                newArticle(
                    "a",
                    title: "Tram opens",
                    summary: "It took \(years) years. Comments: \(comments)"
                )
            }
            guard case .new(let article) = try tables.put(report(7, "8")) else {
                throw NewsTablesError("not new")
            }
            let text = StoredText(json: SummaryTask.json("Built in 7 years."), writtenAt: at(0))
            try tables.put(text, key: SummaryTask.key(of: article), of: .article(id: article.id))
            for (years, comments, revision) in [
                (7, "9", 1), (7, "10", 1), (6, "10", 2), (6, "none", 3),
            ] {
                let changed = report(years, comments)
                guard case .revised(let revised) = try tables.put(changed) else {
                    Issue.record("\(changed.summary) is not stored")
                    continue
                }
                expectEqual(revised.summary, changed.summary)
                expectEqual(revised.revision, revision, "\(changed.summary)")
            }
        }
    }

    /// A summary may be under way that has the former digits.
    @Test func changedDigitsBeforeASummaryAreARevision() async throws {
        try await withNewsTables { tables throws in
            _ = try tables.put(newArticle("a", summary: "Comments: 9"))
            guard
                case .revised(let revised) = try tables.put(
                    newArticle("a", summary: "Comments: 10")
                )
            else { throw NewsTablesError("not revised") }
            expectEqual(revised.revision, 2)
        }
    }
}
