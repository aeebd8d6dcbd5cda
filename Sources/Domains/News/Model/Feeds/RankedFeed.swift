/// An article that a feed may show, in the form that decides about its place.
package struct FeedCandidate: Equatable, Sendable {
    /// With the id of the article.
    package var position: RankPosition
    /// Nil for an article that is in no story.
    package var storyID: Int?
    /// In 0...100.
    package var importance: Int
    package var publishedAt: Timestamp
    package var tickers: [Ticker]

    package init(
        position: RankPosition,
        storyID: Int?,
        importance: Int,
        publishedAt: Timestamp,
        tickers: [Ticker] = []
    ) {
        self.position = position
        self.storyID = storyID
        self.importance = importance
        self.publishedAt = publishedAt
        self.tickers = tickers
    }

    package var articleID: Int { position.id }
}

/// The general feed: the best article of each story, in the order of their ranks.
///
/// Pages of one generation are parts of one list. It does not change while articles arrive, because
/// those are of later generations.
///
/// Making it takes O(n log n) for n candidates, of which the caller has a bounded number.
package struct RankedFeed: Equatable, Sendable {
    /// In their order, each story once.
    package let entries: [FeedCandidate]
    package let generation: Int

    /// - Parameters:
    ///   - candidates: in any order.
    ///   - generation: of the cursor, or for a first page the greatest id of an article.
    ///   - importanceMin: less important articles are left out.
    package init(candidates: [FeedCandidate], generation: Int, importanceMin: Int = 0) {
        var stories: Set<Int> = []
        entries =
            candidates
            .filter { $0.articleID <= generation && $0.importance >= importanceMin }
            .sorted { $0.position.precedes($1.position) }
            .filter { candidate in
                candidate.storyID.map { stories.insert($0).inserted } ?? true
            }
        self.generation = generation
    }

    private init(entries: [FeedCandidate], generation: Int) {
        self.entries = entries
        self.generation = generation
    }

    /// The entries that come after a place.
    func entries(after position: RankPosition) -> ArraySlice<FeedCandidate> {
        entries.drop { !position.precedes($0.position) }
    }

    func filter(_ isIncluded: (FeedCandidate) -> Bool) -> RankedFeed {
        RankedFeed(entries: entries.filter(isIncluded), generation: generation)
    }

    /// - Parameter position: of the cursor.
    package func page(after position: RankPosition = .start, limit: Int) -> FeedPage {
        precondition(limit > 0, "a page without entries")
        let rest = entries(after: position)
        let page = Array(rest.prefix(limit))
        guard rest.count > limit, let last = page.last else {
            return FeedPage(entries: page, next: nil)
        }
        let next = NewsCursor(generation: generation, position: last.position)
        return FeedPage(entries: page, next: next)
    }
}

/// A part of a feed.
package struct FeedPage: Equatable, Sendable {
    package var entries: [FeedCandidate]
    /// Nil at the end.
    package var next: NewsCursor?
}
