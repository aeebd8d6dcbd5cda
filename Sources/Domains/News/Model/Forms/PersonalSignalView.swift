/// An item of the personal feed. Its keys are in camel case, unlike those of the other forms of
/// `/v1`.
package struct PersonalSignalView: Equatable, Sendable {
    package enum Level: String, CaseIterable, Sendable {
        case high, medium, low
    }

    package enum Scope: String, CaseIterable, Sendable {
        case company, industry, macro
    }

    package enum Opportunity: String, CaseIterable, Sendable {
        case positive, negative, neutral
    }

    /// An article of the story. Texts that are not known are empty: the app's type has no optional.
    package struct RawArticle: Equatable, Sendable {
        package var source: String
        package var title: String
        package var description: String
        package var body: String
        package var url: String

        package init(
            source: String,
            title: String,
            description: String = "",
            body: String = "",
            url: String
        ) {
            self.source = source
            self.title = title
            self.description = description
            self.body = body
            self.url = url
        }
    }

    /// The meaning of the story for the user's holdings.
    package struct Explanation: Equatable, Sendable {
        package var headline: String
        package var impact: String
        package var action: String
        package var context: String
        /// In 0...1; written within these bounds.
        package var confidence: Double

        package init(
            headline: String,
            impact: String,
            action: String,
            context: String,
            confidence: Double
        ) {
            self.headline = headline
            self.impact = impact
            self.action = action
            self.context = context
            self.confidence = confidence
        }
    }

    package var id: String
    package var title: String
    package var shortSummary: String
    /// Written as `AAPL, MSFT`.
    package var tickers: [Ticker]
    package var impact: Level
    package var scope: Scope
    package var opportunity: Opportunity
    /// `earnings`, `general`, `product` and others: an open list.
    package var relevance: String
    package var profileTier: Level
    /// In the order of their numbers, which count from 1.
    package var articles: [RawArticle]
    package var explanation: Explanation?

    package init(
        id: String,
        title: String,
        shortSummary: String,
        tickers: [Ticker],
        impact: Level,
        scope: Scope,
        opportunity: Opportunity,
        relevance: String,
        profileTier: Level,
        articles: [RawArticle],
        explanation: Explanation?
    ) {
        self.id = id
        self.title = title
        self.shortSummary = shortSummary
        self.tickers = tickers
        self.impact = impact
        self.scope = scope
        self.opportunity = opportunity
        self.relevance = relevance
        self.profileTier = profileTier
        self.articles = articles
        self.explanation = explanation
    }

    func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("title", title)
        json.field("shortSummary", shortSummary)
        json.field("tickerSummary", tickers.map(\.text).joined(separator: ", "))
        json.field("impactLevel", impact.rawValue)
        json.field("scopeType", scope.rawValue)
        json.field("opportunitySignal", opportunity.rawValue)
        json.field("relevanceType", relevance)
        json.field("profileTier", profileTier.rawValue)
        json.array("rawArticles") { json in
            for (index, article) in articles.enumerated() {
                json.object { article.write(to: &$0, number: index + 1) }
            }
        }
        guard let explanation else { return json.null("explanation") }
        json.object("explanation") { explanation.write(to: &$0) }
    }
}

extension PersonalSignalView.RawArticle {
    fileprivate func write(to json: inout JSONWriter, number: Int) {
        json.field("articleNumber", number)
        json.field("source", source)
        json.field("title", title)
        json.field("description", description)
        json.field("body", body)
        json.field("url", url)
    }
}

extension PersonalSignalView.Explanation {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("headline", headline)
        json.field("impact", impact)
        json.field("action", action)
        json.field("context", context)
        // The writer makes null of NaN, and the app's type is not optional.
        json.field("confidence", confidence.isNaN ? 0 : min(max(confidence, 0), 1))
    }
}

/// The answer of `GET /v1/personalized-feed`.
package struct PersonalSignalPage: Equatable, Sendable {
    package var items: [PersonalSignalView]
    /// Nil at the end.
    package var nextCursor: String?

    package init(items: [PersonalSignalView], nextCursor: String?) {
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
