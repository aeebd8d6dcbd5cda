/// Runs a board over articles whose times are all in the past, with a review each hour.
package enum StoryReplay {
    private static let reviewInterval = Duration.seconds(3600)

    /// The story of each article by article id, after all merges and splits.
    package static func stories(
        of articles: [StoryInput],
        rules: StoryRules = StoryRules()
    ) -> [Int: Int] {
        var board = StoryBoard(rules: rules)
        var result = StoryAssignment()
        var nextReview: Timestamp?
        for article in articles.sorted(by: { $0.publishedAt < $1.publishedAt }) {
            if let instant = nextReview, article.publishedAt >= instant {
                let hour = article.publishedAt.roundedDown(to: reviewInterval)
                result.apply(board.review(now: hour))
                nextReview = hour + reviewInterval
            }
            nextReview =
                nextReview ?? article.publishedAt.roundedDown(to: reviewInterval) + reviewInterval
            result.apply(board.add([article]))
        }
        if let last = articles.map(\.publishedAt).max() {
            result.apply(board.review(now: last + reviewInterval))
        }
        return result.stories
    }
}

/// The assignment of articles to stories, from the events of a board.
package struct StoryAssignment: Equatable, Sendable {
    /// The story of each article.
    package private(set) var stories: [Int: Int] = [:]
    private var articles: [Int: [Int]] = [:]

    package init() {}

    package mutating func apply(_ events: [StoryEvent]) {
        for event in events {
            switch event {
            case .created, .closed: break
            case .articleAdded(let article, let story): move([article], to: story)
            case .merged(let story, let into):
                move(articles.removeValue(forKey: story) ?? [], to: into)
            case .split(let story, let into, let moved):
                articles[story]?.removeAll(where: Set(moved).contains)
                move(moved, to: into)
            }
        }
    }

    private mutating func move(_ moved: [Int], to story: Int) {
        articles[story, default: []] += moved
        for article in moved { stories[article] = story }
    }
}
