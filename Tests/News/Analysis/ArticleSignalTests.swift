import Expectations
import News

@Suite("The signal of an article in its story", .timeLimit(.minutes(10)))
struct ArticleSignalTests {
    private let apple = Ticker("AAPL")!

    private func signal(_ title: String, importance: Int, owners: Int = 1) throws -> ArticleSignal {
        let article = Article(
            id: 1,
            url: "https://news.example.org/a",
            source: ArticleSource(name: "fed", title: "Fed"),
            title: title,
            publishedAt: Timestamp(milliseconds: 0),
            firstSeenAt: Timestamp(milliseconds: 0),
            tickers: [apple]
        )
        let reports = (0..<owners).map { owner in
            StoryArticle(
                report: StoryReport(
                    owner: "\(owner)",
                    publishedAt: Timestamp(milliseconds: Int64(owner) * 60_000)
                ),
                tickers: [apple],
                category: .business
            )
        }
        let facts = try require(StoryFacts(reports, novelty: 1))
        return ArticleSignal(of: article, in: facts, importance: importance)
    }

    @Test func unimportantArticleIsIgnored() throws {
        try expect(signal("Apple beats estimates", importance: 24).isIgnored)
        try expect(!signal("Apple beats estimates", importance: 25).isIgnored)
    }

    @Test func wordsDecideOnTheOpportunityAndNameThemselves() throws {
        let signal = try signal("Apple beats estimates", importance: 60)
        expectEqual(signal.opportunity, .positive)
        expect(signal.opportunityNote.contains("beats"))
        expectEqual(signal.relevance, .earnings)
        expectEqual(signal.horizon, .short)
    }

    @Test func morePublishersGiveAGreaterRankAndConfidence() throws {
        let one = try signal("Apple beats estimates", importance: 60)
        let five = try signal("Apple beats estimates", importance: 60, owners: 5)
        expect(five.rankKey > one.rankKey)
        expect(five.confidence > one.confidence)
        expect(five.reasons.contains("5 publishers in 4 minutes"))
    }

    @Test func viewHasTheArticleAndTheSignal() throws {
        let signal = try signal("Apple beats estimates", importance: 10)
        let article = Article(
            id: 1,
            url: "https://news.example.org/a",
            source: ArticleSource(name: "fed", title: "Fed"),
            title: "Title",
            publishedAt: Timestamp(milliseconds: 0),
            firstSeenAt: Timestamp(milliseconds: 0)
        )
        let view = SignalView(article, signal)
        expect((view.id, view.url, view.source) == (article.url, article.url, "Fed"))
        expectEqual(view.verdict, .ignore)
        expectEqual(view.importance, 10)
    }
}
