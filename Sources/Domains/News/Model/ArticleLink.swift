/// The link of an article as its source gave it, and what distinguishes articles with one link.
///
/// Articles are known by their canonical URL. Some feeds have one page for all of their items, such
/// as a changelog or a page of incidents: of items that share a page, each has the canonical URL
/// with its marker as the fragment.
package struct ArticleLink: Hashable, Sendable {
    /// For readers.
    package var text: String
    /// The guid, or the fragment of the link if the item has no guid.
    package var marker: String?
    /// Whether other items of the same document have the same page and other markers. Otherwise
    /// another marker is another revision: many feeds make a new guid for each.
    package var isShared: Bool

    package init(_ text: String, marker: String? = nil, isShared: Bool = false) {
        self.text = text
        self.marker = marker
        self.isShared = isShared
    }

    /// An article that is stored with the page, its marker, and the source it is from.
    package struct Stored: Equatable, Sendable {
        package var url: String
        package var marker: String?
        package var source: String

        package init(url: String, marker: String?, source: String) {
            self.url = url
            self.marker = marker
            self.source = source
        }
    }

    /// The URL by which an article is stored.
    ///
    /// - Parameters:
    ///   - page: the canonical URL.
    ///   - source: the name of the article's source. Only its own articles have its markers.
    ///   - stored: the articles with this page.
    package func url(ofPage page: String, source: String, among stored: [Stored]) -> String {
        guard let marker else { return page }
        let own = stored.filter { $0.source == source }
        if let known = own.first(where: { $0.marker == marker }) { return known.url }
        guard isShared || stored.contains(where: { $0.url != page }) else { return page }
        return page + "#" + ArticleLink.fragment(marker)
    }

    /// A marker may have any text and 4 KB.
    private static func fragment(_ marker: String) -> String {
        let lengthMax = 200
        let encoded = URLParts.encoded(marker[...])
        return encoded.utf8.count <= lengthMax
            ? encoded : String(NewsWord.hash(marker.utf8), radix: 16)
    }
}
