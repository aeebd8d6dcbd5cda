import News

extension NewsWriter {
    // MARK: Summaries

    /// The summary of an article's revision that the model has written or writes; nil for the
    /// publisher's own text.
    ///
    /// - Parameter article: a stored one.
    package func summary(of article: Article) async -> NewsSummaryView? {
        guard !SummaryTask.isShort(article), let task = SummaryTask(article) else { return nil }
        return await text(of: task).flatMap(NewsSummaryView.init)
    }

    /// The summary of an article's revision, if the model has written it.
    package func summary(known article: Article, in tables: NewsTables) -> NewsSummaryView? {
        guard !SummaryTask.isShort(article) else { return nil }
        return known(SummaryTask.key(of: article), tables).flatMap(NewsSummaryView.init)
    }

    /// Has summaries written in the background, those that a list lacks.
    package func request(summariesOf articles: [Article]) {
        for article in articles where !SummaryTask.isShort(article) {
            request(.summary(key: SummaryTask.key(of: article), articleID: article.id))
        }
    }

    // MARK: Explanations

    /// What a story means for the holders of a company, as the model has written or writes it; nil for
    /// `Explanation(of:for:)`.
    ///
    /// - Parameter story: a stored one.
    package func explanation(
        of story: ExplainedStory,
        for ticker: Ticker
    ) async -> PersonalSignalView.Explanation? {
        await text(of: ExplanationTask(story, for: ticker))?.explanation
    }

    /// The explanation of a story's revision, if the model has written it.
    package func explanation(
        known story: ExplainedStory,
        for ticker: Ticker,
        in tables: NewsTables
    ) -> PersonalSignalView.Explanation? {
        known(ExplanationTask(story, for: ticker).key, tables)?.explanation
    }

    /// Has explanations written in the background, those that a feed lacks.
    package func request(explanations: [(story: ExplainedStory, ticker: Ticker)]) {
        for (story, ticker) in explanations { request(.explanation(story, ticker)) }
    }

    // MARK: Interpretations

    /// How long a user waits for the model. A later answer is there the next time.
    package static let interpretationDeadline = Duration.seconds(5)

    /// What a pasted text means, as the model has written or writes it; nil for `TextInterpretation`.
    ///
    /// - Parameters:
    ///   - user: whose share of the day pays for it.
    ///   - deadline: how long to wait. The text is written and stored also after it.
    package func interpretation(
        of text: String,
        for user: NewsUserID,
        within deadline: Duration = NewsWriter.interpretationDeadline
    ) async -> WrittenInterpretation? {
        guard let task = InterpretationTask(text) else { return nil }
        let (answers, answer) = AsyncStream<StoredText>.makeStream()
        Task { [self] in
            if let text = await self.text(of: task, for: Array(user.text.utf8)) {
                answer.yield(text)
            }
            answer.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: deadline)
            answer.finish()
        }
        defer { timer.cancel() }
        for await text in answers {
            return text.json.flatMap { InterpretationTask.text(stored: $0) }
        }
        return nil
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
