import News
import NewsFeeds
import Timekeeping

/// Makes articles from the items of a feed.
package struct ArticleReader: Sendable {
    let tickers: TickerExtractor

    package init(tickers: TickerExtractor = TickerExtractor()) {
        self.tickers = tickers
    }

    /// The articles of a document.
    package struct Reading: Equatable, Sendable {
        /// The first article of each URL, in the order of the document. They have no ids yet.
        package var articles: [Article] = []
        /// Items without a URL or a text, withdrawn ones, and those with the URL of an earlier one.
        package var skippedCount = 0
        /// The canonical URLs of articles that the publisher has withdrawn.
        package var withdrawnURLs: [String] = []
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
        var seen: Set<String> = []
        let origin = ArticleSource(
            name: source.name,
            title: source.title ?? (document.title.isEmpty ? source.name : document.title),
            owner: source.owner,
            weight: source.weight
        )
        for item in document.items {
            if let url = withdrawnURL(of: item) { reading.withdrawnURLs.append(url) }
            let publisher = item.publisher.map { cut($0, ArticleReader.publisherLengthMax) }
            let itemOrigin = publisher.map(origin.publishing(as:)) ?? origin
            guard var article = article(item, from: itemOrigin, now: now),
                seen.insert(article.url).inserted
            else {
                reading.skippedCount += 1
                continue
            }
            article.language = document.language.flatMap(languageCode) ?? source.language
            article.country = source.country
            article.category =
                CategoryGuess(
                    title: article.title,
                    text: article.summary,
                    categories: item.categories,
                    default: source.category
                ).category
            reading.articles.append(article)
        }
        return reading
    }

    private func withdrawnURL(of item: FeedItem) -> String? {
        guard item.title.line == ArticleReader.removedTitle else { return nil }
        return (item.url ?? item.identifier).flatMap { try? CanonicalURL($0) }?.text
    }

    private func article(
        _ item: FeedItem,
        from source: ArticleSource,
        now: Timestamp
    ) -> Article? {
        guard let url = (item.url ?? item.identifier).flatMap({ try? CanonicalURL($0) }) else {
            return nil
        }
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
            url: url.text,
            source: source,
            title: title,
            summary: summary,
            content: content,
            author: item.author.map { cut($0, ArticleReader.authorLengthMax) },
            imageURL: item.imageURL,
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

    /// `en` for `en-US`.
    private func languageCode(_ tag: String) -> String? {
        let code = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
        return code.count == 2 && code.allSatisfy { ("a"..."z").contains($0) } ? code : nil
    }
}
