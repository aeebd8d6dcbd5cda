import News

/// The signal of an article, and the story that the article is in.
package struct StoredSignal: Equatable, Sendable {
    package var articleID: Int
    package var storyID: Int
    /// The article that this one is a copy of. A copy is in no list of `/v1`.
    package var copyOf: Int?
    package var signal: ArticleSignal
    /// Whether it was published on `news:global`.
    package var isGlobal: Bool

    package init(
        articleID: Int,
        storyID: Int,
        copyOf: Int?,
        signal: ArticleSignal,
        isGlobal: Bool
    ) {
        self.articleID = articleID
        self.storyID = storyID
        self.copyOf = copyOf
        self.signal = signal
        self.isGlobal = isGlobal
    }

    package var position: RankPosition { RankPosition(key: signal.rankKey, id: articleID) }
}
