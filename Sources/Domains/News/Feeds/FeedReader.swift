// NewsFeeds: RSS, Atom and JSON Feed, from bytes to a `FeedDocument`; web pages; HTML to plain text.

/// Reads a feed of any format.
///
/// XML feeds are recognised by their root element, JSON Feed by its `version`. A damaged document
/// is read as far as possible, and `FeedDocument.isDamaged` reports the damage. Texts over their
/// limits are shortened, and items over `FeedLimits.itemCountMax` are left out.
///
/// Pure and thread-safe. External entities and DTDs are never loaded:
/// docs/DECISIONS/023-feed-parsing.md.
package struct FeedReader: Sendable {
    package var limits: FeedLimits

    package init(limits: FeedLimits = FeedLimits()) {
        self.limits = limits
    }

    /// The feed in `bytes`.
    ///
    /// - Parameters:
    ///   - contentType: the header field of the response. Only its `charset` is used: feeds are
    ///     served with every possible media type.
    ///   - charset: replaces the one of `contentType`. A byte order mark has precedence over both,
    ///     and both over the XML declaration (RFC 7303 §3).
    ///   - url: the address of the feed, against which relative references are resolved.
    package func read(
        _ bytes: [UInt8],
        contentType: String? = nil,
        charset: String? = nil,
        url: String? = nil
    ) throws(FeedError) -> FeedDocument {
        guard bytes.count <= limits.lengthMax else {
            throw .tooLong(length: bytes.count, limit: limits.lengthMax)
        }
        let label = charset ?? contentType.flatMap(FeedReader.charset)
        let text = DecodedText(bytes, charset: label)
        guard let first = text.bytes.first(where: { !isSpace($0) }) else { throw .empty }
        if first == UInt8(ascii: "{") {
            return try JSONFeed(limits: limits, isDamaged: text.isDamaged, url: url)
                .read(text.bytes)
        }
        return try readXML(text, url: url, mayHavePreamble: true)
    }

    /// Reads the text as it is. Only if it breaks XML's rules, its most frequent faults are
    /// repaired and it is read again, so feeds without faults do not pay for the repair.
    private func readXML(
        _ text: DecodedText,
        url: String?,
        mayHavePreamble: Bool
    ) throws(FeedError) -> FeedDocument {
        try checkAttributes(text.bytes)
        let parser = FeedXMLParser(builder: FeedBuilder(limits: limits, url: url))
        parser.parse(text.bytes)
        var builder = parser.builder
        if parser.isDamaged, builder.unknownRoot == nil {
            let repaired = repairedXML(text.bytes)
            // A text that was in no tag may now be in one: `<a b='<>'`.
            try checkAttributes(repaired)
            let second = FeedXMLParser(builder: FeedBuilder(limits: limits, url: url))
            second.parse(repaired)
            builder = second.builder
        }
        if builder.document == nil, mayHavePreamble,
            let rest = FeedReader.withoutPreamble(text.bytes),
            var document = try? readXML(DecodedText(utf8: rest), url: url, mayHavePreamble: false),
            !document.items.isEmpty
        {
            document.isDamaged = true
            return document
        }
        guard var document = builder.finish() else {
            if let root = builder.unknownRoot { throw .notAFeed(FeedError.describe(root: root)) }
            throw .notAFeed("no XML element")
        }
        if parser.isDamaged || text.isDamaged { document.isDamaged = true }
        return document
    }

    /// The feed behind other text, such as a warning of the program that makes it; nil without one.
    private static func withoutPreamble(_ bytes: [UInt8]) -> [UInt8]? {
        let lengthMax = 16 << 10
        let start = bytes.prefix(lengthMax)
        let found = ["<?xml", "<rss", "<feed", "<rdf:RDF"].compactMap {
            start.firstRange(of: Array($0.utf8))?.lowerBound
        }.filter { bytes[..<$0].contains { !isSpace($0) } }
        return found.min().map { Array(bytes[$0...]) }
    }

    private func checkAttributes(_ bytes: [UInt8]) throws(FeedError) {
        let countMax = FeedLimits.attributeCountMax
        guard !hasTooManyAttributes(bytes, countMax: countMax) else {
            throw .notAFeed("an element with more than \(countMax) attributes")
        }
    }

    /// The `charset` of a `Content-Type` (RFC 9110 §8.3.2).
    static func charset(ofContentType text: String) -> String? {
        for parameter in text.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]).lowercased() == "charset" else { continue }
            let value = trimmed(parts[1]).filter { $0 != "\"" && $0 != "'" }
            return value.isEmpty ? nil : value
        }
        return nil
    }
}

/// The white space of XML and JSON.
func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

/// Without the white space of XML at both ends.
func trimmed(_ text: some StringProtocol) -> String {
    // Most texts are copied nowhere.
    if let first = text.utf8.first, !isSpace(first), let last = Substring(text).utf8.last,
        !isSpace(last)
    {
        return String(text)
    }
    let text = Substring(text)
    guard let start = text.utf8.firstIndex(where: { !isSpace($0) }),
        let end = text.utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(text[start...end])
}
