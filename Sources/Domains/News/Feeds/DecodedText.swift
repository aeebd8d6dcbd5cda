/// The bytes of a document as valid UTF-8, without a byte order mark and without the control
/// characters that XML forbids.
struct DecodedText {
    private(set) var bytes: [UInt8]
    /// Whether bytes had to be replaced.
    private(set) var isDamaged: Bool

    /// - Parameters:
    ///   - charset: of the transport. It yields to a byte order mark, and to a label of the
    ///     document itself with which fewer bytes are invalid.
    ///   - declared: a label of the document other than that of an XML declaration.
    init(_ source: [UInt8], charset: String? = nil, declared: String? = nil) {
        (bytes, isDamaged) = DecodedText.decode(source, charset: charset, declared: declared)
        removeControlCharacters()
    }

    /// A part of a decoded text.
    init(utf8 bytes: [UInt8]) { (self.bytes, isDamaged) = (bytes, false) }

    private static func decode(
        _ source: [UInt8],
        charset: String?,
        declared: String?
    ) -> ([UInt8], Bool) {
        if let (mark, length) = byteOrderMark(of: source) {
            return result(source.dropFirst(length), in: mark)
        }
        if let wide = wideEncoding(of: source) { return result(source[...], in: wide) }
        // `text/xml` without a charset is US-ASCII by RFC 3023 and by no feed.
        let transport = charset.flatMap { isASCIILabel($0) ? nil : Encoding(label: $0) }
        let own = [declared.flatMap(Encoding.init(label:)), declaredEncoding(of: source)]
            .compactMap(\.self)
        // Servers that send one charset with everything are frequent, and text in another encoding
        // is hardly ever UTF-8 by chance.
        if own.contains(.utf8), isMostlyUTF8(source) { return result(source[...], in: .utf8) }
        let labelled = [transport].compactMap(\.self) + own
        if labelled.contains(.replacement) { return result(source[...], in: .replacement) }
        var best: (encoding: Encoding, decoding: Decoding)?
        for encoding in labelled + [.utf8] {
            guard best?.decoding.replacedCount != 0,
                let decoding = decode(source[...], in: encoding)
            else { continue }
            if let best, best.decoding.replacedCount <= decoding.replacedCount { continue }
            best = (encoding, decoding)
        }
        // Latin text without a declaration, or with a wrong one.
        guard let best,
            best.decoding.replacedCount == 0 || best.encoding != .utf8
                || isMostlyUTF8(source)
        else {
            return (Windows1252.utf8(source[...]), true)
        }
        return (best.decoding.bytes, best.decoding.replacedCount > 0)
    }

    private static func result(
        _ source: ArraySlice<UInt8>,
        in encoding: Encoding
    ) -> ([UInt8], Bool) {
        guard let decoding = decode(source, in: encoding) else { return (Array(source), true) }
        return (decoding.bytes, decoding.replacedCount > 0)
    }

    private static func isASCIILabel(_ label: String) -> Bool {
        ["us-ascii", "ascii"].contains(trimmed(label).lowercased())
    }

    private static func byteOrderMark(of source: [UInt8]) -> (Encoding, length: Int)? {
        if source.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if source.starts(with: [0xFF, 0xFE, 0, 0]) { return (.named("UTF-32LE"), 4) }
        if source.starts(with: [0, 0, 0xFE, 0xFF]) { return (.named("UTF-32BE"), 4) }
        if source.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        if source.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        return nil
    }

    /// UTF-16 without a byte order mark shows by the zeros of `<?` (XML 1.0 appendix F.1), and of
    /// any other two ASCII characters.
    private static func wideEncoding(of source: [UInt8]) -> Encoding? {
        let start = source.prefix(4)
        guard start.count == 4 else { return nil }
        let isASCII: (UInt8) -> Bool = { (0x09..<0x7F).contains($0) }
        if start[0] == 0, start[2] == 0, isASCII(start[1]), isASCII(start[3]) {
            return .utf16(isBigEndian: true)
        }
        if start[1] == 0, start[3] == 0, isASCII(start[0]), isASCII(start[2]) {
            return .utf16(isBigEndian: false)
        }
        return nil
    }

    /// The encoding of `<?xml … encoding="…"?>`, also behind other text. UTF-16 is impossible
    /// there: the declaration was read as ASCII.
    private static func declaredEncoding(of source: [UInt8]) -> Encoding? {
        let (preambleLengthMax, declarationLengthMax) = (4096, 256)
        guard
            let start = source.prefix(preambleLengthMax).firstRange(of: Array("<?xml".utf8))
        else { return nil }
        let rest = source[start.lowerBound...].prefix(declarationLengthMax)
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let declaration = String(decoding: rest[..<end], as: UTF8.self)
        let parts = declaration.split(separator: "encoding", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let quoted = parts[1].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = quoted.first, quote == "\"" || quote == "'" else { return nil }
        let encoding = Encoding(label: String(quoted.dropFirst().prefix { $0 != quote }))
        if case .utf16 = encoding { return nil }
        return encoding
    }

    /// Whether UTF-8 with characters of two or more bytes, at least as many as broken ones: text in
    /// another encoding practically never is.
    private static func isMostlyUTF8(_ source: [UInt8]) -> Bool {
        var (validCount, brokenCount) = (0, 0)
        for scalar in String(decoding: source, as: UTF8.self).unicodeScalars {
            if scalar == "\u{FFFD}" {
                brokenCount += 1
            } else if !scalar.isASCII {
                validCount += 1
            }
        }
        return validCount > 0 && validCount >= brokenCount
    }

    /// Most faults of this kind are control characters that an editor has left in a text.
    private mutating func removeControlCharacters() {
        guard bytes.withUnsafeBytes(ByteSearch.hasControl) else { return }
        bytes = bytes.map { $0 < 0x20 && !isSpace($0) ? 0x20 : $0 }
        isDamaged = true
    }
}
