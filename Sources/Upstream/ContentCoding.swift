/// A content coding that can be removed (RFC 9110 §8.4.1).
package enum ContentCoding: Hashable, Sendable {
    /// RFC 1952.
    case gzip
    /// The zlib format (RFC 1950), and DEFLATE data without it (RFC 1951): "Some non-conformant
    /// implementations send the "deflate" compressed data without the zlib wrapper" (RFC 9110
    /// §8.4.1.2).
    case deflate

    /// Returns the coding in the values of all Content-Encoding fields; nil for none, and for
    /// `identity`.
    ///
    /// Throws for an unknown coding and for several, one applied after the other: servers do not
    /// send codings that no Accept-Encoding requested.
    package static func of(fields: [String]) throws(ContentCodingError) -> ContentCoding? {
        var coding: ContentCoding?
        for element in fields.lazy.flatMap({ $0.split(separator: ",") }) {
            let name = element.trimmingWhitespace.lowercased()
            // Empty elements of a list are ignored: RFC 9110 §5.6.1.2.
            guard !name.isEmpty, name != "identity" else { continue }
            guard coding == nil else { throw .severalCodings }
            switch name {
            // RFC 9110 §8.4.1.3: "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"."
            case "gzip", "x-gzip": coding = .gzip
            case "deflate": coding = .deflate
            default: throw .unknownCoding(name)
            }
        }
        return coding
    }
}

package enum ContentCodingError: Error, Hashable, Sendable {
    /// In lower case; otherwise as the server sent it.
    case unknownCoding(String)
    case severalCodings
}

extension ContentCodingError: CustomStringConvertible {
    /// One short line, whatever the content of the fields.
    package var description: String {
        switch self {
        case .unknownCoding(let name):
            "content coding unknown: \(Self.excerpt(name)), expected gzip or deflate"
        case .severalCodings: "content has several codings, expected at most one"
        }
    }

    private static func excerpt(_ name: String) -> String {
        let lengthMax = 40
        let visible = name.unicodeScalars.prefix(lengthMax).map { scalar in
            (0x21...0x7E).contains(scalar.value) ? String(scalar) : "?"
        }
        return visible.joined() + (name.unicodeScalars.count > lengthMax ? "…" : "")
    }
}

extension Substring {
    /// The text without surrounding spaces and tabs (OWS of RFC 9110 §5.6.3).
    fileprivate var trimmingWhitespace: Substring {
        let isWhitespace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let start = utf8.firstIndex(where: { !isWhitespace($0) }),
            let last = utf8.lastIndex(where: { !isWhitespace($0) })
        else { return "" }
        return self[start...last]
    }
}
