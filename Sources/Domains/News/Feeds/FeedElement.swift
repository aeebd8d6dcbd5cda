/// The meaning of an element in any format.
enum FeedElement: Hashable {
    case root(FeedDocument.Format)
    case channel, item
    case title, link, guid, identifier
    /// `description` and its kin.
    case summary
    case content
    /// A body of XHTML in place of a text.
    case body
    /// Media RSS, iTunes: texts that count if the item has no others.
    case secondTitle, secondSummary
    case published, updated
    /// A text in RSS, elements in Atom.
    case author
    case personName, personEmail
    case category, keywords, itunesCategory
    case enclosure, mediaContent, mediaThumbnail, itunesImage
    /// Without a meaning of its own; its content belongs to the item.
    case mediaGroup
    case language, ttl, skipHours, hour, updatePeriod, updateFrequency
    /// Also the parts that have titles and links of their own: images, sources, contributors.
    case other
}

/// Meanings of names, each looked up once in a document.
struct ElementNames {
    private var cache: [(name: XMLName, element: FeedElement)] = []
    /// A document with more names has them for an attack.
    private static let cacheCountMax = 64

    mutating func element(_ name: XMLName) -> FeedElement {
        for entry in cache
        where entry.name.local == name.local && entry.name.uri == name.uri
            && entry.name.prefix == name.prefix
        {
            return entry.element
        }
        let element = ElementNames.meaning(of: name)
        if cache.count < ElementNames.cacheCountMax { cache.append((name, element)) }
        return element
    }

    private static func meaning(of name: XMLName) -> FeedElement {
        let local = String(cString: name.local).lowercased()
        let uri = name.uri.map { String(cString: $0).lowercased() } ?? ""
        let prefix = name.prefix.map { String(cString: $0).lowercased() }
        guard let vocabulary = Vocabulary(uri: uri, prefix: prefix) else { return .other }
        return vocabulary.elements[local] ?? .other
    }
}

/// A namespace, under all of its names.
enum Vocabulary {
    /// RSS, which has none, and Atom. They share names of equal meaning.
    case core
    case rdf, content, dublinCore, dublinCoreTerms, media, itunes, syndication, xhtml

    /// By the URI. Only an element whose prefix is not declared is known by it; a well-formed
    /// document can use every prefix for every namespace.
    init?(uri: String, prefix: String?) {
        if uri.isEmpty, let prefix {
            guard let vocabulary = Vocabulary.prefixes[prefix] else { return nil }
            self = vocabulary
        } else if uri.isEmpty || uri.contains("backend.userland.com/rss") {
            self = .core
        } else {
            // Some write the name of a namespace as an address of today.
            let name = uri.hasPrefix("https:") ? "http:" + uri.dropFirst("https:".count) : uri
            guard let vocabulary = Vocabulary.uris[name] else { return nil }
            self = vocabulary
        }
    }

    /// In lower case: feeds vary it.
    private static let uris: [String: Vocabulary] = [
        "http://www.w3.org/2005/atom": .core,
        "http://purl.org/atom/ns#": .core,
        // Drafts of Atom.
        "http://example.com/newformat#": .core,
        "http://example.com/necho": .core,
        "http://purl.org/echo/": .core,
        "http://purl.org/pie/": .core,
        "uri/of/echo/namespace#": .core,
        "http://purl.org/rss/1.0/": .core,
        "http://purl.org/rss/1.0/modules/rss091#": .core,
        "http://my.netscape.com/rdf/simple/0.9/": .core,
        "http://channel.netscape.com/rdf/simple/0.9/": .core,
        "http://my.netscape.com/publish/formats/rss-0.91.dtd": .core,
        "http://blogs.law.harvard.edu/tech/rss": .core,
        "http://cyber.law.harvard.edu/rss/rss.html": .core,
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": .rdf,
        "http://purl.org/rss/1.0/modules/content/": .content,
        "http://purl.org/dc/elements/1.1/": .dublinCore,
        "http://purl.org/dc/elements/1.0/": .dublinCore,
        "http://purl.org/dc/terms/": .dublinCoreTerms,
        "http://search.yahoo.com/mrss/": .media,
        "http://search.yahoo.com/mrss": .media,
        "http://www.itunes.com/dtds/podcast-1.0.dtd": .itunes,
        "http://purl.org/rss/1.0/modules/syndication/": .syndication,
        "http://www.w3.org/1999/xhtml": .xhtml,
    ]

    private static let prefixes: [String: Vocabulary] = [
        "atom": .core, "rdf": .rdf, "content": .content, "dc": .dublinCore,
        "dcterms": .dublinCoreTerms, "media": .media, "itunes": .itunes, "sy": .syndication,
        "xhtml": .xhtml,
    ]

    /// By local names in lower case.
    var elements: [String: FeedElement] {
        switch self {
        case .core: Vocabulary.coreElements
        case .rdf: ["rdf": .root(.rdf)]
        case .content: ["encoded": .content]
        case .dublinCore: Vocabulary.dublinCoreElements
        case .dublinCoreTerms: ["created": .other, "issued": .published, "modified": .updated]
        case .media: Vocabulary.mediaElements
        case .itunes: Vocabulary.itunesElements
        case .syndication: ["updateperiod": .updatePeriod, "updatefrequency": .updateFrequency]
        case .xhtml: ["body": .body]
        }
    }

    private static let coreElements: [String: FeedElement] = [
        "rss": .root(.rss), "feed": .root(.atom), "channel": .channel, "item": .item,
        "entry": .item, "title": .title, "link": .link, "guid": .guid, "id": .identifier,
        "description": .summary, "summary": .summary, "abstract": .summary, "content": .content,
        "fullitem": .content, "body": .body, "pubdate": .published, "published": .published,
        "issued": .published, "updated": .updated, "modified": .updated,
        "lastbuilddate": .updated, "author": .author, "name": .personName,
        "email": .personEmail, "category": .category, "enclosure": .enclosure,
        "language": .language, "ttl": .ttl, "skiphours": .skipHours, "hour": .hour,
    ]

    private static let dublinCoreElements: [String: FeedElement] = [
        "title": .secondTitle, "description": .secondSummary, "creator": .author,
        "author": .author, "date": .updated, "subject": .category, "language": .language,
    ]

    private static let mediaElements: [String: FeedElement] = [
        "title": .secondTitle, "description": .secondSummary, "content": .mediaContent,
        "thumbnail": .mediaThumbnail, "group": .mediaGroup, "keywords": .keywords,
        "category": .category,
    ]

    private static let itunesElements: [String: FeedElement] = [
        "author": .author, "summary": .secondSummary, "image": .itunesImage,
        "keywords": .keywords, "category": .itunesCategory,
    ]
}
