/// An item while its elements are read, including fallback values that count only if nothing better
/// follows.
struct ItemDraft {
    /// Where an image is from, the least suitable for an article first.
    enum ImageRank: Int, Comparable {
        case none, thumbnail, enclosure, content

        static func < (one: ImageRank, other: ImageRank) -> Bool { one.rawValue < other.rawValue }
    }

    var value = FeedItem()
    var secondTitle = FeedText()
    var secondSummary = FeedText()
    /// The address in a `guid` that is a permanent link.
    var guidLink: String?
    /// An alternate that is not HTML.
    var otherLink: String?
    var email: String?
    var imageRank = ImageRank.none
    /// `id` in place of `guid`; a `guid` itself states whether it is an address.
    var isAtomEntry = false

    /// Whether it can be distinguished from other items.
    var isIdentified: Bool {
        value.identifier != nil || value.url != nil
    }

    var hasAuthor: Bool { value.author != nil }
    var hasEmail: Bool { email != nil }

    /// Moves the fallback values into `value`, if nothing better has followed.
    mutating func complete() {
        if value.url == nil { value.url = guidLink ?? otherLink }
        // Atom's `id` is an address in most feeds; the entry has no other one.
        if value.url == nil, isAtomEntry, let identifier = value.identifier {
            value.url = WebURL.resolve(identifier, base: nil)
        }
        if value.author == nil { value.author = email }
        if value.title.isEmpty { value.title = secondTitle }
        if value.summary.isEmpty { value.summary = secondSummary }
    }
}
