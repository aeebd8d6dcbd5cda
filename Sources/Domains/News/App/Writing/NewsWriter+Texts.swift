import News

extension NewsWriter {
    // MARK: Summaries

    /// The model's summary of an article's revision, stored or written now; nil for the publisher's
    /// own text.
    ///
    /// - Parameter article: a stored article.
    package func summary(of article: Article) async -> NewsSummaryView? {
        guard !SummaryTask.isShort(article), let task = SummaryTask(article) else { return nil }
        return await text(of: task).flatMap(NewsSummaryView.init)
    }

    /// The summary of an article's revision, if the model has written it.
    package func summary(known article: Article, in tables: NewsTables) -> NewsSummaryView? {
        guard !SummaryTask.isShort(article) else { return nil }
        return known(SummaryTask.key(of: article), tables).flatMap(NewsSummaryView.init)
    }

    /// Has the missing summaries of a list written in the background.
    package func request(summariesOf articles: [Article]) {
        for article in articles where !SummaryTask.isShort(article) {
            request(.summary(key: SummaryTask.key(of: article), articleID: article.id))
        }
    }

    // MARK: Explanations

    /// The model's explanation of a story for the holders of a company, stored or written now; nil
    /// for `Explanation(of:for:)`.
    ///
    /// - Parameters:
    ///   - story: a stored story.
    ///   - user: the user whose share of the day's budget pays for one that is written now. Other
    ///     holders have it for nothing.
    package func explanation(
        of story: ExplainedStory,
        for ticker: Ticker,
        paidBy user: NewsUserID? = nil
    ) async -> PersonalSignalView.Explanation? {
        let payer = user.map { Array($0.text.utf8) }
        return await text(of: ExplanationTask(story, for: ticker), for: payer)?.explanation
    }

    /// The explanation of a story's revision, if the model has written it.
    package func explanation(
        known story: ExplainedStory,
        for ticker: Ticker,
        in tables: NewsTables
    ) -> PersonalSignalView.Explanation? {
        known(ExplanationTask(story, for: ticker).key, tables)?.explanation
    }

    /// Has the missing explanations of a user's feed written in the background.
    package func request(
        explanations: [(story: ExplainedStory, ticker: Ticker)],
        for user: NewsUserID? = nil
    ) {
        for (story, ticker) in explanations { request(.explanation(story, ticker, user)) }
    }

    // MARK: Interpretations

    /// The model's interpretation of a pasted text, stored or written now; nil for
    /// `TextInterpretation`.
    ///
    /// - Parameters:
    ///   - user: the user whose share of the day's budget pays for it.
    ///   - deadline: how long to wait. Later the text is still written and stored.
    package func interpretation(
        of text: String,
        for user: NewsUserID,
        within deadline: Duration
    ) async -> WrittenInterpretation? {
        guard let task = InterpretationTask(text) else { return nil }
        let writing = Task { [self] in await self.text(of: task, for: Array(user.text.utf8)) }
        let text = await writing.value { try await Task.sleep(for: deadline) }
        return text.flatMap { $0 }?.json.flatMap { InterpretationTask.text(stored: $0) }
    }
}

extension StoredText {
    fileprivate var explanation: PersonalSignalView.Explanation? {
        json.flatMap { ExplanationTask.text(stored: $0) }
    }
}

extension NewsSummaryView {
    fileprivate init?(_ stored: StoredText) {
        guard let text = stored.json.flatMap({ SummaryTask.text(stored: $0) }) else { return nil }
        self.init(
            text: text,
            source: .ai,
            model: stored.model,
            generatedAt: stored.writtenAt
        )
    }
}
