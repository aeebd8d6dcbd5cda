/// Makes a `FeedDocument` of the elements and texts of an XML document.
///
/// Inputs are `start`, `text` and `end`, as a parser reports them; `finish` gives the result, also
/// of a document that ends early. Elements count only where their format has them: a title within
/// an image is not the title of the feed. Formats are not distinguished beyond that, because feeds
/// mix them.
struct FeedBuilder {
    /// The owner of the children of an open element.
    enum Scope {
        case feed, item, person, skipHours
        /// Nothing that is read.
        case aside
        /// The text of a field, which has markup of its own.
        case markup
    }

    let limits: FeedLimits
    /// The name of a root that no feed has.
    private(set) var unknownRoot: String?
    var document: FeedDocument?
    /// The item that is open.
    var item: ItemDraft?
    /// The field that is open; at most one, since a field within another one replaces it.
    var capture: Capture?
    /// `id` of the feed: an address in most feeds, which counts if no link has one.
    var identifier: String?
    var updatePeriod: Duration?
    var updateFrequency: Int?
    /// The memory of the last field, for the next one.
    private var buffer: [UInt8] = []
    private var scopes: [Scope] = []
    /// With the number of open elements, the one that has set it included. Never empty.
    private var bases: [(depth: Int, url: String?)]

    init(limits: FeedLimits, url: String?) {
        self.limits = limits
        bases = [(0, url)]
    }

    /// The base of relative references at this place.
    var base: String? { bases[bases.count - 1].url }

    /// Begins an element. Returns false if the document must not be read any further: it is not a
    /// feed or is too deep.
    mutating func start(
        _ element: FeedElement,
        name: XMLName,
        attributes: XMLAttributes
    ) -> Bool {
        guard scopes.count < limits.depthMax else { return false }
        if scopes.isEmpty, !startRoot(element, name, attributes) { return false }
        if let base = attributes.xml("base") {
            bases.append((scopes.count + 1, WebURL.resolve(base, base: self.base) ?? self.base))
        }
        if let scope = scopes.last {
            scopes.append(startChild(element, of: scope, name, attributes))
        } else {
            scopes.append(.feed)
        }
        if capture?.isBeginning == true {
            capture?.isBeginning = false
            capture?.depth = scopes.count
        }
        return true
    }

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        capture?.append(bytes)
    }

    /// The innermost open element ends.
    mutating func end() {
        if capture?.depth == scopes.count, var capture = capture.take() {
            finish(capture)
            capture.recycle(&buffer)
        } else if scopes.last == .markup {
            capture?.endTag()
        }
        let scope = scopes.popLast()
        if scope == .item, scopes.last != .item { finishItem() }
        if bases[bases.count - 1].depth > scopes.count { bases.removeLast() }
    }

    /// Returns the feed; nil without a root that feeds have. Of an item that the end has cut off,
    /// the complete fields are kept if they identify the item.
    mutating func finish() -> FeedDocument? {
        capture = nil
        if item?.isIdentified == true { finishItem() }
        if let identifier { setSite(identifier) }
        guard var document else { return nil }
        document.items.keepNewest(limits.itemCountMax)
        for index in document.items.indices {
            guard let url = document.items[index].url, !WebURL.isAbsolute(url) else { continue }
            document.items[index].url = WebURL.resolve(url, base: document.siteURL)
        }
        if document.pollInterval == nil, let updatePeriod {
            document.pollInterval = updatePeriod / (updateFrequency ?? 1)
        }
        return document
    }

    private mutating func startRoot(
        _ element: FeedElement,
        _ name: XMLName,
        _ attributes: XMLAttributes
    ) -> Bool {
        guard case .root(let format) = element else {
            unknownRoot = String(cString: name.local)
            return false
        }
        document = FeedDocument(format: format)
        document?.language = attributes.xml("lang").flatMap(languageTag)
        return true
    }

    private mutating func startChild(
        _ element: FeedElement,
        of scope: Scope,
        _ name: XMLName,
        _ attributes: XMLAttributes
    ) -> Scope {
        if capture != nil {
            if scope == .markup || capture?.field.canHaveMarkup == true {
                let isTopLevel = capture?.depth == scopes.count
                capture?.startTag(name, attributes, isTopLevel: isTopLevel)
                return .markup
            }
            // The text ends before a nested field; of an author, only the nested fields count.
            if let capture = capture.take(), capture.field != .author { finish(capture) }
        }
        switch (scope, element) {
        case (_, .item) where item == nil || scope == .item:
            // An item within an item: a tag of the first one was never closed.
            finishItem()
            startItem(attributes)
            return .item
        case (.feed, _): return startInFeed(element, attributes)
        case (.item, _): return startInItem(element, attributes)
        case (.person, .personName): begin(.personName)
        case (.person, .personEmail): begin(.personEmail)
        case (.skipHours, .hour): begin(.hour)
        default: break
        }
        return .aside
    }

    mutating func begin(_ field: Capture.Field, as kind: Capture.Kind = .plain) {
        let limit = field.isBody ? limits.textLengthMax : limits.lineLengthMax
        capture = Capture(field: field, kind: kind, lengthMax: limit, buffer: &buffer)
    }

    private mutating func startItem(_ attributes: XMLAttributes) {
        var item = ItemDraft()
        item.value.identifier = attributes.value("about", prefix: "rdf").flatMap(line)
        self.item = item
    }

    mutating func finishItem() {
        guard item != nil else { return }
        defer { item = nil }
        item?.complete()
        guard let value = item?.value, document?.items.append(value) != nil else { return }
        // Only now and then, as it looks at all of them.
        if let count = document?.items.count, count >= 2 * limits.itemCountMax {
            document?.items.keepNewest(limits.itemCountMax)
        }
    }

    /// A text from an attribute; nil if it is empty.
    func line(_ text: String) -> String? {
        let text = trimmed(text)
        guard !text.isEmpty else { return nil }
        return text.utf8.count <= limits.lineLengthMax
            ? text
            : String(decoding: wholeScalars(text.utf8.prefix(limits.lineLengthMax)), as: UTF8.self)
    }
}

/// `en-us`; nil for text that is not a language tag (RFC 5646 §2.1).
func languageTag(_ text: String) -> String? {
    let tag = trimmed(text).lowercased().replacing("_", with: "-")
    let tagLengthMax = 35
    guard (2...tagLengthMax).contains(tag.utf8.count),
        tag.utf8.allSatisfy({
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (0x30...0x39).contains($0)
                || $0 == UInt8(ascii: "-")
        })
    else { return nil }
    return tag
}
