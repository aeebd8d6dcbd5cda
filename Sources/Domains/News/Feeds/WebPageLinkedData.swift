/// The metadata of a page's article from its JSON-LD: https://schema.org/Article.
///
/// The first object with a headline counts: only creative works have one, and the article of a page
/// comes before those that it refers to.
struct WebPageLinkedData {
    private(set) var headline: String?
    private(set) var published: String?

    /// Of objects and arrays within each other that are searched: a list of documents with
    /// `@graph`, whose main entity is the article.
    private static let depthMax = 4
    private static let elementCountMax = 100

    /// Reads the text of `<script type="application/ld+json">`; one that is no JSON is ignored.
    mutating func take(_ script: [UInt8]) {
        guard headline == nil else { return }
        // Line breaks within texts are frequent, and no JSON.
        let text = script.map { $0 < 0x20 ? 0x20 : $0 }
        guard let value = try? JSONReader.value(of: WebPageLinkedData.content(text)) else {
            return
        }
        search(value, depth: 0)
    }

    /// Without the marks that hide the script from a reader of another language: `<!--`,
    /// `//<![CDATA[`.
    private static func content(_ text: [UInt8]) -> ArraySlice<UInt8> {
        var rest = text[...].drop(while: isSpace)
        let isHidden = ["//", "/*", "<!"].contains { rest.starts(with: $0.utf8) }
        if isHidden { rest = rest.drop { $0 != UInt8(ascii: "{") } }
        let closing = rest.first == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
        guard let end = rest.lastIndex(of: closing) else { return [] }
        return rest[...end]
    }

    private mutating func search(_ value: ArraySlice<UInt8>, depth: Int) {
        guard headline == nil, depth < WebPageLinkedData.depthMax else { return }
        switch value.first {
        case UInt8(ascii: "["):
            let elements = (try? JSONReader.elements(of: value)) ?? []
            for element in elements.prefix(WebPageLinkedData.elementCountMax) {
                search(element, depth: depth + 1)
            }
        case UInt8(ascii: "{"):
            guard let fields = JSONFields(value) else { return }
            if let text = fields.text("headline"), !trimmed(text).isEmpty {
                headline = text
                published = fields.text("datePublished") ?? fields.text("dateCreated")
                return
            }
            for name in ["@graph", "mainEntity"] {
                if let inner = fields.value(name) { search(inner, depth: depth + 1) }
            }
        default: break
        }
    }
}
