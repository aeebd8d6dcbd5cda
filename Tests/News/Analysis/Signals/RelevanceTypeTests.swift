import Expectations

@testable import News

@Suite("Relevance, scope and horizon", .timeLimit(.minutes(10)))
struct RelevanceTypeTests {
    @Test(
        arguments: [
            ("Acme posts record quarterly profit", RelevanceType.earnings),
            ("Acme Q3 revenue misses estimates", .earnings),
            ("Comparable sales at Acme fall 0.3%", .earnings),
            ("Acme lowers outlook for the year", .guidance),
            ("Acme issues profit warning", .guidance),
            ("Acme to buy rival for $2 billion", .merger), ("Takeover bid for Acme fails", .merger),
            ("Acme sued over patents in federal court", .legal),
            ("Acme files for Chapter 11", .legal), ("Acme to cut 900 jobs", .general),
            ("Acme unveils its new phone", .product), ("Acme recalls 200,000 cars", .product),
            ("Acme raises dividend by a tenth", .dividend),
            ("Acme starts share repurchase", .dividend),
            ("Fed raises interest rates", .macro), ("Inflation slows in Europe", .macro),
            ("Job openings rise in January", .macro), ("Mayor opens a park", .general),
            ("", .general),
        ]
    )
    func wordsOfTheTitleSayWhatItIsAbout(title: String, type: RelevanceType) {
        expectEqual(RelevanceType(title: title), type)
    }

    @Test(arguments: [
        ("The Fed waits", RelevanceType.macro), ("Lambs are fed by hand", .general),
        ("Fed up with rain", .general), ("Oil on canvas found", .general),
        ("Squash court opens", .general), ("Court opens", .legal), ("Factory orders", .macro),
        ("Jobs at the harbour", .general), ("Hiring slows", .macro), ("Dollar and oil", .macro),
    ])
    func withoutACompanyOneWordOfManyMeaningsIsNotEnough(title: String, type: RelevanceType) {
        expectEqual(RelevanceType(title: title, namesCompany: false), type)
    }

    @Test func titleCountsMoreThanText() {
        expectEqual(RelevanceType(title: "Acme dividend", text: "The lawsuit goes on."), .dividend)
        expectEqual(RelevanceType(title: "Acme", text: "The lawsuit goes on."), .legal)
    }

    @Test func onlyTheBeginningOfATextCounts() {
        let text = String(repeating: "x ", count: 1_100) + "dividend"
        expectEqual(RelevanceType(title: "Acme", text: text), .general)
    }

    @Test func everyTypeButGeneralIsAReason() {
        for type in RelevanceType.allCases {
            expectEqual((type.sentence == nil), (type == .general))
        }
    }

    private func tickers(_ symbols: [String]) -> [[Ticker]] {
        symbols.map { $0.split(separator: " ").compactMap { Ticker($0) } }
    }

    @Test(
        arguments: [
            ([], nil), ([""], nil), (["A"], "A"), (["A", ""], "A"), (["A", "", ""], nil),
            (["A B", "B"], "B"), (["A B", "B A"], "A"), (["B A", "A B", "A B"], "A"),
            (["C B", "C B"], "C"),
        ] as [([String], String?)]
    )
    func storyIsAboutACompanyThatHalfOfItsArticlesName(articles: [String], primary: String?) {
        let scope = StoryScope(tickersOfArticles: tickers(articles))
        expectEqual(scope.primaryTicker?.text, primary)
        expectEqual(scope.text, (primary == nil ? "GLOBAL" : "TICKER"))
    }

    @Test(
        arguments: [
            ("Stocks rise today", RelevanceType.general, Horizon.short),
            ("Plan for the full year", .general, .medium),
            ("A bet on the next decade", .general, .long),
            ("Acme", .earnings, .short), ("Acme", .guidance, .medium), ("Acme", .merger, .long),
            ("Acme today", .merger, .short), ("Today and this year", .general, .short),
            ("Acme", .general, nil),
        ] as [(String, RelevanceType, Horizon?)]
    )
    func horizonIsThatOfTheWordsElseOfTheEvent(
        title: String,
        relevance: RelevanceType,
        horizon: Horizon?
    ) {
        expectEqual(Horizon(title: title, relevance: relevance), horizon)
    }
}
