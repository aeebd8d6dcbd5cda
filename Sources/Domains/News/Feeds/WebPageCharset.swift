/// The encoding that an HTML document declares for itself.
enum WebPageCharset {
    /// Where a declaration is looked for, in bytes: pages exceed the 1024 bytes of the standard.
    private static let lengthMax = 4096

    /// The label of the first `<meta charset>` or `<meta http-equiv content="…; charset=…">`
    /// outside of comments.
    static func declared(in source: [UInt8]) -> String? {
        var rest = source.prefix(lengthMax)
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: "<!--".utf8) {
                guard let end = endOfComment(rest) else { return nil }
                rest = rest[end...]
                continue
            }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            if lowercased(rest.prefix(5)) == "meta ", let label = charset(rest[..<end]) {
                return label
            }
        }
        return nil
    }

    private static func endOfComment(_ comment: ArraySlice<UInt8>) -> Int? {
        var rest = comment.dropFirst("<!--".utf8.count)
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            if rest.starts(with: "-->".utf8) { return dash + "-->".utf8.count }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The value behind `charset=` in the text of a tag.
    private static func charset(_ tag: ArraySlice<UInt8>) -> String? {
        let text = lowercased(tag)
        var rest = text[...]
        while let range = rest.firstRange(of: "charset") {
            rest = rest[range.upperBound...]
            let value = rest.drop { $0.isWhitespace }
            guard value.first == "=" else { continue }
            let label = value.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
                .prefix { !$0.isWhitespace && !"\"';/".contains($0) }
            guard !label.isEmpty else { continue }
            // The declaration was read as ASCII, so it cannot be UTF-16.
            return label.hasPrefix("utf-16") ? "utf-8" : String(label)
        }
        return nil
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
