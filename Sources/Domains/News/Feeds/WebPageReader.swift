/// Reads the HTML page of an article.
///
/// Damaged HTML is read as far as possible: missing parts are nil or empty. Pure and thread-safe;
/// nothing that the page refers to is loaded.
package struct WebPageReader: Sendable {
    package var limits: WebPageLimits

    package init(limits: WebPageLimits = WebPageLimits()) {
        self.limits = limits
    }

    /// The page in `bytes`.
    ///
    /// - Parameter contentType: the header field of the response; nil without one. A byte order
    ///   mark has precedence over its charset, and both over `<meta charset>`, as in browsers:
    ///   https://html.spec.whatwg.org/#determining-the-character-encoding.
    /// - Throws: `notHTML` for another media type, and for a feed that is sent as HTML.
    package func read(
        _ bytes: [UInt8],
        contentType: String?
    ) throws(WebPageError) -> WebPage {
        if let contentType { try WebPageReader.check(contentType) }
        let source = bytes.count > limits.lengthMax ? Array(bytes.prefix(limits.lengthMax)) : bytes
        var html = DecodedText(
            source,
            charset: contentType.flatMap(FeedReader.charset),
            declared: WebPageCharset.declared(in: source)
        ).bytes
        try WebPageReader.checkRoot(html)
        // Of a tag that is cut off libxml2 makes a text.
        while html.last == UInt8(ascii: "<") || html.last == UInt8(ascii: "/") { html.removeLast() }
        limitHTMLAttributes(of: &html, countMax: WebPageLimits.attributeCountMax)
        let parser = WebPageParser(WebPageBuilder(limits: limits))
        parser.read(html)
        return parser.builder.page
    }

    /// Whether a header `Content-Type` is of a web page.
    package static func isHTML(contentType: String) -> Bool {
        let type = trimmed(contentType.prefix { $0 != ";" }).lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }

    private static func check(_ contentType: String) throws(WebPageError) {
        guard !isHTML(contentType: contentType) else { return }
        throw .mediaType(trimmed(contentType.prefix { $0 != ";" }))
    }

    /// Servers also send feeds as `text/html`.
    private static func checkRoot(_ html: [UInt8]) throws(WebPageError) {
        let lookedAtMax = 1024
        var rest = html.prefix(lookedAtMax).drop(while: isSpace)
        if rest.first == UInt8(ascii: "{") { throw .notHTML(found: "JSON") }
        while rest.starts(with: "<?".utf8) || rest.starts(with: "<!--".utf8) {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return }
            rest = rest[(end + 1)...].drop(while: isSpace)
        }
        let name = rest.dropFirst().prefix { isLetter($0) || $0 == UInt8(ascii: ":") }
        let isFeed = ["rss", "feed", "rdf:rdf"]
            .contains(String(decoding: name, as: UTF8.self).lowercased())
        if rest.first == UInt8(ascii: "<"), isFeed { throw .notHTML(found: "a feed") }
    }
}
