import Expectations
import News

@Suite("Items of the personal feed", .timeLimit(.minutes(10)))
struct PersonalSignalViewTests {
    private let item = PersonalSignalView(
        id: "https://example.com/article",
        title: "Article Title",
        shortSummary: "Brief",
        tickers: [NewsExamples.apple, NewsExamples.microsoft],
        impact: .high,
        scope: .company,
        opportunity: .positive,
        relevance: "earnings",
        profileTier: .high,
        articles: [
            .init(source: "Bloomberg", title: "Full", url: "https://example.com/article"),
            .init(source: "AP", title: "T", description: "D", body: "B", url: "https://ap/1"),
        ],
        explanation: .init(
            headline: "Why This Matters to You",
            impact: "Positive",
            action: "Monitor",
            context: "Broader",
            confidence: 0.95
        )
    )

    @Test func itemHasTheKeysOfTheDocumentInItsOrder() {
        expectEqual(
            text(PersonalSignalPage(items: [item], nextCursor: nil).json()),
            """
            {"items":[{"id":"https://example.com/article","title":"Article Title",\
            "shortSummary":"Brief","tickerSummary":"AAPL, MSFT","impactLevel":"high",\
            "scopeType":"company","opportunitySignal":"positive","relevanceType":"earnings",\
            "profileTier":"high","rawArticles":[{"articleNumber":1,"source":"Bloomberg",\
            "title":"Full","description":"","body":"","url":"https://example.com/article"},\
            {"articleNumber":2,"source":"AP","title":"T","description":"D","body":"B",\
            "url":"https://ap/1"}],"explanation":{"headline":"Why This Matters to You",\
            "impact":"Positive","action":"Monitor","context":"Broader","confidence":0.95}}],\
            "next_cursor":null}
            """
        )
    }

    @Test func itemWithoutTickersAndExplanationHasAnEmptyTextAndNull() {
        var item = item
        item.tickers = []
        item.explanation = nil
        let json = text(PersonalSignalPage(items: [item], nextCursor: "c").json())
        expect(json.contains(#""tickerSummary":"","#))
        expect(json.contains(#""explanation":null}],"next_cursor":"c"}"#))
    }

    @Test(arguments: [(-0.5, "0"), (1.5, "1"), (Double.nan, "0"), (.infinity, "1"), (0.4, "0.4")])
    func confidenceIsNeverNullAndStaysWithinItsBounds(confidence: Double, written: String) {
        var item = item
        item.explanation?.confidence = confidence
        let json = text(PersonalSignalPage(items: [item], nextCursor: nil).json())
        expect(json.contains(#""confidence":\#(written)}"#))
    }
}
