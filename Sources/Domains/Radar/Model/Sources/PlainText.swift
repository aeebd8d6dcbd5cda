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
        var brackets = Brackets(text)
        // The end of the script or style that the text is in.
        var hidden: String?
        while let character = rest.first {
            if character == "<", let tag = Tag(rest, &brackets) {
                rest = rest[tag.end...]
                if let name = hidden {
                    if tag.isEnd, tag.name == name { hidden = nil }
                } else if !tag.isEnd, hiding.contains(tag.name),
                    brackets.hasEnd(of: tag.name, after: rest)
                {
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

    /// Where tags end. Each search goes on from the former one: a text may have a `<` at every other
    /// character and no `>`.
    private struct Brackets {
        private let bytes: [UInt8]
        /// The first `>` that is not before the last place of a question.
        private var next = 0
        /// The last end tag of each name that was asked for; -1 for none.
        private var lastEnds: [String: Int] = [:]

        init(_ text: String) { bytes = Array(text.utf8) }

        private func place(of rest: Substring) -> Int { bytes.count - rest.utf8.count }

        /// The number of bytes from the beginning of `rest` through the next `>`.
        mutating func lengthThroughClose(_ rest: Substring) -> Int? {
            let place = place(of: rest)
            next = max(next, place)
            while next < bytes.count, bytes[next] != UInt8(ascii: ">") { next += 1 }
            return next < bytes.count ? next - place + 1 : nil
        }

        mutating func hasEnd(of name: String, after rest: Substring) -> Bool {
            if lastEnds[name] == nil {
                let tag = Array("</\(name)".utf8)
                lastEnds[name] =
                    bytes.indices.last { index in
                        bytes[index] == tag[0]
                            && bytes[index...].prefix(tag.count).elementsEqual(tag) {
                                $0 | 0x20 == $1 | 0x20
                            }
                    } ?? -1
            }
            return lastEnds[name]! >= place(of: rest)
        }
    }

    private struct Tag {
        let name: String
        let isEnd: Bool
        /// After its bracket.
        let end: Substring.Index

        private static let bytesMax = 2000

        /// Nil for a `<` that begins no tag, as in "a < b".
        init?(_ text: Substring, _ brackets: inout Brackets) {
            let inner = text.dropFirst()
            isEnd = inner.first == "/"
            let start = isEnd ? inner.dropFirst() : inner
            guard let first = start.first,
                (first.isASCII && first.isLetter) || (!isEnd && (first == "!" || first == "?")),
                let length = brackets.lengthThroughClose(text), length <= Tag.bytesMax
            else { return nil }
            name = start.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.lowercased()
            end = text.utf8.index(text.startIndex, offsetBy: length)
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
