import CLibXML

/// HTML as plain text, by libxml2's HTML parser, which accepts every input.
package enum HTMLText {
    /// In bytes, of the HTML; the rest is ignored. Twice the largest text of a feed item.
    package static let inputLengthMax = 512 << 10
    /// The maximum depth of elements; deeper text, and all text after it, is ignored.
    package static let depthMax = 256

    /// The text without tags, comments, scripts, styles and embedded objects, and with the
    /// characters that references stand for. White space is one space. A block element begins a
    /// line of its own, and lines are separated by one line feed.
    ///
    /// - Parameter lengthMax: of the result, in bytes. A longer text is cut between two characters.
    package static func plain(_ html: String, lengthMax: Int = 128 << 10) -> String {
        precondition(lengthMax > 0)
        let bytes = wholeScalars(Array(html.utf8.prefix(inputLengthMax)))
        let isMarkup = bytes.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
        var text = PlainText(lengthMax: lengthMax)
        if isMarkup {
            let reader = HTMLReader(text)
            reader.read(bytes)
            text = reader.text
        } else {
            text.append(bytes)
        }
        return text.string
    }
}

/// Collects text with collapsed white space.
struct PlainText {
    private var bytes: [UInt8] = []
    private let lengthMax: Int
    private var hasPendingSpace = false
    private var hasPendingBreak = false
    /// The first byte of U+0080 to U+00BF, which is not in `bytes` yet.
    private var isBehindC2 = false

    init(lengthMax: Int) { self.lengthMax = lengthMax }

    var isFull: Bool { bytes.count >= lengthMax }

    mutating func append(_ text: some Sequence<UInt8>) {
        for byte in text {
            if isBehindC2 {
                isBehindC2 = false
                // U+00A0, the no-break space, is also a space here.
                if byte == 0xA0 {
                    hasPendingSpace = true
                    continue
                }
                flush()
                bytes.append(0xC2)
            }
            // All control characters: libxml2 passes on those that references stand for.
            if byte <= 0x20 || byte == 0x7F {
                hasPendingSpace = true
            } else if byte == 0xC2 {
                isBehindC2 = true
            } else {
                flush()
                bytes.append(byte)
            }
        }
    }

    mutating func breakLine() { hasPendingBreak = true }
    mutating func space() { hasPendingSpace = true }

    private mutating func flush() {
        guard hasPendingSpace || hasPendingBreak else { return }
        if !bytes.isEmpty { bytes.append(hasPendingBreak ? 0x0A : 0x20) }
        hasPendingSpace = false
        hasPendingBreak = false
    }

    var string: String {
        var bytes = bytes
        if bytes.count > lengthMax { bytes = Array(wholeScalars(bytes.prefix(lengthMax))) }
        Windows1252.replaceControls(in: &bytes)
        // A character of Windows-1252 may be one byte longer than the control character in its
        // place.
        if bytes.count > lengthMax { bytes = Array(wholeScalars(bytes.prefix(lengthMax))) }
        return trimmed(String(decoding: bytes, as: UTF8.self))
    }
}

/// Feeds the text of one HTML document to a `PlainText`.
private final class HTMLReader {
    private(set) var text: PlainText
    /// Unsafe: valid only within `read`, which frees it.
    private var context: htmlParserCtxtPtr?
    private var depth = 0
    /// Open elements within one whose text is left out, itself included.
    private var ignoredDepth = 0

    init(_ text: PlainText) { self.text = text }

    func read(_ bytes: some Collection<UInt8>) {
        // libxml2 ends at a NUL.
        readHTML(bytes.map { $0 == 0 ? 0x20 : $0 }, HTMLReader.handler, for: self) { context = $0 }
        context = nil
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElement = { context, name, _ in
            let reader: HTMLReader = htmlReader(context)
            reader.start(String(cString: name!))
        }
        handler.endElement = { context, name in
            let reader: HTMLReader = htmlReader(context)
            reader.end(String(cString: name!))
        }
        handler.characters = { context, bytes, count in
            let reader: HTMLReader = htmlReader(context)
            reader.characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        // Without it libxml2 prints errors; no HTML is an error here.
        handler.serror = { _, _ in }
        return handler
    }

    private func start(_ name: String) {
        depth += 1
        if depth > HTMLText.depthMax || text.isFull { return xmlStopParser(context) }
        if ignoredDepth > 0 || HTMLReader.ignoredNames.contains(name) { ignoredDepth += 1 }
        separate(name)
    }

    private func end(_ name: String) {
        depth -= 1
        if ignoredDepth > 0 { ignoredDepth -= 1 }
        separate(name)
    }

    private func separate(_ name: String) {
        if HTMLReader.blockNames.contains(name) {
            text.breakLine()
        } else if name == "td" || name == "th" {
            text.space()
        }
    }

    private func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard ignoredDepth == 0, !text.isFull else { return }
        text.append(bytes)
    }

    private static let ignoredNames: Set<String> = [
        "applet", "audio", "embed", "head", "iframe", "noscript", "object", "script", "select",
        "style", "svg", "template", "textarea", "title", "video",
    ]

    private static let blockNames: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd",
        "details", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
        "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "menu", "nav", "ol", "p",
        "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
    ]
}
