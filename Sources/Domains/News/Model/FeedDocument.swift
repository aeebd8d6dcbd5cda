/// The content of a feed when it was read, in the same form for RSS, Atom, JSON Feed and NewsAPI.
package struct FeedDocument: Equatable, Sendable {
    package enum Format: String, Sendable {
        case rss, rdf, atom, jsonFeed, newsAPI
    }

    package var format: Format
    /// As plain text; empty without one.
    package var title = ""
    /// Of the site, absolute.
    package var siteURL: String?
    /// A language tag such as `en-us`, in lower case.
    package var language: String?
    /// In the order of the document.
    package var items: [FeedItem] = []
    /// The polling interval requested by the publisher: `ttl`, or `sy:updatePeriod` and
    /// `sy:updateFrequency`.
    package var pollInterval: Duration?
    /// Hours of the day, in UTC, in which the feed does not change: `skipHours`.
    package var skippedHours: Set<Int> = []
    /// Whether the document ended before its end or broke XML's rules, and was read as far as possible.
    package var isDamaged = false

    package init(format: Format) {
        self.format = format
    }
}

/// One item of a feed. Texts are as in the feed; `FeedText` makes plain text of them.
package struct FeedItem: Equatable, Sendable {
    /// `guid` or `id`.
    package var identifier: String?
    package var title = FeedText()
    /// Of the article, absolute.
    package var url: String?
    package var summary = FeedText()
    package var content = FeedText()
    package var author: String?
    package var categories: [String] = []
    /// Absolute.
    package var imageURL: String?
    /// Of a file that comes with the item, such as the episode of a podcast; absolute.
    package var enclosureURL: String?
    package var published: Timestamp?
    package var updated: Timestamp?
    /// The publisher, in a feed with articles of many publishers.
    package var publisher: String?

    package init() {}
}

/// A text that a feed has as plain text or as HTML.
package struct FeedText: Hashable, Sendable {
    package var text: String
    /// Whether `text` is HTML: with tags, entities and all.
    package var isHTML: Bool

    package init(_ text: String = "", isHTML: Bool = false) {
        self.text = text
        self.isHTML = isHTML
    }

    package var isEmpty: Bool { text.isEmpty }
}
