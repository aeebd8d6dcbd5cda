/// The text of one field while it is read.
struct Capture {
    enum Field: Equatable {
        case feedTitle, feedLink, feedIdentifier, language, ttl, hour, updatePeriod, updateFrequency
        case title, secondTitle, summary, secondSummary, content
        case link, guid(isPermanentLink: Bool), identifier, published, updated
        case author, personName, personEmail, category, keywords

        /// Whether it is of several paragraphs.
        var isBody: Bool {
            switch self {
            case .summary, .secondSummary, .content: true
            default: false
            }
        }

        /// Whether tags within it are a part of it.
        var canHaveMarkup: Bool {
            switch self {
            case .feedTitle, .title, .secondTitle: true
            default: isBody
            }
        }
    }

    enum Kind {
        case plain, html
        /// Plain by its format; HTML if it looks like it.
        case guessed
        /// Elements in place of a text.
        case markup
        case base64
    }

    let field: Field
    private(set) var kind: Kind
    /// The number of open elements, its own included.
    var depth = 0
    /// Its element is not yet counted in `depth`.
    var isBeginning = true
    /// Whether the text is longer than its limit, and incomplete.
    private(set) var isCut = false
    private var bytes: [UInt8] = []
    private let lengthMax: Int
    private var topLevelCount = 0
    /// A tag that has just begun, whose `>` may still become ` />`.
    private var isTagOpen = false

    /// Takes the memory of `buffer`, which is empty.
    init(field: Field, kind: Kind, lengthMax: Int, buffer: inout [UInt8]) {
        self.field = field
        self.kind = kind
        self.lengthMax = lengthMax
        swap(&bytes, &buffer)
    }

    /// Gives the memory back.
    mutating func recycle(_ buffer: inout [UInt8]) {
        swap(&bytes, &buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        let room = lengthMax - bytes.count
        if text.count > room { isCut = true }
        guard room > 0 else { return }
        isTagOpen = false
        if kind == .markup {
            appendEscaped(text.prefix(room), to: &bytes)
        } else {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text.prefix(room)))
        }
    }

    // MARK: Markup

    private var openNames: [[UInt8]] = []

    /// A tag within the field. A text that is not declared as XHTML becomes HTML: its author has
    /// not escaped it.
    mutating func startTag(_ name: XMLName, _ attributes: XMLAttributes, isTopLevel: Bool) {
        let local = Array(UnsafeBufferPointer(start: name.local, count: length(name.local)))
        // Some publishers wrap escaped HTML into one real `div`, which does not unescape it.
        if kind == .html, local.elementsEqual("div".utf8) { return openNames.append([]) }
        kind = .markup
        openNames.append(local)
        if isTopLevel { topLevelCount += 1 }
        guard !isCut else { return }
        let start = bytes.count
        bytes.append(UInt8(ascii: "<"))
        bytes.append(contentsOf: local)
        attributes.appendMarkup(to: &bytes)
        bytes.append(UInt8(ascii: ">"))
        isTagOpen = bytes.count <= lengthMax
        if !isTagOpen {
            bytes.removeSubrange(start...)
            isCut = true
        }
    }

    mutating func endTag() {
        guard let name = openNames.popLast(), !name.isEmpty else { return }
        defer { isTagOpen = false }
        if isTagOpen, Capture.voidNames.contains(String(decoding: name, as: UTF8.self)) {
            bytes.removeLast()
            bytes.append(contentsOf: " />".utf8)
        } else if !isCut {
            bytes.append(contentsOf: "</".utf8)
            bytes.append(contentsOf: name)
            bytes.append(UInt8(ascii: ">"))
        }
    }

    /// The elements of HTML without an end tag.
    private static let voidNames: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr",
    ]

    // MARK: Result

    /// Without space at the ends.
    var string: String {
        var bytes = bytes
        Windows1252.replaceControls(in: &bytes)
        // Escaped texts and the characters of Windows are longer than counted.
        if isCut || bytes.count > lengthMax {
            bytes = Array(wholeScalars(bytes.prefix(lengthMax)))
        }
        let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    var feedText: FeedText {
        switch kind {
        case .plain: FeedText(string)
        case .html: FeedText(string, isHTML: true)
        case .guessed: FeedText(string, isHTML: looksLikeHTML(string))
        case .markup: FeedText(withoutOuterDivision(string), isHTML: true)
        case .base64:
            Base64.text(string).map { FeedText($0, isHTML: looksLikeHTML($0)) } ?? FeedText()
        }
    }

    /// In XHTML, one `div` around the text is a part of the format (RFC 4287 §3.1.1.3).
    private func withoutOuterDivision(_ text: String) -> String {
        guard topLevelCount == 1, text.hasPrefix("<div"), text.hasSuffix("</div>"),
            let end = text.firstIndex(of: ">")
        else { return text }
        return trimmed(text[text.index(after: end)...].dropLast("</div>".count))
    }
}

/// Without the first bytes of a character whose last ones are cut off.
func wholeScalars<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    guard let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[start] >= 0xC0 else {
        return bytes[...]
    }
    let length = bytes[start] >= 0xF0 ? 4 : bytes[start] >= 0xE0 ? 3 : 2
    return bytes.distance(from: start, to: bytes.endIndex) < length ? bytes[..<start] : bytes[...]
}
