// SearchParts: the parts of texts that a full-text search looks for in scripts without spaces.

/// The scripts that put no space between words: Thai, Lao, Myanmar and Khmer; Hiragana and Katakana;
/// ideographs.
///
/// An index has each of their characters as a word of its own, and a search for a word of them is one
/// for its characters, one after the other. So `神隠し` is found in `千と千尋の神隠し`.
package enum UnspacedScripts {
    private static let ranges: [ClosedRange<UInt32>] = [
        0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF,
        0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
        0x20000...0x3FFFF,
    ]

    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x0E00 && ranges.contains { $0.contains(scalar.value) }
    }

    /// The characters as PostgreSQL's regular expressions list them in brackets.
    package static let characterClass = ranges.map { range in
        "\(escape(range.lowerBound))-\(escape(range.upperBound))"
    }.joined()

    private static func escape(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The parts of a word: each character of these scripts, and what is between them.
    package static func parts(ofWord word: some StringProtocol) -> [String] {
        var parts: [String] = []
        var isJoined = false
        for scalar in word.unicodeScalars {
            let isAlone = contains(scalar)
            if isJoined, !isAlone {
                parts[parts.count - 1].unicodeScalars.append(scalar)
            } else {
                parts.append(String(scalar))
            }
            isJoined = !isAlone
        }
        return parts
    }

    /// A text with a space at both sides of each character of these scripts; nil if it has none of
    /// them. It has at most twice as many characters as the text.
    package static func spaced(_ text: String) -> String? {
        // The first of them begins with this byte in UTF-8.
        guard text.utf8.contains(where: { $0 >= 0xE0 }),
            text.unicodeScalars.contains(where: contains)
        else { return nil }
        var spaced = String.UnicodeScalarView()
        var last: (isAlone: Bool, isSpace: Bool) = (false, true)
        for scalar in text.unicodeScalars {
            let isAlone = contains(scalar)
            let isSpace = scalar.properties.isWhitespace
            if isAlone || last.isAlone, !isSpace, !last.isSpace { spaced.append(" ") }
            spaced.append(scalar)
            last = (isAlone, isSpace)
        }
        return String(spaced)
    }
}
