import News

/// Values that the tests of the forms share, with the texts of the document.
enum NewsExamples {
    static let time = Timestamp(iso8601: "2026-01-02T10:00:00.750Z")!
    static let apple = Ticker("AAPL")!
    static let microsoft = Ticker("MSFT")!
    static let nvidia = Ticker("NVDA")!

    static let signal = SignalView(
        id: "https://example.com/article",
        url: "https://example.com/article",
        title: "Article Title",
        source: "News Source",
        publishedAt: time,
        verdict: .aware,
        why: ["Relevant to market", "Strong signal"],
        action: "Understand the context",
        confidence: 75,
        importance: 75
    )

    static let signalText = """
        {"id":"https://example.com/article","url":"https://example.com/article",\
        "title":"Article Title","source":"News Source","published_at":"2026-01-02T10:00:00Z",\
        "verdict":"aware","why":["Relevant to market","Strong signal"],\
        "action":"Understand the context","horizon":null,"opportunity_type":"none",\
        "opportunity_note":"","confidence":75,"importance_score":75}
        """

    static func story(
        _ id: Int,
        _ title: String = "Fed Rate Decision Expected",
        impact: ImpactLevel = .high,
        ticker: Ticker? = nil,
        articles: Int = 12,
        importance: Int = 80
    ) -> StoryView {
        StoryView(
            id: id,
            title: title,
            impact: impact,
            primaryTicker: ticker,
            articleCount: articles,
            createdAt: time,
            importance: importance
        )
    }

    static let storyText = """
        {"id":1,"group_title":"Fed Rate Decision Expected","impact_level":"High",\
        "scope":"GLOBAL","primary_ticker":null,"article_count":12,\
        "created_at":"2026-01-02T10:00:00Z"}
        """

    static let subject = NewsSubject(
        tickers: [apple, microsoft],
        category: .business,
        impact: .high
    )
}

func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}
