/// The data of a story from which an explanation is written.
///
/// Nothing in it depends on a reader: the explanation for one company is the same for all who hold
/// it. So it does not contain labels and notes of holdings either.
package struct ExplainedStory: Equatable, Sendable {
    package var storyID: Int
    /// Changes when a text of the story changes.
    package var revision: Int
    package var title: String
    /// Of the story's articles, title and summary of each, the best article first.
    package var texts: [String]
    /// `StoryReasons.sentences` without holdings.
    package var reasons: [String]
    package var relevance: RelevanceType
    package var opportunity: Opportunity
    package var horizon: Horizon?
    /// The companies that the story names.
    package var tickers: [Ticker]

    package init(
        storyID: Int,
        revision: Int,
        title: String,
        texts: [String],
        reasons: [String],
        relevance: RelevanceType,
        opportunity: Opportunity,
        horizon: Horizon? = nil,
        tickers: [Ticker] = []
    ) {
        self.storyID = storyID
        self.revision = revision
        self.title = title
        self.texts = texts
        self.reasons = reasons
        self.relevance = relevance
        self.opportunity = opportunity
        self.horizon = horizon
        self.tickers = tickers
    }
}
