import News

extension ExplainedStory {
    /// - Parameters:
    ///   - signal: the signal of the story's best article.
    ///   - articles: the story's articles, the best one first.
    package init(
        _ story: StoredStory,
        _ signal: ArticleSignal,
        articles: [Article]
    ) {
        self.init(
            storyID: story.id,
            revision: story.revision,
            title: story.title,
            texts: articles.prefix(ExplanationTask.textsMax).map(ExplainedStory.text),
            reasons: story.reasons,
            relevance: signal.relevance,
            opportunity: Opportunity(kind: signal.opportunity, note: signal.opportunityNote),
            horizon: signal.horizon,
            tickers: story.tickers
        )
    }

    /// Cut to the length that is sent, because waiting stories keep their texts in memory.
    private static func text(of article: Article) -> String {
        let text = [article.title, article.summary].filter { !$0.isEmpty }.joined(separator: " — ")
        guard text.utf8.count > ExplanationTask.textBytesMax else { return text }
        return String(text.unicodeScalars.prefix(ExplanationTask.textBytesMax))
    }
}
