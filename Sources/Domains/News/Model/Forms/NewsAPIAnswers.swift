/// The answer of `GET /v2/top-headlines` and `GET /v2/everything`.
package struct NewsAPIPage: Equatable, Sendable {
    /// Of the whole query, the same on all its pages.
    package var totalResults: Int
    package var articles: [NewsAPIArticleView]

    package init(totalResults: Int, articles: [NewsAPIArticleView]) {
        self.totalResults = totalResults
        self.articles = articles
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("status", "ok")
            json.field("totalResults", totalResults)
            json.array("articles") { json in
                for article in articles { json.object { article.write(to: &$0) } }
            }
        }
    }
}

/// A source in NewsAPI's form. Unknown values are empty.
package struct NewsAPISourceView: Equatable, Sendable {
    package var id: String
    package var name: String
    package var description: String
    package var url: String
    package var category: NewsCategory
    package var language: String
    package var country: String

    package init(
        id: String,
        name: String,
        description: String = "",
        url: String = "",
        category: NewsCategory = .general,
        language: String = "",
        country: String = ""
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.url = url
        self.category = category
        self.language = language
        self.country = country
    }
}

/// The answer of `GET /v2/top-headlines/sources`.
package func newsAPISourcesJSON(_ sources: [NewsAPISourceView]) -> [UInt8] {
    newsJSON { json in
        json.field("status", "ok")
        json.array("sources") { json in
            for source in sources {
                json.object { json in
                    json.field("id", source.id)
                    json.field("name", source.name)
                    json.field("description", source.description)
                    json.field("url", source.url)
                    json.field("category", source.category.rawValue)
                    json.field("language", source.language)
                    json.field("country", source.country)
                }
            }
        }
    }
}
