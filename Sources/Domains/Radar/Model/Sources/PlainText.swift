/// Text out of a field of some service, which may be HTML.
enum PlainText {
    /// Returns the text without markup: tags are left out, those that end a line or a block become
    /// white space, scripts and styles go with their content, and character references become
    /// characters. A text without a tag is returned as it is, except for its character references.
    ///
    /// - Complexity: O(bytes)
    static func of(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") })
        else {
            return text
        }
        var plain = ""
        var rest = Substring(text)
        // The end of the script or style that the text is in.
        var hidden: String?
        while let character = rest.first {
            if character == "<", let tag = Tag(rest) {
                rest = rest.dropFirst(tag.length)
                if let name = hidden {
                    if tag.isEnd, tag.name == name { hidden = nil }
                } else if !tag.isEnd, hiding.contains(tag.name), tag.isClosed(in: rest) {
                    hidden = tag.name
                } else if breaking.contains(tag.name), plain.last?.isWhitespace == false {
                    plain += tag.name == "br" ? "\n" : tag.isEnd ? "\n" : " "
                }
            } else if hidden != nil {
                rest.removeFirst()
            } else if character == "&", let (value, length) = reference(rest) {
                plain.append(value)
                rest = rest.dropFirst(length)
            } else {
                plain.append(character)
                rest.removeFirst()
            }
        }
        return plain
    }

    private struct Tag {
        let name: String
        let isEnd: Bool
        /// Characters, with both brackets.
        let length: Int

        private static let lengthMax = 2000

        /// Nil for a `<` that begins no tag, as in "a < b".
        init?(_ text: Substring) {
            let inner = text.dropFirst()
            isEnd = inner.first == "/"
            let start = isEnd ? inner.dropFirst() : inner
            guard let first = start.first,
                (first.isASCII && first.isLetter) || (!isEnd && (first == "!" || first == "?")),
                let close = text.prefix(Tag.lengthMax).firstIndex(of: ">")
            else { return nil }
            name = start.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.lowercased()
            length = text.distance(from: text.startIndex, to: close) + 1
        }

        func isClosed(in rest: Substring) -> Bool {
            rest.prefix(RadarLimits.contentBytesMax).lowercased().contains("</\(name)")
        }
    }

    private static let hiding: Set<String> = ["script", "style", "head", "title"]
    private static let breaking: Set<String> = [
        "p", "br", "div", "li", "ul", "ol", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6",
        "blockquote", "section", "article", "hr", "pre",
    ]

    private static let named: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–",
        "mdash": "—", "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”",
        "laquo": "«", "raquo": "»", "aring": "å", "Aring": "Å", "aelig": "æ", "AElig": "Æ",
        "oslash": "ø", "Oslash": "Ø", "auml": "ä", "Auml": "Ä", "ouml": "ö", "Ouml": "Ö",
        "uuml": "ü", "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "agrave": "à",
        "ccedil": "ç", "ntilde": "ñ", "euro": "€", "deg": "°", "copy": "©", "middot": "·",
    ]
    private static let referenceLengthMax = 12

    private static func reference(_ text: Substring) -> (value: Character, length: Int)? {
        let start = text.dropFirst().prefix(referenceLengthMax)
        guard let end = start.firstIndex(of: ";") else { return nil }
        let name = start[..<end]
        let length = name.count + 2
        if let value = named[name] { return (value, length) }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number =
            isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        guard let scalar = number.flatMap(Unicode.Scalar.init), number != 0 else { return nil }
        return (Character(scalar), length)
    }
}
