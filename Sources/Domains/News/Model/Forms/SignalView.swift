/// A signal as `/v1` shows it: one article and its meaning for an investor.
package struct SignalView: Equatable, Sendable {
    /// The document shows two and specifies three.
    package static let reasonsMax = 3

    /// The canonical URL, or `text://…` for a text of a user.
    package var id: String
    package var url: String
    package var title: String
    package var source: String
    package var publishedAt: Timestamp
    package var verdict: SignalJudgement.Verdict
    /// The most important one first. Only the first `reasonsMax` are written.
    package var why: [String]
    package var action: String
    package var horizon: Horizon?
    package var opportunity: Opportunity.Kind
    /// Empty without an opportunity.
    package var opportunityNote: String
    /// In 0...100; written within these bounds.
    package var confidence: Int
    /// In 0...100; written within these bounds.
    package var importance: Int

    package init(
        id: String,
        url: String,
        title: String,
        source: String,
        publishedAt: Timestamp,
        verdict: SignalJudgement.Verdict,
        why: [String],
        action: String,
        horizon: Horizon? = nil,
        opportunity: Opportunity.Kind = .none,
        opportunityNote: String = "",
        confidence: Int,
        importance: Int
    ) {
        self.id = id
        self.url = url
        self.title = title
        self.source = source
        self.publishedAt = publishedAt
        self.verdict = verdict
        self.why = why
        self.action = action
        self.horizon = horizon
        self.opportunity = opportunity
        self.opportunityNote = opportunityNote
        self.confidence = confidence
        self.importance = importance
    }

    /// The signal of an article of the store.
    package init(_ article: Article, _ signal: ArticleSignal) {
        self.init(
            id: article.url,
            url: article.link.text,
            title: article.title,
            source: article.source.title,
            publishedAt: article.publishedAt,
            verdict: signal.isIgnored ? .ignore : .aware,
            why: signal.reasons,
            action: signal.action,
            horizon: signal.horizon,
            opportunity: signal.opportunity,
            opportunityNote: signal.opportunityNote,
            confidence: signal.confidence,
            importance: signal.importance
        )
    }

    /// The answer of `POST /v1/interpret`, and the data of `news.signal.published`.
    package func json() -> [UInt8] {
        newsJSON { write(to: &$0) }
    }

    func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("url", url)
        json.field("title", title)
        json.field("source", source)
        json.instant("published_at", publishedAt)
        json.field("verdict", verdict.rawValue)
        json.textArray("why", why.prefix(SignalView.reasonsMax))
        json.field("action", action)
        json.field("horizon", horizon?.rawValue)
        json.field("opportunity_type", opportunity.rawValue)
        json.field("opportunity_note", opportunityNote)
        json.field("confidence", percentShown(confidence))
        json.field("importance_score", percentShown(importance))
    }
}

/// The answer of `GET /v1/feed`.
package struct SignalPage: Equatable, Sendable {
    package var items: [SignalView]
    /// Nil at the end.
    package var nextCursor: String?

    package init(items: [SignalView], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.array("items") { json in
                for item in items { json.object { item.write(to: &$0) } }
            }
            json.field("next_cursor", nextCursor)
        }
    }
}
