import News
import Store
import StoreTesting
import Testing
import Timekeeping

@testable import NewsApp

@Suite("Which articles a filter lets through", .timeLimit(.minutes(10)))
struct ArticleFilterTests {
    /// Ids are the places in the list, from 1; the later is the newer.
    private func expect(
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
            #expect(try tables.articleIDs(filter, limit: 10) == ids)
        }
    }

    @Test func emptyFilterLetsAllThroughNewestFirst() async throws {
        try await expect([4, 3, 2, 1]) { _ in }
    }

    @Test func categoryCountryLanguageAndSourceAreCompared() async throws {
        try await expect([2, 1]) { $0.category = .business }
        try await expect([1]) { $0.country = "us" }
        try await expect([3, 1]) { $0.language = "en" }
        try await expect([3, 2]) { $0.sources = ["nasa", "bls", "none"] }
        try await expect([]) { $0.category = .health }
    }

    @Test func conditionsHoldTogether() async throws {
        try await expect([1]) {
            $0.category = .business
            $0.language = "en"
            $0.words = ["fed"]
            $0.sources = ["fed", "nasa"]
        }
        try await expect([]) {
            $0.category = .business
            $0.country = "de"
        }
    }

    @Test func timesAreFromTheFirstUpToTheSecond() async throws {
        try await expect([3, 2]) {
            $0.from = at(1)
            $0.to = at(3)
        }
        try await expect([]) {
            $0.from = at(2)
            $0.to = at(2)
        }
    }

    @Test(arguments: [
        (["rates"], [3, 1]), (["RATES", "fed"], [1]), (["cafe"], [2]), (["caf"], []),
        (["rates", "none"], []),
    ])
    func everyWordHasToOccur(words: [String], ids: [Int]) async throws {
        try await expect(ids) { $0.words = words }
    }

    /// Signs of the query language are signs.
    @Test(arguments: ["\"", "a\"b", "OR", "NOT rates", "rates*", "title:", "-", "(", "NEAR(a b)"])
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
            #expect(try tables.articleIDs(ArticleFilter(), limit: 2) == [5, 4])
        }
    }
}
