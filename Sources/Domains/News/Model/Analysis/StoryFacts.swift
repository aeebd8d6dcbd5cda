/// An article of a story, as far as the story depends on it.
package struct StoryArticle: Equatable, Sendable {
    package var report: StoryReport
    package var tickers: [Ticker]
    package var category: NewsCategory
    /// It counts as a report, but is in no list.
    package var isCopy: Bool

    package init(
        report: StoryReport,
        tickers: [Ticker],
        category: NewsCategory,
        isCopy: Bool = false
    ) {
        self.report = report
        self.tickers = tickers
        self.category = category
        self.isCopy = isCopy
    }
}

/// The subject of a story, from its articles.
package struct StoryFacts: Sendable {
    package static let tickersMax = 5

    package let evidence: StoryEvidence
    package let importance: Importance
    package let scope: StoryScope
    /// The primary ticker first, then the most frequent ones; at most `tickersMax`.
    package let tickers: [Ticker]
    /// The most frequent one; of equally frequent ones the first of `NewsCategory`.
    package let category: NewsCategory

    /// Nil without articles.
    ///
    /// - Parameters:
    ///   - articles: in any order. Copies count as reports, and otherwise only if all are copies.
    ///   - novelty: in 0...1, of the story when it began.
    package init?(_ articles: [StoryArticle], novelty: Double) {
        let reports = articles.map(\.report)
        guard let evidence = StoryEvidence(reports: reports, novelty: novelty) else { return nil }
        self.evidence = evidence
        importance = Importance(evidence)
        let originals = articles.filter { !$0.isCopy }
        let shown = originals.isEmpty ? articles : originals
        scope = StoryScope(tickersOfArticles: shown.map(\.tickers))
        tickers = StoryFacts.tickers(of: shown, primary: scope.primaryTicker)
        var counts: [NewsCategory: Int] = [:]
        for article in shown { counts[article.category, default: 0] += 1 }
        let most = counts.values.max()
        category = NewsCategory.allCases.first { counts[$0] == most } ?? .general
    }

    private static func tickers(of articles: [StoryArticle], primary: Ticker?) -> [Ticker] {
        var counts: [Ticker: Int] = [:]
        for article in articles {
            for ticker in Set(article.tickers) { counts[ticker, default: 0] += 1 }
        }
        let ordered = counts.sorted { one, other in
            if (one.key == primary) != (other.key == primary) { return one.key == primary }
            return (other.value, one.key) < (one.value, other.key)
        }
        return ordered.prefix(tickersMax).map(\.key)
    }
}
