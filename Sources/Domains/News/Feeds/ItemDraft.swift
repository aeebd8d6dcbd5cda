import News

/// An item while its elements are read, with what counts only if nothing better follows.
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
    /// `id` in place of `guid`, which says itself whether it is an address.
    var isAtomEntry = false

    /// Whether it can be told from other items.
    var isIdentified: Bool {
        value.identifier != nil || value.url != nil
    }

    var finished: FeedItem {
        var item = value
        // Atom's `id` is an address in most feeds; the entry has no other one.
        let identifier = value.identifier.flatMap { WebURL.resolve($0, base: nil) }
        item.url = item.url ?? guidLink ?? otherLink ?? (isAtomEntry ? identifier : nil)
        item.author = item.author ?? email
        if item.title.isEmpty { item.title = secondTitle }
        if item.summary.isEmpty { item.summary = secondSummary }
        return item
    }
}
