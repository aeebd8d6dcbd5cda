/// An article as the store has it.
package struct Article: Equatable, Sendable {
    /// Ascending in the order of arrival.
    package var id: Int
    /// Canonical: `CanonicalURL`. Of articles that share a page, with a fragment.
    package var url: String
    package var link: ArticleLink
    package var source: ArticleSource
    /// Plain text.
    package var title: String
    /// Plain text; empty without one.
    package var summary: String
    /// Plain text, as much as the source gave; empty without any.
    package var content: String
    package var author: String?
    package var imageURL: String?
    /// `en`; nil if the source has not stated it and it could not be detected.
    package var language: String?
    /// `us`, of the source.
    package var country: String?
    package var category: NewsCategory
    package var publishedAt: Timestamp
    /// Whether the source gave no date; `publishedAt` is then when the article was first seen.
    package var isDateGuessed: Bool
    package var firstSeenAt: Timestamp
    /// The companies that it names, the most certain first.
    package var tickers: [Ticker]
    /// 1, and one more for each change of the title or the text that needs another summary.
    package var revision: Int

    package init(
        id: Int,
        url: String,
        link: ArticleLink? = nil,
        source: ArticleSource,
        title: String,
        summary: String = "",
        content: String = "",
        author: String? = nil,
        imageURL: String? = nil,
        language: String? = nil,
        country: String? = nil,
        category: NewsCategory = .general,
        publishedAt: Timestamp,
        isDateGuessed: Bool = false,
        firstSeenAt: Timestamp,
        tickers: [Ticker] = [],
        revision: Int = 1
    ) {
        self.id = id
        self.url = url
        self.link = link ?? ArticleLink(url)
        self.source = source
        self.title = title
        self.summary = summary
        self.content = content
        self.author = author
        self.imageURL = imageURL
        self.language = language
        self.country = country
        self.category = category
        self.publishedAt = publishedAt
        self.isDateGuessed = isDateGuessed
        self.firstSeenAt = firstSeenAt
        self.tickers = tickers
        self.revision = revision
    }
}

/// Where an article is from.
package struct ArticleSource: Hashable, Sendable {
    /// As the configuration names the source: `fed`.
    package var name: String
    /// As readers know it: `Federal Reserve`.
    package var title: String
    /// The publisher group. Two sources of one owner count once where independent reports are counted.
    package var owner: String
    /// The weight of a report of the source; 1 for most.
    package var weight: Double

    package init(name: String, title: String, owner: String? = nil, weight: Double = 1) {
        self.name = name
        self.title = title
        self.owner = owner ?? name
        self.weight = weight
    }
}
