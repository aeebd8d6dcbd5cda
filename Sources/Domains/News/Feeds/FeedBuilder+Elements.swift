extension FeedBuilder {
    /// A child of the feed or of its channel.
    mutating func startInFeed(_ element: FeedElement, _ attributes: XMLAttributes) -> Scope {
        switch element {
        case .channel: return .feed
        case .skipHours: return .skipHours
        case .title, .secondTitle: begin(.feedTitle, as: kind(attributes, default: .guessed))
        case .link:
            if let reference = attributes["href"] {
                guard attributes["rel"] ?? "alternate" == "alternate" else { break }
                setSite(reference)
            } else {
                begin(.feedLink)
            }
        case .identifier: begin(.feedIdentifier)
        case .language: begin(.language)
        case .ttl: begin(.ttl)
        case .updatePeriod: begin(.updatePeriod)
        case .updateFrequency: begin(.updateFrequency)
        default: break
        }
        return .aside
    }

    /// A child of an item.
    mutating func startInItem(_ element: FeedElement, _ attributes: XMLAttributes) -> Scope {
        switch element {
        case .title: begin(.title, as: kind(attributes, default: .guessed))
        case .secondTitle: begin(.secondTitle, as: kind(attributes, default: .guessed))
        case .summary: begin(.summary, as: kind(attributes, default: .html))
        case .secondSummary: begin(.secondSummary, as: kind(attributes, default: .guessed))
        // Content elsewhere (RFC 4287 §4.1.3.2) is not fetched.
        case .content where attributes["src"] != nil: break
        case .content: begin(.content, as: kind(attributes, default: .html))
        case .body: begin(.content, as: .markup)
        case .published: begin(.published)
        case .updated: begin(.updated)
        case .guid: begin(.guid(isPermanentLink: attributes["isPermaLink"] ?? "true" == "true"))
        case .identifier: begin(.identifier)
        case .link: startLink(attributes)
        case .category, .keywords: startCategory(element, attributes)
        case .itunesCategory:
            if let name = attributes["text"] { addCategory(name) }
            return .item
        case .author:
            begin(.author)
            return .person
        case .mediaGroup: return .item
        case .mediaContent:
            addMedia(attributes)
            return .item
        case .enclosure: addMedia(attributes, rank: .enclosure)
        case .mediaThumbnail:
            if let url = attributes["url"] { addImage(url, rank: .thumbnail) }
        case .itunesImage:
            if let url = attributes["href"] { addImage(url, rank: .thumbnail) }
        default: break
        }
        return .aside
    }

    /// Of the links of an entry, the first one to a page in HTML leads to the article (RFC 4287
    /// §4.2.7.2).
    private mutating func startLink(_ attributes: XMLAttributes) {
        let relation = attributes["rel"]?.lowercased() ?? "alternate"
        guard let reference = attributes["href"] else {
            // As in RSS.
            if relation == "alternate" { begin(.link) }
            return
        }
        switch relation {
        case "alternate":
            let type = attributes["type"]?.lowercased() ?? "text/html"
            let isPage = type.hasPrefix("text/html") || type.hasPrefix("application/xhtml")
            addLink(reference, isPage: isPage)
        case "enclosure": addMedia(attributes, rank: .enclosure)
        default: break
        }
    }

    private mutating func startCategory(_ element: FeedElement, _ attributes: XMLAttributes) {
        if element == .keywords { return begin(.keywords) }
        if let term = attributes["term"] {
            addCategory(term)
        } else {
            begin(.category)
        }
    }

    /// `media:content` and enclosures are of any kind; only images count.
    private mutating func addMedia(
        _ attributes: XMLAttributes,
        rank: ItemDraft.ImageRank = .content
    ) {
        guard let url = attributes["url"] ?? attributes["href"] else { return }
        if rank == .enclosure, item?.value.enclosureURL == nil {
            let address = limits.address(url, base: base ?? document?.siteURL)
            item?.value.enclosureURL = address
        }
        let kind = attributes["medium"]?.lowercased() ?? attributes["type"]?.lowercased()
        let isImage = kind.map { $0.hasPrefix("image") } ?? hasImageExtension(url)
        if isImage { addImage(url, rank: rank) }
    }

    private func hasImageExtension(_ url: String) -> Bool {
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"].contains { path.hasSuffix($0) }
    }

    /// Returns the kind of an element's text, by its attributes: `type` in Atom 1.0, with `mode` in
    /// Atom 0.3.
    private func kind(_ attributes: XMLAttributes, default kind: Capture.Kind) -> Capture.Kind {
        let mode = attributes["mode"]?.lowercased()
        if mode == "base64" { return .base64 }
        guard let type = attributes["type"]?.lowercased(), !type.isEmpty else {
            return document?.format == .atom ? .plain : kind
        }
        switch type {
        case "text", "plain", "text/plain":
            // In RSS, the attribute is as little reliable as the text.
            return document?.format == .atom ? .plain : .guessed
        case "html", "text/html": return .html
        case "xhtml", "application/xhtml+xml": return mode == "escaped" ? .html : .markup
        case let type where type.hasSuffix("+xml") || type.hasSuffix("/xml"):
            return mode == "escaped" ? .html : .markup
        case let type where type.hasPrefix("text/"): return .plain
        default: return .base64
        }
    }
}
