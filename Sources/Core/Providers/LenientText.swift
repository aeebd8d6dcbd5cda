/// Forms of JSON and texts that models and services send besides the documented ones.

/// Returns a JSON text in which each bare `NaN`, `Infinity` and `-Infinity` is null.
///
/// - Complexity: O(bytes); the text is copied only if it has one.
func withoutNonFiniteNumbers(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let words = ["NaN", "Infinity", "-Infinity", "+Infinity"].map { Array($0.utf8) }
    var result: [UInt8] = []
    var (copied, index) = (text.startIndex, text.startIndex)
    var isInString = false
    while index < text.endIndex {
        switch text[index] {
        case UInt8(ascii: "\""):
            isInString.toggle()
        case UInt8(ascii: "\\") where isInString:
            index += 1
        case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-"), UInt8(ascii: "+"):
            guard !isInString, let word = words.first(where: { text[index...].starts(with: $0) })
            else { break }
            result += text[copied..<index]
            result += Array("null".utf8)
            index += word.count
            copied = index
            continue
        default: break
        }
        index += 1
    }
    return copied == text.startIndex ? text : (result + text[copied...])[...]
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        let head = drop(while: \.isWhitespace)
        guard let end = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...end])
    }

    /// The text within a code fence of Markdown, if it is one; without a byte order mark.
    var unfenced: String {
        var text = trimmed
        if text.unicodeScalars.first == "\u{FEFF}" {
            text = String(text.unicodeScalars.dropFirst())
        }
        let fence = "```"
        guard text.hasPrefix(fence), text.count > fence.count, text.hasSuffix(fence),
            let start = text.firstIndex(where: { $0 == "{" || $0 == "[" })
        else { return text }
        let end = text.index(text.endIndex, offsetBy: -fence.count)
        return start < end ? String(text[start..<end]) : text
    }

    /// The word without white space and upper case.
    package var plainWord: String { trimmed.lowercased() }
}
