import Expectations
import News

@Suite("What a story is about, from its articles", .timeLimit(.minutes(10)))
struct StoryFactsTests {
    private static let apple = Ticker("AAPL")!
    private static let microsoft = Ticker("MSFT")!

    private func article(
        _ owner: String,
        minute: Int = 0,
        tickers: [Ticker] = [],
        category: NewsCategory = .general,
        isCopy: Bool = false
    ) -> StoryArticle {
        StoryArticle(
            report: StoryReport(
                owner: owner,
                publishedAt: Timestamp(milliseconds: Int64(minute) * 60_000)
            ),
            tickers: tickers,
            category: category,
            isCopy: isCopy
        )
    }

    @Test func storyWithoutArticlesHasNone() {
        expectNil(StoryFacts([], novelty: 1))
    }

    @Test func tickersComeByTheirFrequencyWithThePrimaryOneFirst() throws {
        let (apple, microsoft) = (Self.apple, Self.microsoft)
        let other = Ticker("AAA")!
        let facts = try require(
            StoryFacts(
                [
                    article("a", tickers: [apple, other]), article("b", tickers: [apple]),
                    article("c", tickers: [microsoft]),
                ],
                novelty: 1
            )
        )
        expectEqual(facts.scope, .ticker(apple))
        expectEqual(facts.tickers, [apple, other, microsoft])
    }

    @Test func atMostFiveTickersAreKept() throws {
        let tickers = (1...9).map { Ticker("T\($0)")! }
        let facts = try require(StoryFacts([article("a", tickers: tickers)], novelty: 1))
        expectEqual(facts.tickers.count, StoryFacts.tickersMax)
    }

    @Test func categoryIsTheMostFrequentOne() throws {
        let articles = [
            article("a", category: .science), article("b", category: .sports),
            article("c", category: .science),
        ]
        try expectEqual(require(StoryFacts(articles, novelty: 1)).category, .science)
        let even = [article("a", category: .sports), article("b", category: .business)]
        try expectEqual(require(StoryFacts(even, novelty: 1)).category, .business)
    }

    @Test func copyIsAReportButSaysNothingElse() throws {
        let articles = [
            article("a", category: .science),
            article("b", tickers: [Self.apple], category: .sports, isCopy: true),
            article("c", tickers: [Self.apple], category: .sports, isCopy: true),
        ]
        let facts = try require(StoryFacts(articles, novelty: 1))
        expectEqual(facts.evidence.ownerCount, 3)
        expectEqual(facts.category, .science)
        expectEqual(facts.scope, .global)
        expect(facts.tickers.isEmpty)
    }

    @Test func copiesCountIfNothingElseIsLeft() throws {
        let copy = article("a", tickers: [Self.apple], category: .sports, isCopy: true)
        let facts = try require(StoryFacts([copy], novelty: 1))
        expectEqual(facts.category, .sports)
        expectEqual(facts.scope, .ticker(Self.apple))
    }

    @Test func orderOfTheArticlesDoesNotMatter() throws {
        let articles = (0..<6).map { index in
            article(
                "owner\(index % 3)",
                minute: index,
                tickers: index.isMultiple(of: 2) ? [Self.apple] : [Self.microsoft],
                category: index < 3 ? .science : .business
            )
        }
        let one = try require(StoryFacts(articles, novelty: 0.5))
        let other = try require(StoryFacts(articles.reversed(), novelty: 0.5))
        expectEqual(one.importance, other.importance)
        expectEqual(one.tickers, other.tickers)
        expectEqual(one.category, other.category)
    }
}
