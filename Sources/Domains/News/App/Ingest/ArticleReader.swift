import NewsFeeds

/// Makes articles from the items of a feed.
package struct ArticleReader: Sendable {
    let tickers: TickerExtractor

    package init(tickers: TickerExtractor = TickerExtractor()) {
        self.tickers = tickers
    }

    /// The articles of a document.
    package struct Reading: Equatable, Sendable {
        /// The first article of each page and, where items share one, of each marker, in the order of
        /// the document. They have no ids yet, and the URLs of their pages.
        package var articles: [Article] = []
        /// Items without a URL or a text, withdrawn ones, and those with the URL of an earlier one.
        package var skippedCount = 0
        package var withdrawn: [Withdrawn] = []
    }

    /// An item that its publisher has withdrawn.
    package struct Withdrawn: Equatable, Sendable {
        /// Canonical.
        package var page: String
        package var link: ArticleLink
    }

    /// A longer title is cut.
    package static let titleLengthMax = 500
    package static let summaryLengthMax = 5000
    package static let contentLengthMax = 50_000
    private static let authorLengthMax = 200
    private static let publisherLengthMax = 200
    /// For a title that is made from the text.
    private static let madeTitleLengthMax = 120
    /// The time by which a publisher's clock may be ahead.
    private static let clockSkewMax = Duration.seconds(600)
    /// NewsAPI's title for an article that its publisher has withdrawn.
    private static let removedTitle = "[Removed]"

    package func read(
        _ document: FeedDocument,
        from source: NewsSection.Source,
        now: Timestamp
    ) -> Reading {
        var reading = Reading()
        let origin = ArticleSource(
            name: source.name,
            title: source.title ?? (document.title.isEmpty ? source.name : document.title),
            owner: source.owner,
            weight: source.weight
        )
        for item in document.items {
            let place = place(of: item, in: document)
            if let place, item.title.line == ArticleReader.removedTitle {
                reading.withdrawn.append(place)
            }
            let publisher = item.publisher.map { cut($0, ArticleReader.publisherLengthMax) }
            let itemOrigin = publisher.map(origin.publishing(as:)) ?? origin
            guard let place, var article = article(item, at: place, from: itemOrigin, now: now)
            else {
                reading.skippedCount += 1
                continue
            }
            article.language = document.language.flatMap(languageCode) ?? source.language
            article.country = source.country ?? document.language.flatMap(regionCode)
            article.category =
                CategoryGuess(
                    title: article.title,
                    text: article.summary,
                    categories: item.categories,
                    default: source.category
                ).category
            reading.articles.append(article)
        }
        let shared = reading.articles.sharingPages
        reading.skippedCount += reading.articles.count - shared.count
        reading.articles = shared
        return reading
    }

    /// The page of an item and its link; nil for one that has none. A podcast without pages has the
    /// files of its episodes, and an item without any address the site of its feed.
    private func place(of item: FeedItem, in document: FeedDocument) -> Withdrawn? {
        let own = [item.url, item.identifier, item.enclosureURL].lazy.compactMap(\.self)
            .compactMap { try? CanonicalURL($0) }.first
        if let own {
            let link = ArticleLink(own.link, marker: item.identifier ?? own.fragment)
            return Withdrawn(page: own.text, link: link)
        }
        guard let marker = item.identifier, item.url == nil,
            let site = document.siteURL.flatMap({ try? CanonicalURL($0) })
        else { return nil }
        let link = ArticleLink(site.link, marker: marker, isShared: true)
        return Withdrawn(page: site.text, link: link)
    }

    private func article(
        _ item: FeedItem,
        at place: Withdrawn,
        from source: ArticleSource,
        now: Timestamp
    ) -> Article? {
        let content = cut(item.content.plain, ArticleReader.contentLengthMax)
        let summary = cut(
            item.summary.isEmpty ? content : item.summary.plain,
            ArticleReader.summaryLengthMax
        )
        let given = cut(item.title.line, ArticleReader.titleLengthMax)
        let title = given.isEmpty ? madeTitle(of: summary) : given
        guard !title.isEmpty, title != ArticleReader.removedTitle else { return nil }
        let stated = item.published ?? item.updated
        let isCredible = stated.map { $0 <= now + ArticleReader.clockSkewMax } ?? false
        // Before `now`: the board then has all articles of an instant when it orders them.
        let latest = now - .milliseconds(1)
        return Article(
            id: 0,
            url: place.page,
            link: place.link,
            source: source,
            title: title,
            summary: summary,
            content: content,
            author: item.author.map { cut($0, ArticleReader.authorLengthMax) },
            imageURL: item.imageURL.flatMap { try? CanonicalURL($0) }?.link,
            publishedAt: isCredible ? min(stated!, latest) : latest,
            isDateGuessed: !isCredible,
            firstSeenAt: now,
            tickers: tickers.tickers(title: title, text: summary)
        )
    }

    /// The first sentence, cut if it is too long for a title.
    private func madeTitle(of text: String) -> String {
        let line = text.split(separator: "\n").first.map(String.init) ?? ""
        let sentence = line.prefix { !".!?".contains($0) }
        let title = sentence.count < line.count ? line.prefix(sentence.count + 1) : line[...]
        return cut(String(title), ArticleReader.madeTitleLengthMax)
    }

    private func cut(_ text: String, _ lengthMax: Int) -> String {
        guard text.unicodeScalars.count > lengthMax else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(lengthMax)))
    }

    /// `us` for `en-US` and `tw` for `zh-Hant-TW`.
    private func regionCode(_ tag: String) -> String? {
        let parts = tag.lowercased().split { $0 == "-" || $0 == "_" }.dropFirst()
        return parts.first { $0.count == 2 && $0.allSatisfy { ("a"..."z").contains($0) } }
            .map(String.init)
    }

    /// `en` for `en-US`.
    private func languageCode(_ tag: String) -> String? {
        let code = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
        return code.count == 2 && code.allSatisfy { ("a"..."z").contains($0) } ? code : nil
    }
}

extension [Article] {
    /// The articles of one document without those that an earlier one is the same as: with the same
    /// page and without another marker. Those that share a page with others are marked so.
    var sharingPages: [Article] {
        var markers: [String: Set<String?>] = [:]
        var plain: Set<String> = []
        return filter { markers[$0.url, default: []].insert($0.link.marker).inserted }
            .tellingSharedPages.filter { article in
                article.link.isShared && article.link.marker != nil
                    || plain.insert(article.url).inserted
            }
    }

    /// Marks the articles that share a page with others.
    var tellingSharedPages: [Article] {
        // Among items with markers, one without is another form of any of them.
        var markers: [String: Set<String>] = [:]
        for article in self {
            if let marker = article.link.marker {
                markers[article.url, default: []].insert(marker)
            }
        }
        return map { article in
            var article = article
            if let count = markers[article.url]?.count, count > 1 { article.link.isShared = true }
            return article
        }
    }
}
