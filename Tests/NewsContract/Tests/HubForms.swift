import News

/// Values of the hub with everything that a form can have.
enum HubForms {
    static let time = Timestamp(iso8601: "2026-01-02T10:00:00.999Z")!
    static let apple = Ticker("AAPL")!
    static let microsoft = Ticker("MSFT")!

    /// With the texts that JSON has to escape, and scripts of several bytes.
    static let hardText = "\"q\" \\ / \u{8}\t\n\r\u{1F} é 東京 😀 \u{2028} </script>"

    static func signal(_ title: String = hardText, horizon: Horizon? = nil) -> SignalView {
        SignalView(
            id: "https://example.com/article?a=1&b=2",
            url: "https://example.com/article?a=1&b=2",
            title: title,
            source: "News Source",
            publishedAt: time,
            verdict: .aware,
            why: ["12 publishers in 3 hours", "You hold AAPL", "First report in 7 days"],
            action: "Understand the context",
            horizon: horizon,
            opportunity: .positive,
            opportunityNote: "beats",
            confidence: 75,
            importance: 90
        )
    }

    static func story(_ id: Int, ticker: Ticker? = nil) -> StoryView {
        StoryView(
            id: id,
            title: hardText,
            impact: id.isMultiple(of: 2) ? .veryLow : .high,
            primaryTicker: ticker,
            articleCount: 12,
            createdAt: time,
            importance: 80
        )
    }

    static let explanation = PersonalSignalView.Explanation(
        headline: hardText,
        impact: "",
        action: "Read it",
        context: "",
        confidence: 1
    )

    static func personal(_ explanation: PersonalSignalView.Explanation?) -> PersonalSignalView {
        PersonalSignalView(
            id: "https://example.com/article",
            title: hardText,
            shortSummary: "",
            tickers: [apple, microsoft],
            impact: .high,
            scope: .company,
            opportunity: .neutral,
            relevance: "earnings",
            profileTier: .low,
            articles: [
                .init(source: "A", title: "T", url: "https://a/1"),
                .init(
                    source: "B",
                    title: "T",
                    description: "D",
                    body: hardText,
                    url: "https://b/1"
                ),
            ],
            explanation: explanation
        )
    }

    static let groups = StoryGroupsView(
        day: time,
        userID: "1",
        holdings: [apple, microsoft],
        generatedAt: time,
        global: [story(1), story(4)],
        byTicker: [apple: [story(3, ticker: apple)]],
        metadata: .init(totalGroups: 3, articlesClustered: 36, duplicatesRemoved: 2)
    )

    static let article = NewsAPIArticleView(
        sourceID: "fed",
        sourceName: "Federal Reserve",
        author: "A",
        title: hardText,
        description: "D",
        url: "https://example.com/article?a=1&b=2",
        imageURL: "https://example.com/a.jpg",
        publishedAt: time,
        content: "C",
        summary: .init(text: "S", source: .ai, model: "m", generatedAt: time),
        storyID: 7
    )

    /// Without anything that may be missing.
    static let bareArticle = NewsAPIArticleView(
        sourceID: nil,
        sourceName: "Some",
        title: "T",
        url: "https://example.com/b",
        publishedAt: time
    )
}
