// NewsApp: the news in the hub: their tables, sources, stories, routes.

import DomainKit
import News

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
        let hash = article.contentHash
        var article = article
        article.url = try url(
            ofPage: article.url,
            article.link,
            source: article.source.name,
            contentHash: hash
        )
        guard let known = try session.row(NewsSQL.selectIdentity, [article.url]) else {
            let id = try session.integer(NewsSQL.insertArticle, article.insertArguments)
            guard let id else { return .unchanged }
            article.id = id
            article.revision = 1
            return .new(article)
        }
        let (owner, knownHash): (String, [UInt8]) = try (known[0], known[1])
        guard owner == article.source.name else { return .unchanged }
        // A new guid of the same article distinguishes it from others from now on.
        try session.run(
            NewsSQL.setMarker,
            [article.url, article.link.marker, article.link.text]
        )
        guard knownHash != hash, let former = try self.article(url: article.url) else {
            return .unchanged
        }
        let keepsSummary =
            try former.differsInDigits(article) && isSummarised(former, alsoAs: article)
        let arguments =
            article.revisionArguments + [keepsSummary ? 0 : 1] + article.spacedTexts
        return try session.row(NewsSQL.reviseArticle, arguments)
            .map { .revised(try Article($0)) } ?? .unchanged
    }

    /// Whether the summary of an article also fits the same article with other digits. Without a
    /// summary, one may be under way that has the former digits.
    private func isSummarised(_ former: Article, alsoAs article: Article) throws -> Bool {
        guard let stored = try text(SummaryTask.key(of: former)) else { return false }
        guard let summary = stored.json.flatMap({ SummaryTask.text(stored: $0) }) else {
            return true
        }
        return !SummaryTask.isOutdated(summary, from: former, to: article)
    }

    /// The URL by which an item with this link is stored.
    ///
    /// - Parameter contentHash: of an item with an unknown marker on a page that several share.
    ///   Some feeds make a new guid at each poll: an article of the source with the same texts is
    ///   that item.
    func url(
        ofPage page: String,
        _ link: ArticleLink,
        source: String,
        contentHash: [UInt8]? = nil
    ) throws -> String {
        guard let marker = link.marker else { return page }
        if let known = try url(NewsSQL.selectURLOfMarker, [page, source, marker]) { return known }
        guard try link.isShared || session.integer(NewsSQL.selectSharing, [page]) != nil else {
            return page
        }
        if let contentHash,
            let same = try url(NewsSQL.selectURLOfTexts, [page, source, contentHash])
        {
            return same
        }
        return page + "#" + ArticleLink.fragment(marker)
    }

    private func url(_ sql: String, _ arguments: SQLArguments) throws -> String? {
        try session.row(sql, arguments).map { try $0[0] }
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
        // A row of a hub that did not keep links has none.
        link = ArticleLink(try row[19] ?? url, marker: try row[20])
    }

    fileprivate var insertArguments: SQLArguments {
        [
            url, source.name, source.title, source.owner, source.weight, title, summary, content,
            author, imageURL, language, country, category.column, publishedAt.milliseconds,
            isDateGuessed ? 1 : 0, firstSeenAt.milliseconds, NewsApp.column(of: tickers),
            contentHash, link.text, link.marker, page,
        ] + spacedTexts
    }

    /// As `ArticleIndex` has the title and the summary, where that differs.
    fileprivate var spacedTexts: SQLArguments {
        [UnspacedScripts.spaced(title), UnspacedScripts.spaced(summary)]
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

    /// Whether an article with other texts has other digits only.
    fileprivate func differsInDigits(_ other: Article) -> Bool {
        [\Article.title, \.summary, \.content].allSatisfy { text in
            self[keyPath: text].withoutDigits.elementsEqual(other[keyPath: text].withoutDigits)
        }
    }

    /// The hash of the title and the texts, with a byte between them that UTF-8 never contains.
    fileprivate var contentHash: [UInt8] {
        let texts = [title, summary, content].map { Array($0.utf8) }
        return sha256(Array(texts.joined(separator: [0xFF])))
    }
}

extension String {
    fileprivate var withoutDigits: some Sequence<Unicode.Scalar> {
        unicodeScalars.lazy.filter { $0.properties.generalCategory != .decimalNumber }
    }
}
