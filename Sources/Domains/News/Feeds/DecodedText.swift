import CLibXML

/// The bytes of a document as valid UTF-8, without a byte order mark and without the control
/// characters that XML forbids.
struct DecodedText {
    private(set) var bytes: [UInt8]
    /// Whether bytes had to be replaced.
    private(set) var isDamaged: Bool

    /// - Parameter charset: of the transport. It yields to a byte order mark, and to the document
    ///   itself if the bytes contradict it.
    init(_ source: [UInt8], charset: String? = nil) {
        (bytes, isDamaged) = DecodedText.decode(source, charset: charset)
        removeControlCharacters()
    }

    private static func decode(_ source: [UInt8], charset: String?) -> ([UInt8], Bool) {
        if let (mark, length) = byteOrderMark(of: source) {
            let rest = source.dropFirst(length)
            if let bytes = bytes(of: rest, in: mark) { return (bytes, false) }
            return (repaired(rest, in: mark), true)
        }
        // `text/xml` without a charset is US-ASCII by RFC 3023 and by no feed.
        let transport = charset.map(Encoding.init).flatMap { $0 == .ascii ? nil : $0 }
        let declared = declaredEncoding(of: source)
        let wide = wideEncoding(of: source)
        for encoding in [transport, wide, declared, .utf8] {
            if let encoding, let bytes = bytes(of: source[...], in: encoding) {
                return (bytes, false)
            }
        }
        // Latin text without a declaration, or UTF-8 with a few broken bytes.
        let isUTF8 = hasMultibyteSequence(source)
        return (repaired(source[...], in: isUTF8 ? .utf8 : .windows1252), true)
    }

    private static func byteOrderMark(of source: [UInt8]) -> (Encoding, length: Int)? {
        if source.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if source.starts(with: [0xFF, 0xFE, 0, 0]) { return (.named("UTF-32LE"), 4) }
        if source.starts(with: [0, 0, 0xFE, 0xFF]) { return (.named("UTF-32BE"), 4) }
        if source.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        if source.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        return nil
    }

    /// UTF-16 without a byte order mark shows by the zeros of `<?` (XML 1.0 appendix F.1).
    private static func wideEncoding(of source: [UInt8]) -> Encoding? {
        if source.starts(with: [0, 0x3C, 0, 0x3F]) { return .utf16(isBigEndian: true) }
        if source.starts(with: [0x3C, 0, 0x3F, 0]) { return .utf16(isBigEndian: false) }
        return nil
    }

    /// The encoding of `<?xml … encoding="…"?>`. UTF-16 is impossible there: the declaration was
    /// read as ASCII.
    private static func declaredEncoding(of source: [UInt8]) -> Encoding? {
        let declarationLengthMax = 256
        let start = source.prefix(declarationLengthMax).drop(while: isSpace)
        guard start.starts(with: "<?xml".utf8),
            let end = start.firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let declaration = String(decoding: start[..<end], as: UTF8.self)
        let parts = declaration.split(separator: "encoding", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let quoted = parts[1].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = quoted.first, quote == "\"" || quote == "'" else { return nil }
        let encoding = Encoding(String(quoted.dropFirst().prefix { $0 != quote }))
        if case .utf16 = encoding { return nil }
        return encoding
    }

    /// Nil if `source` has sequences that the encoding lacks, or libxml2 and iconv lack the
    /// encoding.
    private static func bytes(of source: ArraySlice<UInt8>, in encoding: Encoding) -> [UInt8]? {
        switch encoding {
        case .utf8: return isUTF8(source) ? Array(source) : nil
        case .windows1252, .ascii: return Windows1252.utf8(source)
        case .utf16(let isBigEndian):
            guard source.count.isMultiple(of: 2) else { return nil }
            let units = utf16Units(source, isBigEndian: isBigEndian)
            return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
        case .named(let name): return converted(source, from: name)
        }
    }

    private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }

    /// Decodes with U+FFFD for bytes that are invalid in the encoding.
    private static func repaired(_ source: ArraySlice<UInt8>, in encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .utf16(let isBigEndian):
            let units = utf16Units(source, isBigEndian: isBigEndian)
            return Array(String(decoding: units, as: UTF16.self).utf8)
        case .windows1252: return Windows1252.utf8(source)
        default: return Array(String(decoding: source, as: UTF8.self).utf8)
        }
    }

    private static func utf16Units(_ source: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt16] {
        var units: [UInt16] = []
        units.reserveCapacity(source.count / 2)
        var index = source.startIndex
        while index + 1 < source.endIndex {
            let pair = (UInt16(source[index]), UInt16(source[index + 1]))
            units.append(isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0)
            index += 2
        }
        return units
    }

    /// Whether a character of two or more bytes occurs: text in Latin encodings practically never
    /// has one.
    private static func hasMultibyteSequence(_ source: [UInt8]) -> Bool {
        zip(source, source.dropFirst())
            .contains { (0xC3...0xF4).contains($0) && (0x80...0xBF).contains($1) }
    }

    /// Through libxml2's own encodings and those of iconv.
    private static func converted(_ source: ArraySlice<UInt8>, from name: String) -> [UInt8]? {
        // iconv takes more than names: `//TRANSLIT`, and paths of modules.
        let nameLengthMax = 40
        let isName =
            (1...nameLengthMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { isDigit($0) || isLetter($0) || "-_:.".utf8.contains($0) }
        guard isName, !source.isEmpty, let handler = xmlFindCharEncodingHandler(name) else {
            return nil
        }
        // Frees iconv's descriptors; the built-in handlers are static and stay.
        defer { xmlCharEncCloseFunc(handler) }
        guard let input = xmlBufferCreate(), let output = xmlBufferCreate() else { return nil }
        defer {
            xmlBufferFree(input)
            xmlBufferFree(output)
        }
        // Unsafe: libxml2 copies the bytes before the call returns.
        let isAdded = source.withUnsafeBufferPointer {
            xmlBufferAdd(input, $0.baseAddress, Int32($0.count))
        }
        guard isAdded == 0 else { return nil }
        // Each call converts a part; it reports an error for a sequence that the encoding lacks.
        while xmlBufferLength(input) > 0 {
            let before = xmlBufferLength(input)
            guard xmlCharEncInFunc(handler, output, input) >= 0, xmlBufferLength(input) < before
            else { return nil }
        }
        // Unsafe: the contents are copied before `output` is freed.
        let count = Int(xmlBufferLength(output))
        let result = Array(UnsafeBufferPointer(start: xmlBufferContent(output), count: count))
        return isUTF8(result[...]) ? result : nil
    }

    /// Most faults of this kind are control characters that an editor has left in a text.
    private mutating func removeControlCharacters() {
        guard bytes.withUnsafeBytes(ByteSearch.hasControl) else { return }
        bytes = bytes.map { $0 < 0x20 && !isSpace($0) ? 0x20 : $0 }
        isDamaged = true
    }
}

/// An encoding by its label in HTTP or in an XML declaration.
enum Encoding: Equatable {
    case ascii, utf8, windows1252
    case utf16(isBigEndian: Bool)
    case named(String)

    /// ISO-8859-1 is read as its superset Windows-1252, as browsers do:
    /// https://encoding.spec.whatwg.org.
    init(_ label: String) {
        switch trimmed(label).lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252":
            self = .windows1252
        case "utf-16", "utf-16be", "utf16": self = .utf16(isBigEndian: true)
        case "utf-16le": self = .utf16(isBigEndian: false)
        // GB 18030 contains GB 2312, whose label pages with characters of both carry.
        case "gb2312": self = .named("GB18030")
        case let name: self = .named(name)
        }
    }
}
