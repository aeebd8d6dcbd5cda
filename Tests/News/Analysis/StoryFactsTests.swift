import News
import Testing

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
        #expect(StoryFacts([], novelty: 1) == nil)
    }

    @Test func tickersComeByTheirFrequencyWithThePrimaryOneFirst() throws {
        let (apple, microsoft) = (Self.apple, Self.microsoft)
        let other = Ticker("AAA")!
        let facts = try #require(
            StoryFacts(
                [
                    article("a", tickers: [apple, other]), article("b", tickers: [apple]),
                    article("c", tickers: [microsoft]),
                ],
                novelty: 1
            )
        )
        #expect(facts.scope == .ticker(apple))
        #expect(facts.tickers == [apple, other, microsoft])
    }

    @Test func atMostFiveTickersAreKept() throws {
        let tickers = (1...9).map { Ticker("T\($0)")! }
        let facts = try #require(StoryFacts([article("a", tickers: tickers)], novelty: 1))
        #expect(facts.tickers.count == StoryFacts.tickersMax)
    }

    @Test func categoryIsTheMostFrequentOne() throws {
        let articles = [
            article("a", category: .science), article("b", category: .sports),
            article("c", category: .science),
        ]
        #expect(try #require(StoryFacts(articles, novelty: 1)).category == .science)
        let even = [article("a", category: .sports), article("b", category: .business)]
        #expect(try #require(StoryFacts(even, novelty: 1)).category == .business)
    }

    @Test func copyIsAReportButSaysNothingElse() throws {
        let articles = [
            article("a", category: .science),
            article("b", tickers: [Self.apple], category: .sports, isCopy: true),
            article("c", tickers: [Self.apple], category: .sports, isCopy: true),
        ]
        let facts = try #require(StoryFacts(articles, novelty: 1))
        #expect(facts.evidence.ownerCount == 3)
        #expect(facts.category == .science)
        #expect(facts.scope == .global)
        #expect(facts.tickers.isEmpty)
    }

    @Test func copiesCountIfNothingElseIsLeft() throws {
        let copy = article("a", tickers: [Self.apple], category: .sports, isCopy: true)
        let facts = try #require(StoryFacts([copy], novelty: 1))
        #expect(facts.category == .sports)
        #expect(facts.scope == .ticker(Self.apple))
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
        let one = try #require(StoryFacts(articles, novelty: 0.5))
        let other = try #require(StoryFacts(articles.reversed(), novelty: 0.5))
        #expect(one.importance == other.importance)
        #expect(one.tickers == other.tickers)
        #expect(one.category == other.category)
    }
}
