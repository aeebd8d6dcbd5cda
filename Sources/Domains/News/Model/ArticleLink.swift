/// The link of an article as its source gave it, and what distinguishes articles with one link.
///
/// Articles are known by their canonical URL. Some feeds have one page for all of their items, such
/// as a changelog or a page of incidents: of items that share a page, each has the canonical URL
/// with its marker as the fragment.
package struct ArticleLink: Hashable, Sendable {
    /// For readers.
    package var text: String
    /// The guid, or the fragment of the link if the item has no guid. The hash of a long one.
    package private(set) var marker: String?
    /// Whether other items of the same document have the same page and other markers. Otherwise
    /// another marker is another revision: many feeds make a new guid for each.
    package var isShared: Bool

    package init(_ text: String, marker: String? = nil, isShared: Bool = false) {
        self.text = text
        self.marker = marker.map { ArticleLink.shortened($0, $0) }
        self.isShared = isShared
    }

    /// The fragment of the canonical URL of an article that shares its page.
    package static func fragment(_ marker: String) -> String {
        shortened(marker, URLParts.encoded(marker[...]))
    }

    /// A marker may have any text and 4 KB; an index of a database takes less.
    private static func shortened(_ marker: String, _ text: String) -> String {
        let lengthMax = 200
        return text.utf8.count <= lengthMax
            ? text : String(NewsWord.hash(marker.utf8), radix: 16)
    }
}
