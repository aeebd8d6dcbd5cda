/// The metadata that a page states about itself outside of its text. The first statement of each
/// kind counts.
struct WebPageStatements {
    private let limits: WebPageLimits
    private var openGraphTitle: String?
    private var headTitle: String?
    private var siteName: String?
    private var openGraphDescription: String?
    private var description: String?
    private var canonicalURL: String?
    private var openGraphURL: String?
    private var language: String?
    private var otherLanguage: String?
    private var publishedTimes: [TimeSource: Timestamp] = [:]
    private var linkedData = WebPageLinkedData()
    private var linkedDataCount = 0

    /// In the order of their precedence.
    private enum TimeSource: Hashable, CaseIterable {
        case article, microdata, meta, element
    }

    init(limits: WebPageLimits) { self.limits = limits }

    var hasTitle: Bool { headTitle != nil }

    /// The statements as a page without text.
    var page: WebPage {
        var page = WebPage()
        page.title = openGraphTitle ?? linkedData.headline.flatMap(line) ?? headTitle ?? ""
        page.siteName = siteName
        page.summary = openGraphDescription ?? description ?? ""
        page.canonicalURL = canonicalURL ?? openGraphURL
        let stated = TimeSource.allCases.lazy.compactMap { publishedTimes[$0] }.first
        page.published = linkedData.published.flatMap(FeedDate.parse) ?? stated
        page.language = language ?? otherLanguage
        return page
    }

    mutating func take(title: String) { keep(title, in: \.headTitle) }

    mutating func take(language text: String?) {
        language = language ?? text.flatMap(languageTag)
    }

    mutating func take(linkedData text: [UInt8]) {
        guard linkedDataCount < WebPageLimits.linkedDataCountMax,
            text.count <= WebPageLimits.linkedDataLengthMax
        else { return }
        linkedDataCount += 1
        linkedData.take(text)
    }

    mutating func takeLink(_ attributes: WebPageAttributes) {
        let relations = (attributes["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
        guard canonicalURL == nil, relations.contains("canonical") else { return }
        canonicalURL = attributes["href"].flatMap(address)
    }

    mutating func takeTime(_ attributes: WebPageAttributes) {
        guard let text = attributes["datetime"] else { return }
        let isPublished = attributes["itemprop"]?.lowercased() == "datepublished"
        keep(time: text, isPublished ? .microdata : .element)
    }

    /// The name of a statement is in `property`, as Open Graph has it, in `name` or in `itemprop`;
    /// pages confuse the first two.
    mutating func takeMeta(_ attributes: WebPageAttributes) {
        guard let content = attributes["content"] else { return }
        let name =
            attributes["property"] ?? attributes["name"] ?? attributes["itemprop"]
            ?? attributes["http-equiv"]
        switch trimmed(name ?? "").lowercased() {
        case "og:title": keep(content, in: \.openGraphTitle)
        case "og:site_name": keep(content, in: \.siteName)
        case "og:description": keep(content, in: \.openGraphDescription)
        case "description": keep(content, in: \.description)
        case "og:url": openGraphURL = openGraphURL ?? address(content)
        case "og:locale", "content-language", "language":
            otherLanguage = otherLanguage ?? languageTag(content)
        case "article:published_time": keep(time: content, .article)
        case "datepublished": keep(time: content, .microdata)
        case "date", "pubdate", "publishdate", "dc.date", "dc.date.issued", "dcterms.created",
            "parsely-pub-date", "sailthru.date":
            keep(time: content, .meta)
        default: break
        }
    }

    private mutating func keep(
        _ text: String,
        in path: WritableKeyPath<WebPageStatements, String?>
    ) {
        if self[keyPath: path] == nil { self[keyPath: path] = line(text) }
    }

    private mutating func keep(time text: String, _ source: TimeSource) {
        guard publishedTimes[source] == nil else { return }
        publishedTimes[source] = FeedDate.parse(text)
    }

    /// In one line, within the limit; nil if nothing is left. Some publishers escape characters
    /// twice.
    private func line(_ text: String) -> String? {
        let text = FeedText(text, isHTML: looksLikeHTML(text)).line
        let cut = String(
            decoding: wholeScalars(text.utf8.prefix(limits.lineLengthMax)),
            as: UTF8.self
        )
        let line = trimmed(cut)
        return line.isEmpty ? nil : line
    }

    /// An absolute URL of the web with a host and without credentials.
    private func address(_ text: String) -> String? {
        guard let url = WebURL.resolve(text, base: nil), url.utf8.count <= limits.urlLengthMax,
            !url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
        else { return nil }
        let authority = url[url.firstRange(of: "://")!.upperBound...]
            .prefix { !"/?#\\".contains($0) }
        guard let first = authority.first, first != ":", !authority.contains("@") else {
            return nil
        }
        return url
    }
}
