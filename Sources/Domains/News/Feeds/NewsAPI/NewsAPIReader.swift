/// Reads the articles of NewsAPI's `/v2/top-headlines` and `/v2/everything`
/// (https://newsapi.org/docs/endpoints), in the form of a feed.
///
/// A value of another type than documented counts as left out. Articles that their publisher has
/// taken back (`[Removed]`) are left out. Texts are without the marks that NewsAPI adds: the
/// publisher at the end of a title, and the number of missing characters at the end of a content.
///
/// Pure and thread-safe.
package struct NewsAPIReader: Sendable {
    package var limits: FeedLimits

    package init(limits: FeedLimits = FeedLimits()) {
        self.limits = limits
    }

    /// NewsAPI's replacement for the title of an article that was taken back.
    private static let removed = "[Removed]"

    /// The articles in `bytes`, an answer of any HTTP status.
    package func read(_ bytes: [UInt8]) throws(NewsAPIFailure) -> FeedDocument {
        guard bytes.count <= limits.lengthMax else {
            throw .tooLong(length: bytes.count, limit: limits.lengthMax)
        }
        let text = DecodedText(bytes)
        let fields: JSONFields
        do throws(JSONError) {
            fields = JSONFields(try JSONReader.fields(of: text.bytes[...]))
        } catch {
            throw .notAnAnswer("no JSON object, error at \(error)")
        }
        switch fields.text("status") {
        case "ok": break
        case "error":
            throw .refused(
                code: NewsAPIReader.printable(fields.text("code") ?? "no code", lengthMax: 40),
                message: NewsAPIReader.printable(fields.text("message") ?? "", lengthMax: 200)
            )
        default: throw .notAnAnswer("JSON without status ok or error")
        }
        guard let articles = fields.array("articles") else {
            throw .notAnAnswer("status ok without articles")
        }
        var document = FeedDocument(format: .newsAPI)
        document.isDamaged = text.isDamaged
        document.items = articles.prefix(limits.itemCountMax)
            .compactMap { JSONFields($0) }
            .compactMap(item)
        return document
    }

    /// Nil for an article that was taken back.
    private func item(_ fields: JSONFields) -> FeedItem? {
        let publisher = limits.line(fields.object("source")?.text("name") ?? "")
        let title = NewsAPIReader.withoutPublisher(
            limits.line(fields.text("title") ?? ""),
            publisher
        )
        guard title != NewsAPIReader.removed, publisher != NewsAPIReader.removed else { return nil }
        var item = FeedItem()
        item.publisher = publisher.isEmpty ? nil : publisher
        item.title = text(title)
        item.url = limits.address(fields.text("url"), base: nil)
        item.summary = text(limits.body(fields.text("description") ?? ""))
        let content = limits.body(fields.text("content") ?? "")
        item.content = text(NewsAPIReader.withoutMark(content))
        let author = limits.line(fields.text("author") ?? "")
        item.author = author.isEmpty ? nil : author
        item.imageURL = limits.address(fields.text("urlToImage"), base: nil)
        item.published = fields.text("publishedAt").flatMap(FeedDate.parse)
        return item
    }

    /// Publishers have HTML in some of their texts, and NewsAPI does not mark them.
    private func text(_ text: String) -> FeedText { FeedText(text, isHTML: looksLikeHTML(text)) }

    /// `A title` of `A title - Publisher`. Only the publisher of the article is cut: the end of
    /// another title is a part of it.
    static func withoutPublisher(_ title: String, _ publisher: String) -> String {
        guard !publisher.isEmpty, let mark = title.ranges(of: " - ").last,
            title[mark.upperBound...].lowercased() == publisher.lowercased()
        else { return title }
        let rest = trimmed(title[..<mark.lowerBound])
        return rest.isEmpty ? title : rest
    }

    /// `A text…` of `A text… [+1234 chars]`.
    static func withoutMark(_ content: String) -> String {
        guard content.hasSuffix(" chars]"), let mark = content.ranges(of: "[+").last
        else { return content }
        let count = content[mark.upperBound...].dropLast(" chars]".count)
        guard !count.isEmpty, count.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return content
        }
        return trimmed(content[..<mark.lowerBound])
    }

    /// Errors are logged: a text without control characters.
    private static func printable(_ text: String, lengthMax: Int) -> String {
        let scalars = text.unicodeScalars.prefix(lengthMax)
            .map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
