/// The parts of an article that stories and duplicates need.
package struct StoryInput: Equatable, Sendable {
    package var articleID: Int
    /// Plain text.
    package var title: String
    /// Plain text; empty without one.
    package var summary: String
    /// The publisher group.
    package var owner: String
    package var publishedAt: Timestamp

    package init(
        articleID: Int,
        title: String,
        summary: String = "",
        owner: String,
        publishedAt: Timestamp
    ) {
        self.articleID = articleID
        self.title = title
        self.summary = summary
        self.owner = owner
        self.publishedAt = publishedAt
    }
}

/// A story as the board has it.
package struct Story: Equatable, Sendable {
    /// Ascending in the order of creation. No two stories ever have the same.
    package var id: Int
    /// The title of the medoid.
    package var title: String
    /// The article that is most like the others of the story, of which later ones weigh more.
    package var medoidArticleID: Int
    /// All articles that the story has received.
    package var articleCount: Int
    /// The latest of them, in the order in which they joined the story; at most
    /// `StoryLimits.membersMax`.
    package var latestArticleIDs: [Int]
    /// When its first article was published.
    package var startedAt: Timestamp
    /// When its latest article was published.
    package var updatedAt: Timestamp
}

/// A change of the stories, in the order in which it has to be applied.
package enum StoryEvent: Equatable, Sendable {
    /// A story without articles; `articleAdded` or `split` gives it some.
    case created(story: Int)
    case articleAdded(article: Int, story: Int)
    /// All articles of `story` belong to `into`, and `story` is an alias of it from now on.
    case merged(story: Int, into: Int)
    /// `articles` have moved from `story` to `into`, which has been created.
    case split(story: Int, into: Int, articles: [Int])
    /// The story has left the board: no article will join it, and no event will name it.
    case closed(story: Int)
}
