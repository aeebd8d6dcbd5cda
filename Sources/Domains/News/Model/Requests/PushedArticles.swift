/// The body of `POST /api/news/articles`: `{"articles":[…]}`, all of which are taken, or none.
package struct PushedArticles: Equatable, Sendable {
    package var articles: [PushedArticle]

    /// - Parameter now: no article may be dated more than a day ahead of it.
    package init(json body: [UInt8], now: Timestamp) throws(NewsError) {
        let name = "articles"
        let limit = NewsRequestLimits.pushedArticlesMax
        let expected = "an array of 1 to \(limit) articles"
        do throws(RequestError) {
            _ = try RequestFields(body)
            guard let elements = try arrayField(name, of: body, expected: expected) else {
                throw .missing(field: name, expected: expected)
            }
            guard (1...limit).contains(elements.count) else {
                throw .unexpected(
                    field: name,
                    expected: expected,
                    found: "an array of \(elements.count)"
                )
            }
            articles = []
            articles.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                do throws(RequestError) {
                    articles.append(try PushedArticle(json: Array(element), now: now))
                } catch {
                    throw error.inside("\(name)[\(index)]")
                }
            }
        } catch {
            // A text that is no ticker has the documented sentence, as in preferences.
            let isTicker = error.field?.contains(".tickers[") == true
            throw isTicker ? .invalidTicker(details: error.description) : NewsError(error)
        }
    }
}

/// An article that a publisher has sent.
package struct PushedArticle: Equatable, Sendable {
    /// Absolute, `http` or `https`. Not canonical yet.
    package var url: String
    /// Plain text, as are the others.
    package var title: String
    package var description: String?
    package var content: String?
    package var author: String?
    package var imageURL: String?
    /// The publisher as readers know it. Nil for the one of the configured source.
    package var source: String?
    /// Two letters in lower case, as `country`.
    package var language: String?
    package var country: String?
    package var category: NewsCategory?
    package var publishedAt: Timestamp?
    package var tickers: [Ticker]

    init(json element: [UInt8], now: Timestamp) throws(RequestError) {
        let fields = try RequestFields(element)
        url = try webURL(try fields.requiredText("url", .newsURL), "url")
        title = try fields.requiredText("title", .articleTitle)
        description = try fields.textOrNothing("description", .articleDescription)
        content = try fields.textOrNothing("content", .articleContent)
        author = try fields.textOrNothing("author", .articleAuthor)
        source = try fields.textOrNothing("source", .articleSource)
        imageURL = try fields.textOrNothing("image_url", .newsURL)
        if let imageURL { self.imageURL = try webURL(imageURL, "image_url") }
        language = try code(try fields.textOrNothing("language", .newsSearch), "language")
        country = try code(try fields.textOrNothing("country", .newsSearch), "country")
        category = try queryWord(try fields.textOrNothing("category", .newsSearch), "category")
        publishedAt = try date(try fields.textOrNothing("published_at", .newsSearch), now: now)
        tickers = try PushedArticle.tickers(element)
    }

    private static func tickers(_ element: [UInt8]) throws(RequestError) -> [Ticker] {
        let name = "tickers"
        let limit = NewsRequestLimits.pushedTickersMax
        let expected = "an array of at most \(limit) tickers"
        guard let texts = try arrayField(name, of: element, expected: expected) else { return [] }
        guard texts.count <= limit else {
            throw .unexpected(field: name, expected: expected, found: "an array of \(texts.count)")
        }
        var tickers: [Ticker] = []
        for (index, text) in texts.enumerated() {
            guard let ticker = JSONReader.string(text).flatMap({ Ticker($0) }) else {
                throw .unexpected(
                    field: "\(name)[\(index)]",
                    expected: "a ticker",
                    found: RequestError.excerpt(text)
                )
            }
            if !tickers.contains(ticker) { tickers.append(ticker) }
        }
        return tickers
    }
}

/// The canonical form of the URL of an article in a request.
package func requestedArticleURL(_ text: String?) throws(NewsError) -> CanonicalURL {
    let name = "url"
    let expected = "an absolute http or https URL"
    guard let text, !text.isEmpty else {
        throw NewsError(.missing(field: name, expected: expected))
    }
    guard isWebURL(text), let url = try? CanonicalURL(text) else {
        throw NewsError(unexpectedQuery(text, name, expected))
    }
    return url
}

private func webURL(_ text: String, _ name: String) throws(RequestError) -> String {
    guard isWebURL(text) else {
        throw unexpectedQuery(text, name, "an absolute http or https URL")
    }
    return text
}

private func code(_ text: String?, _ name: String) throws(RequestError) -> String? {
    guard let text else { return nil }
    guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
        throw unexpectedQuery(text, name, "a code of two letters")
    }
    return text.lowercased()
}

private func date(_ text: String?, now: Timestamp) throws(RequestError) -> Timestamp? {
    guard let text else { return nil }
    let name = "published_at"
    guard let instant = Timestamp(iso8601: text) else {
        throw unexpectedQuery(text, name, "a time such as 2026-01-02T10:00:00Z")
    }
    guard instant <= now + NewsRequestLimits.futureMax else {
        throw unexpectedQuery(text, name, "a time at most a day ahead")
    }
    return instant
}
