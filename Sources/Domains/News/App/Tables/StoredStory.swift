import News
import Timekeeping

/// A story as the store has it.
package struct StoredStory: Equatable, Sendable {
    package var id: Int
    package var title: String
    /// The article whose title it has.
    package var articleID: Int
    /// Without copies.
    package var articleCount: Int
    package var copyCount: Int
    package var startedAt: Timestamp
    package var updatedAt: Timestamp
    /// When the hub has found it.
    package var createdAt: Timestamp
    package var novelty: Double
    /// Of its importance.
    package var bits: Double
    /// In 0...100.
    package var importance: Int
    package var impact: ImpactLevel
    package var category: NewsCategory
    package var primaryTicker: Ticker?
    package var tickers: [Ticker]
    package var reasons: [String]
    /// Counts what subscribers have seen of it.
    package var revision: Int
    /// What subscribers have seen last; nil for a story that was not published.
    package var published: Published?
    /// The story that it has become a part of.
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

    /// What a subscriber would see of the change since it was published last; nil for nothing.
    package var visibleChange: StoryDetailView.Change.Kind? {
        guard let published else { return .created }
        if published.title != title { return .retitled }
        let isGrown =
            StoredStory.step(articleCount) != StoredStory.step(published.articleCount)
            || published.impact != impact || published.primaryTicker != primaryTicker
        return isGrown ? .grown : nil
    }

    /// How many of the numbers 2, 3, 5, 8, 13, … a count has reached.
    static func step(_ count: Int) -> Int {
        var (step, last, next) = (0, 1, 2)
        while next <= count {
            (last, next) = (next, last + next)
            step += 1
        }
        return step
    }
}
