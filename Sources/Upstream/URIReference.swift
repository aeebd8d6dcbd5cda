/// A URI reference, split into its parts without validating them (RFC 3986 §4.1, appendix B). The
/// fragment is dropped.
struct URIReference {
    let scheme: ArraySlice<UInt8>?
    /// The part after `//`.
    let authority: ArraySlice<UInt8>?
    let path: ArraySlice<UInt8>
    /// Without the `?`.
    let query: ArraySlice<UInt8>?

    /// - Parameter allowsSpaces: whether the text may have white space, which is percent-encoded in
    ///   a path or a query.
    init(_ text: String, allowsSpaces: Bool = false) throws(UpstreamURLError) {
        let length = text.utf8.count
        guard length <= UpstreamURL.lengthMax else { throw .tooLong(length) }
        let isAllowed = allowsSpaces ? URICharacters.isPrinted : URICharacters.isVisible
        guard text.unicodeScalars.allSatisfy(isAllowed) else { throw .forbiddenCharacter }
        let bytes = Array(text.utf8)
        var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
        let first = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        if let colon = first.firstIndex(of: UInt8(ascii: ":")) {
            // "a path segment that contains a colon character … cannot be used as the first segment
            // of a relative-path reference" (RFC 3986 §4.2).
            guard Self.isScheme(rest[..<colon]) else { throw .schemeMissing }
            scheme = rest[..<colon]
            rest = rest[(colon + 1)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let named = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            authority = named
            rest = rest[named.endIndex...]
        } else {
            authority = nil
        }
        path = rest.prefix { $0 != UInt8(ascii: "?") }
        query = path.endIndex == rest.endIndex ? nil : rest[(path.endIndex + 1)...]
    }

    /// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` of RFC 3986 §3.1.
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, URICharacters.isLetter(first) else { return false }
        return bytes.allSatisfy {
            URICharacters.isLetter($0) || URICharacters.isDigit($0) || "+-.".utf8.contains($0)
        }
    }
}

/// The characters of URIs (RFC 3986 §2).
enum URICharacters {
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Whether the scalar is neither a control character nor white space, including those beyond
    /// ASCII: in a URL they come from text that was cut or pasted wrongly.
    static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        isPrinted(scalar) && !scalar.properties.isWhitespace
    }

    /// Whether the scalar is no control character.
    static func isPrinted(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) }
        return scalar.properties.generalCategory != .control
    }

    /// Appends a part of a path or a query. Bytes that a URI may not contain are percent-encoded
    /// (RFC 3986 §2.1). `[` and `]` are kept, as in browsers: queries like `filter[name]=a` are
    /// common, and some servers do not decode their names.
    static func append(
        _ part: ArraySlice<UInt8>,
        to bytes: inout [UInt8]
    ) throws(UpstreamURLError) {
        let digits: StaticString = "0123456789ABCDEF"
        for (index, byte) in zip(part.indices, part) {
            if byte == UInt8(ascii: "%"), value(ofEscapeAt: index, in: part) == nil {
                throw .percentEncodingInvalid
            }
            if isForbidden(byte) {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits.utf8Start[Int(byte >> 4)])
                bytes.append(digits.utf8Start[Int(byte & 0xF)])
            } else {
                bytes.append(byte)
            }
        }
    }

    /// Returns the bytes of a percent-encoded text; nil when an escape is invalid.
    static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "%") {
                guard let byte = value(ofEscapeAt: index, in: text) else { return nil }
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }

    /// Whether no production of RFC 3986 contains the byte, except for the brackets.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte < 0x21 || byte > 0x7E || "\"<>\\^`{|}".utf8.contains(byte)
    }

    /// Returns nil unless two hexadecimal digits follow the `%`.
    private static func value(ofEscapeAt index: Int, in text: ArraySlice<UInt8>) -> UInt8? {
        guard index + 2 < text.endIndex, let high = hexadecimalValue(text[index + 1]),
            let low = hexadecimalValue(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - UInt8(ascii: "0") }
        let letter = byte | 0x20
        guard (0x61...0x66).contains(letter) else { return nil }
        return letter - 0x61 + 10
    }
}
