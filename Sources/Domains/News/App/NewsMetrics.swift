import News

/// The metrics of the news.
package final class NewsMetrics: Sendable {
    private let counts = Locked(NewsCounts())

    /// - Parameter openStories: returns the number of open stories.
    package init(
        _ registry: MetricsRegistry,
        openStories: @escaping @Sendable () -> Int
    ) {
        registry.add { [counts] text in
            text.write(counts.withLock { $0 })
            text.write(openNewsStories: openStories())
        }
    }

    func note(_ new: NewsCounts) { counts.withLock { $0 += new } }
}

extension MetricsText {
    mutating func write(_ counts: NewsCounts) {
        metric(
            "hub_news_articles_total",
            .counter,
            "Articles of sources by their result.",
            [
                ([("result", "added")], UInt64(counts.added - counts.copies)),
                ([("result", "copy")], UInt64(counts.copies)),
                ([("result", "revised")], UInt64(counts.revised)),
                ([("result", "unchanged")], UInt64(counts.unchanged)),
                ([("result", "withdrawn")], UInt64(counts.withdrawn)),
            ]
        )
    }

    mutating func write(openNewsStories count: Int) {
        metric(
            "hub_news_stories_open",
            .gauge,
            "Stories that articles may still join.",
            UInt64(count)
        )
    }
}
