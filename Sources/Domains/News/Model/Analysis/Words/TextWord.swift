/// A word of a text, as the rules of this folder compare it.
struct TextWord: Equatable, Sendable {
    /// In lower case, without accents, full stops (`J.C.` is `jc`) and the possessive ending.
    var folded: String
    /// As `folded`, but `McDonald's` is `mcdonalds`.
    var joined: String
    /// As written.
    var original: Substring
    /// Whether a sentence, or a part of a title, begins with the word.
    var isFirst: Bool
    /// Whether there is a comma between the previous word and this one.
    var isAfterComma: Bool
    /// Whether the word is in parentheses of its own.
    var isInParentheses = false

    var isPossessive: Bool { joined != folded }
    var hasUppercase: Bool { original.unicodeScalars.contains { $0.properties.isUppercase } }
    var isUppercase: Bool {
        original.unicodeScalars.allSatisfy { $0.isASCII && (65...90).contains($0.value) }
    }

    /// As `3M`: capital letters, of which there is one at least, and digits.
    var isShortUppercase: Bool {
        original.unicodeScalars.allSatisfy {
            $0.isASCII && ((65...90).contains($0.value) || (48...57).contains($0.value))
        } && hasUppercase
    }

    /// The words of a text in their order. Numbers are also words; a lone `&` is `and`.
    static func words(of text: some StringProtocol) -> [TextWord] {
        var scanner = WordScanner(String(text))
        return scanner.words()
    }
}

/// Splits a text into words.
private struct WordScanner {
    let text: String
    let scalars: String.UnicodeScalarView
    var index: String.UnicodeScalarView.Index

    init(_ text: String) {
        self.text = text
        scalars = text.unicodeScalars
        index = scalars.startIndex
    }

    mutating func words() -> [TextWord] {
        var words: [TextWord] = []
        var isFirst = true
        var isAfterComma = false
        var isAfterParenthesis = false
        while index < scalars.endIndex {
            let scalar = scalars[index]
            if isWordScalar(scalar) {
                var word = nextWord(isFirst: isFirst, isAfterComma: isAfterComma)
                word.isInParentheses = isAfterParenthesis && peek == ")"
                words.append(word)
                (isFirst, isAfterComma, isAfterParenthesis) = (false, false, false)
                continue
            }
            switch scalar {
            case "&":
                let original = text[index..<scalars.index(after: index)]
                words.append(
                    TextWord(
                        folded: "and",
                        joined: "and",
                        original: original,
                        isFirst: false,
                        isAfterComma: false
                    )
                )
            case ".", "!", "?", ":", ";", "|", "–", "—", "\n": isFirst = true
            case ",": isAfterComma = true
            default: break
            }
            isAfterParenthesis = scalar == "("
            index = scalars.index(after: index)
        }
        return words
    }

    private var peek: Unicode.Scalar? { index < scalars.endIndex ? scalars[index] : nil }

    private func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            let value = scalar.value
            return (97...122).contains(value) || (65...90).contains(value)
                || (48...57).contains(value)
        }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    private mutating func nextWord(isFirst: Bool, isAfterComma: Bool) -> TextWord {
        let start = index
        var joined = ""
        var lengthBeforePossessive: Int?
        var runLength = 0
        while let scalar = peek {
            if isWordScalar(scalar) {
                joined.append(folded(scalar))
                runLength += 1
            } else if isJoint(scalar, after: runLength) {
                if scalar == "'" || scalar == "’" { lengthBeforePossessive = joined.utf8.count }
                if scalar == "&" { joined.append("&") }
                if scalar == ".",
                    scalars[scalars.index(before: index)].properties.numericType != nil
                {
                    joined.append(".")
                }
                if scalar != "," { runLength = 0 }
            } else {
                break
            }
            index = scalars.index(after: index)
        }
        let original = text[start..<index]
        var folded = joined
        if let length = lengthBeforePossessive, joined.utf8.count == length + 1,
            joined.utf8.last == UInt8(ascii: "s")
        {
            folded = String(joined.dropLast())
        }
        skipFullStopOfInitials(of: original)
        return TextWord(
            folded: folded,
            joined: joined,
            original: original,
            isFirst: isFirst,
            isAfterComma: isAfterComma
        )
    }

    /// The last full stop of `J.C.` or `U.S.` ends no sentence.
    private mutating func skipFullStopOfInitials(of word: Substring) {
        let letters = word.unicodeScalars
        let isInitial = letters.count == 1 && letters.first?.properties.isUppercase == true
        if peek == ".", isInitial || letters.dropFirst().first == "." {
            index = scalars.index(after: index)
        }
    }

    /// Whether a character between two letters or digits belongs to their word: `AT&T`, `O'Neil`,
    /// `U.S`, `1,200.5`.
    private func isJoint(_ scalar: Unicode.Scalar, after runLength: Int) -> Bool {
        let next = scalars.index(after: index)
        guard index > scalars.startIndex, next < scalars.endIndex, isWordScalar(scalars[next])
        else {
            return false
        }
        let isBetweenDigits =
            scalars[scalars.index(before: index)].properties.numericType != nil
            && scalars[next].properties.numericType != nil
        switch scalar {
        case "&", "'", "’": return true
        case ",": return isBetweenDigits
        case ".": return isBetweenDigits || runLength == 1 && isLoneLetter(at: next)
        default: return false
        }
    }

    private func isLoneLetter(at position: String.UnicodeScalarView.Index) -> Bool {
        let after = scalars.index(after: position)
        return scalars[position].properties.isAlphabetic
            && (after == scalars.endIndex || !isWordScalar(scalars[after]))
    }

    private func folded(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII {
            return String(
                Character(
                    (65...90).contains(scalar.value) ? Unicode.Scalar(scalar.value + 32)! : scalar
                )
            )
        }
        let lower = scalar.properties.lowercaseMapping
        return Accents.removed(from: lower)
    }
}

/// Latin letters with accents, as they are written without.
private enum Accents {
    static func removed(from letter: String) -> String { plain[letter] ?? letter }

    private static let plain: [String: String] = {
        let groups = [
            "a": "àáâãäåāăą", "c": "çćč", "d": "ďđ", "e": "èéêëēĕėęě", "g": "ğģ", "i": "ìíîïīįı",
            "l": "łļľ", "n": "ñńņň", "o": "òóôõöøōő", "r": "řŕ", "s": "śşšș", "t": "ţťț",
            "u": "ùúûüūůűų", "y": "ýÿ", "z": "źżž", "ae": "æ", "oe": "œ", "ss": "ß",
        ]
        var plain: [String: String] = [:]
        for (letter, accented) in groups {
            for character in accented { plain[String(character)] = letter }
        }
        return plain
    }()
}
