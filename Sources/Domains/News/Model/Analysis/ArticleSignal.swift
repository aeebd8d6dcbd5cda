/// The signal of an article, as published once and shown in lists from then on.
package struct ArticleSignal: Equatable, Sendable {
    /// In 0...100.
    package var importance: Int
    /// The place in lists: `RankPosition.key`.
    package var rankKey: Double
    package var isIgnored: Bool
    /// One to three sentences.
    package var reasons: [String]
    package var action: String
    package var horizon: Horizon?
    package var opportunity: Opportunity.Kind
    package var opportunityNote: String
    package var relevance: RelevanceType
    /// In 0...100.
    package var confidence: Int

    package init(
        importance: Int,
        rankKey: Double,
        isIgnored: Bool,
        reasons: [String],
        action: String,
        horizon: Horizon?,
        opportunity: Opportunity.Kind,
        opportunityNote: String,
        relevance: RelevanceType,
        confidence: Int
    ) {
        self.importance = importance
        self.rankKey = rankKey
        self.isIgnored = isIgnored
        self.reasons = reasons
        self.action = action
        self.horizon = horizon
        self.opportunity = opportunity
        self.opportunityNote = opportunityNote
        self.relevance = relevance
        self.confidence = confidence
    }

    /// The signal of an article that has just joined a story.
    ///
    /// - Parameters:
    ///   - facts: of the story, with the article.
    ///   - importance: the story's score.
    package init(of article: Article, in facts: StoryFacts, importance: Int) {
        let namesCompany = !article.tickers.isEmpty || !facts.tickers.isEmpty
        let relevance = RelevanceType(
            title: article.title,
            text: article.summary,
            namesCompany: namesCompany
        )
        let opportunity = Opportunity(
            title: article.title,
            text: article.summary,
            relevance: relevance,
            namesCompany: namesCompany
        )
        let judgement = SignalJudgement(
            score: importance,
            relevance: relevance,
            opportunity: opportunity.kind,
            publisherCount: facts.evidence.ownerCount,
            textLength: article.textLength
        )
        let reasons = StoryReasons(
            evidence: facts.evidence,
            source: article.source.title,
            relevance: relevance,
            tickers: article.tickers
        )
        self.init(
            importance: importance,
            rankKey: facts.importance.rankKey(
                startedAt: facts.evidence.firstReportAt,
                halfLife: RankHalfLife.mixed
            ),
            isIgnored: judgement.verdict == .ignore,
            reasons: reasons.sentences,
            action: judgement.action,
            horizon: Horizon(
                title: article.title,
                text: article.summary,
                relevance: relevance
            ),
            opportunity: opportunity.kind,
            opportunityNote: opportunity.note,
            relevance: relevance,
            confidence: judgement.confidence
        )
    }
}

extension Article {
    /// Characters of its title and texts.
    package var textLength: Int {
        [title, summary, content].reduce(0) { $0 + $1.unicodeScalars.count }
    }
}
