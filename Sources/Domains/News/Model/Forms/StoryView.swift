/// A story as `/v1` shows it: a group of articles on one subject.
package struct StoryView: Equatable, Sendable {
    package var id: Int
    package var title: String
    package var impact: ImpactLevel
    /// The ticker that most of its articles are about. A story without one is global.
    package var primaryTicker: Ticker?
    package var articleCount: Int
    package var createdAt: Timestamp
    /// In 0...100: the order of stories of one level. It is not written.
    package var importance: Int

    package init(
        id: Int,
        title: String,
        impact: ImpactLevel,
        primaryTicker: Ticker?,
        articleCount: Int,
        createdAt: Timestamp,
        importance: Int
    ) {
        self.id = id
        self.title = title
        self.impact = impact
        self.primaryTicker = primaryTicker
        self.articleCount = articleCount
        self.createdAt = createdAt
        self.importance = importance
    }

    /// The data of `news.story.created` and `news.story.updated`.
    package func json() -> [UInt8] {
        newsJSON { write(to: &$0) }
    }

    func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("group_title", title)
        json.field("impact_level", impact.rawValue)
        json.field("scope", primaryTicker == nil ? "GLOBAL" : "TICKER")
        json.field("primary_ticker", primaryTicker?.text)
        json.field("article_count", articleCount)
        json.instant("created_at", createdAt)
    }

    /// The order of lists: by impact, then importance, then id, so that equal stories never change
    /// places.
    package static func isShownBefore(_ one: StoryView, _ other: StoryView) -> Bool {
        (other.impact, other.importance, one.id) < (one.impact, one.importance, other.id)
    }
}
