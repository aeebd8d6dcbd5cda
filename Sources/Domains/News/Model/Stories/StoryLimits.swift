/// When articles are one story: docs/DECISIONS/024-stories.md has the measurements.
package struct StoryRules: Equatable, Sendable {
    /// The least similarity, after decay, with which an article joins a story.
    package var joinSimilarityMin = 0.12
    /// The least similarity, after decay, of two stories that a review merges.
    package var mergeSimilarityMin = 0.28
    /// The similarity of its halves below which a review splits a story.
    package var splitSimilarityMax = 0.08
    /// Articles that each half needs.
    package var splitMembersMin = 3
    /// A similarity falls to 1/e when this time lies between two articles.
    package var decay: Duration = .seconds(36 * 3600)
    /// A story that has received no article for so long is closed.
    package var idleMax: Duration = .seconds(72 * 3600)
    /// The weight of a word of the summary, compared with one of the title.
    package var summaryWeight = 0.5
    /// Articles that are taken as seen before the first one, so that the first words are not all
    /// equally rare.
    package var documentsAssumed = 1000

    package init() {}
}

/// The bounds of a board's memory.
package struct StoryLimits: Equatable, Sendable {
    /// When there are more, the sixteenth that has been idle for longest is closed.
    package var openStoriesMax = 10_000
    /// Terms of a story's centroid.
    package var centroidTermsMax = 50
    /// Articles of a story that are kept for its title and for splitting it.
    package var membersMax = 32
    /// Articles whose turn has not come: `StoryBoard.settle(now:)`.
    package var pendingMax = 10_000
    /// The number of ids of merged stories that are still found; the lowest ones are removed first.
    package var aliasesMax = 20_000
    /// Words whose articles are counted. When there are more, and when so many articles have been
    /// counted, all counts are halved.
    package var countedTermsMax = 200_000
    package var countedDocumentsMax = 200_000
    package var titleWordsMax = 40
    package var summaryWordsMax = 60
    /// Longer titles are cut at a character.
    package var titleBytesMax = 512
    /// Pairs of stories that one review compares in depth.
    package var mergesMax = 1_000

    package init() {}

    /// Whether the limits make sense together.
    var areConsistent: Bool {
        openStoriesMax >= 16 && centroidTermsMax > 0 && membersMax > 0 && pendingMax > 0
            && aliasesMax >= 0 && countedTermsMax > 0 && countedDocumentsMax > 1
            && titleWordsMax > 0 && summaryWordsMax >= 0 && titleBytesMax > 0 && mergesMax > 0
    }
}
