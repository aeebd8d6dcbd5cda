// NewsApp: the news in the hub: their tables, sources, stories, routes.

import Digests
import News
import Store
import Timekeeping

/// The result of storing an article.
package enum StoredArticle: Equatable, Sendable {
    case new(Article)
    /// The source has changed the title or a text.
    case revised(Article)
    /// The same article is already stored.
    case unchanged
}

extension NewsTables {
    /// Stores an article, or revises the stored one with its URL, if that is of the same source. The
    /// source and the time of publication do not change.
    ///
    /// - Parameter article: without id and revision, which the store sets, and with the URL of its
    ///   page.
    package func put(_ article: Article) throws -> StoredArticle {
        let page = article.url
        var article = article
        article.url = try url(ofPage: page, article.link, source: article.source.name)
        // A new guid of the same article distinguishes it from others from now on.
        try session.run(
            NewsSQL.setMarker,
            [article.url, article.source.name, article.link.marker]
        )
        if let id = try session.integer(NewsSQL.insertArticle, article.insertArguments) {
            var stored = article
            stored.id = id
            stored.revision = 1
            return .new(stored)
        }
        let former = try self.article(url: article.url)
        // A counter in a text, such as that of comments, asks a model for no new summary.
        let isCounted = former.map { $0.wordsWithoutDigits == article.wordsWithoutDigits } ?? false
        let arguments = article.revisionArguments + [isCounted ? 0 : 1]
        guard let row = try session.row(NewsSQL.reviseArticle, arguments) else {
            return .unchanged
        }
        return .revised(try Article(row))
    }

    /// The URL by which an item with this link is stored.
    func url(ofPage page: String, _ link: ArticleLink, source: String) throws -> String {
        guard link.marker != nil else { return page }
        let stored = try articles(ofPage: page).map {
            ArticleLink.Stored(url: $0.url, marker: $0.link.marker, source: $0.source.name)
        }
        return link.url(ofPage: page, source: source, among: stored)
    }

    /// The article with this canonical URL, and those that share its page.
    private func articles(ofPage page: String) throws -> [Article] {
        try session.rows(NewsSQL.selectArticlesOfPage, [page]) { try Article($0) }
    }

    /// The articles that a client names by the id of their signal, by their link, or by another
    /// form of it. Of a page with several, an address without a fragment names all.
    package func articles(named url: CanonicalURL) throws -> [Article] {
        let all = try articles(ofPage: url.text)
        guard let fragment = url.fragment else { return all }
        let named = all.filter {
            $0.url == url.text + "#" + fragment || $0.link.text == url.link
        }
        return named.isEmpty ? all.filter { $0.url == url.text } : named
    }

    package func article(_ id: Int) throws -> Article? {
        try session.row(NewsSQL.selectArticle, [id]).map { try Article($0) }
    }

    package func article(url: String) throws -> Article? {
        try session.row(NewsSQL.selectArticleOfURL, [url]).map { try Article($0) }
    }

    /// The articles in the order of the ids; deleted ones are left out.
    package func articles(_ ids: some Sequence<Int>) throws -> [Article] {
        try ids.compactMap { try article($0) }
    }

    /// - Returns: whether there was one.
    package func deleteArticle(_ id: Int) throws -> Bool {
        try session.changes(NewsSQL.deleteArticle, [id]) == 1
    }

    package func articleCount() throws -> Int {
        try session.integer(NewsSQL.countArticles) ?? 0
    }

    /// The ids of the articles that a filter selects.
    package func articleIDs(
        _ filter: ArticleFilter,
        _ order: ArticleFilter.Order = .newest,
        limit: Int
    ) throws -> [Int] {
        let query = filter.query(order, limit: limit, session.dialect)
        return try session.integers(query.sql, query.arguments)
    }
}

extension Article {
    fileprivate init(_ row: SQLRow) throws {
        try self.init(
            id: row[0],
            url: row[1],
            source: ArticleSource(name: row[2], title: row[3], owner: row[4], weight: row[5]),
            title: row[6],
            summary: row[7],
            content: row[8],
            author: row[9],
            imageURL: row[10],
            language: row[11],
            country: row[12],
            category: row.value(13) { NewsCategory(column: $0) },
            publishedAt: row.instant(14),
            isDateGuessed: row.flag(15),
            firstSeenAt: row.instant(16),
            tickers: NewsApp.tickers(inColumn: row[17]),
            revision: row[18]
        )
        if let text: String = try row[19] { link = ArticleLink(text, marker: try row[20]) }
    }

    fileprivate var insertArguments: SQLArguments {
        [
            url, source.name, source.title, source.owner, source.weight, title, summary, content,
            author, imageURL, language, country, category.column, publishedAt.milliseconds,
            isDateGuessed ? 1 : 0, firstSeenAt.milliseconds, NewsApp.column(of: tickers),
            contentHash, link.text, link.marker, page,
        ]
    }

    /// The page that the article shares with others; nil for one with a page of its own.
    private var page: String? {
        url.firstIndex(of: "#").map { String(url[..<$0]) }
    }

    fileprivate var revisionArguments: SQLArguments {
        [
            url, title, summary, content, author, imageURL, NewsApp.column(of: tickers),
            contentHash, source.name,
        ]
    }

    fileprivate var wordsWithoutDigits: [String] {
        [title, summary, content].map { $0.filter { !$0.isNumber } }
    }

    /// The hash of the title and the texts, with a byte between them that UTF-8 never contains.
    private var contentHash: [UInt8] {
        let texts = [title, summary, content].map { Array($0.utf8) }
        return sha256(Array(texts.joined(separator: [0xFF])))
    }
}
