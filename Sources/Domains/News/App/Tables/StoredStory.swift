import News

/// A story as the store has it.
package struct StoredStory: Equatable, Sendable {
    package var id: Int
    package var title: String
    /// The article with the title of the story.
    package var articleID: Int
    /// Without copies.
    package var articleCount: Int
    package var copyCount: Int
    package var startedAt: Timestamp
    package var updatedAt: Timestamp
    /// When the hub created the story.
    package var createdAt: Timestamp
    package var novelty: Double
    /// The importance in bits: `Importance`.
    package var bits: Double
    /// In 0...100.
    package var importance: Int
    package var impact: ImpactLevel
    package var category: NewsCategory
    package var primaryTicker: Ticker?
    package var tickers: [Ticker]
    package var reasons: [String]
    /// The number of the version that was published last; 1 before the first one.
    package var revision: Int
    /// The version that was published last; nil for a story that was not published.
    package var published: Published?
    /// The story that it was merged into.
    package var mergedInto: Int?

    /// The parts of a story whose change is published.
    package struct Published: Equatable, Sendable {
        package var at: Timestamp
        package var title: String
        package var impact: ImpactLevel
        package var primaryTicker: Ticker?
        package var articleCount: Int
    }

    package var view: StoryView {
        StoryView(
            id: id,
            title: title,
            impact: impact,
            primaryTicker: primaryTicker,
            articleCount: articleCount,
            createdAt: createdAt,
            importance: importance
        )
    }

    package var subject: NewsSubject {
        NewsSubject(tickers: tickers, category: category, impact: impact)
    }

    package func asPublished(at time: Timestamp) -> Published {
        Published(
            at: time,
            title: title,
            impact: impact,
            primaryTicker: primaryTicker,
            articleCount: articleCount
        )
    }

    /// The change since the last publication, if subscribers would see it.
    package var visibleChange: StoryDetailView.Change.Kind? {
        guard let published else { return .created }
        if published.title != title { return .retitled }
        let isGrown =
            StoredStory.step(articleCount) != StoredStory.step(published.articleCount)
            || published.impact != impact || published.primaryTicker != primaryTicker
        return isGrown ? .grown : nil
    }

    /// Returns how many of the numbers 2, 3, 5, 8, 13, … a count has reached.
    static func step(_ count: Int) -> Int {
        var (step, last, next) = (0, 1, 2)
        while next <= count {
            (last, next) = (next, last + next)
            step += 1
        }
        return step
    }
}
