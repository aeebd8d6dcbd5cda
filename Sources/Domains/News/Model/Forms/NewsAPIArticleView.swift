/// An article in NewsAPI's form, with the hub's summary and story in addition.
package struct NewsAPIArticleView: Equatable, Sendable {
    /// With which `sources` finds the articles of this publisher; nil for a publisher without one.
    package var sourceID: String?
    /// The publisher.
    package var sourceName: String
    package var author: String?
    package var title: String
    package var description: String?
    package var url: String
    package var imageURL: String?
    package var publishedAt: Timestamp
    package var content: String?
    package var summary: NewsSummaryView?
    package var storyID: Int?

    package init(
        sourceID: String?,
        sourceName: String,
        author: String? = nil,
        title: String,
        description: String? = nil,
        url: String,
        imageURL: String? = nil,
        publishedAt: Timestamp,
        content: String? = nil,
        summary: NewsSummaryView? = nil,
        storyID: Int? = nil
    ) {
        self.sourceID = sourceID
        self.sourceName = sourceName
        self.author = author
        self.title = title
        self.description = description
        self.url = url
        self.imageURL = imageURL
        self.publishedAt = publishedAt
        self.content = content
        self.summary = summary
        self.storyID = storyID
    }

    /// An article of the store. Texts that it does not have become null.
    package init(
        _ article: Article,
        sourceID: String?,
        summary: NewsSummaryView? = nil,
        storyID: Int? = nil
    ) {
        self.init(
            sourceID: sourceID,
            sourceName: article.source.title,
            author: article.author,
            title: article.title,
            description: article.summary.isEmpty ? nil : article.summary,
            url: article.link.text,
            imageURL: article.imageURL,
            publishedAt: article.publishedAt,
            content: article.content.isEmpty ? nil : article.content,
            summary: summary,
            storyID: storyID
        )
    }

    func write(to json: inout JSONWriter) {
        json.object("source") { json in
            json.field("id", sourceID)
            json.field("name", sourceName)
        }
        json.field("author", author)
        json.field("title", title)
        json.field("description", description)
        json.field("url", url)
        json.field("urlToImage", imageURL)
        json.instant("publishedAt", publishedAt)
        json.field("content", content)
        json.field("summary", summary?.text)
        json.field("summarySource", summary?.source.rawValue)
        json.integer("storyId", orNull: storyID)
    }
}

/// A summary of an article, and where it is from.
package struct NewsSummaryView: Equatable, Sendable {
    package enum Source: String, CaseIterable, Sendable {
        case ai
        /// The text of the publisher.
        case original
    }

    package var text: String
    package var source: Source
    /// Nil for `original`.
    package var model: String?
    /// Nil for `original`.
    package var generatedAt: Timestamp?

    package init(text: String, source: Source, model: String? = nil, generatedAt: Timestamp? = nil)
    {
        self.text = text
        self.source = source
        self.model = model
        self.generatedAt = generatedAt
    }

    /// The answer of `GET /v2/articles/summary`.
    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("status", "ok")
            json.field("summary", text)
            json.field("summarySource", source.rawValue)
            json.field("model", source == .ai ? model : nil)
            json.instant("generatedAt", orNull: source == .ai ? generatedAt : nil)
        }
    }
}
