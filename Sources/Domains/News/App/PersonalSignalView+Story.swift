import News

extension PersonalSignalView {
    /// An item about a story.
    ///
    /// - Parameters:
    ///   - article: the story's best article for the list.
    ///   - articles: the story's articles, the best one first.
    init(
        _ article: Article,
        _ signal: ArticleSignal,
        _ story: StoredStory,
        isHeld: Bool,
        articles: [Article]
    ) {
        let scope: Scope =
            story.primaryTicker != nil ? .company : story.tickers.isEmpty ? .macro : .industry
        self.init(
            id: article.url,
            title: article.title,
            shortSummary: article.shortSummary,
            tickers: story.tickers,
            impact: Level(story.impact),
            scope: scope,
            opportunity: Opportunity(signal.opportunity),
            relevance: signal.relevance.rawValue,
            profileTier: isHeld ? .high : scope == .macro ? .low : .medium,
            articles: articles.map { article in
                RawArticle(
                    source: article.source.title,
                    title: article.title,
                    description: article.summary,
                    body: article.content,
                    url: article.link.text
                )
            },
            explanation: nil
        )
    }
}

extension Article {
    private static let shortSummaryLengthMax = 280

    /// The summary, cut at a word if it is too long.
    var shortSummary: String {
        guard summary.count > Article.shortSummaryLengthMax else { return summary }
        let cut = summary.prefix(Article.shortSummaryLengthMax - 1)
        let end = cut.lastIndex(where: \.isWhitespace) ?? cut.endIndex
        return cut[..<end] + "…"
    }
}

extension PersonalSignalView.Level {
    init(_ impact: ImpactLevel) {
        self =
            switch impact {
            case .high: .high
            case .moderate: .medium
            case .low, .veryLow: .low
            }
    }
}

extension PersonalSignalView.Opportunity {
    init(_ kind: Opportunity.Kind) {
        self =
            switch kind {
            case .none: .neutral
            case .positive: .positive
            case .negative: .negative
            }
    }
}
