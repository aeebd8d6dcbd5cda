import News

extension ExplainedStory {
    /// - Parameters:
    ///   - signal: of the story's best article.
    ///   - articles: of the story, the best one first.
    package init(
        _ story: StoredStory,
        _ signal: ArticleSignal,
        articles: [Article]
    ) {
        self.init(
            storyID: story.id,
            revision: story.revision,
            title: story.title,
            texts: articles.map { article in
                [article.title, article.summary].filter { !$0.isEmpty }.joined(separator: " — ")
            },
            reasons: story.reasons,
            relevance: signal.relevance,
            opportunity: Opportunity(kind: signal.opportunity, note: signal.opportunityNote),
            horizon: signal.horizon,
            tickers: story.tickers
        )
    }
}
