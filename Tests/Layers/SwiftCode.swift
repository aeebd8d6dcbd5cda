/// The tokens of a Swift file, without its comments and texts: as much of the language as a check of braces needs.
struct SwiftCode {
    struct Token: Equatable {
        /// A word, or one character of punctuation.
        var text: Substring
        /// From 1.
        var line: Int
    }

    private(set) var tokens: [Token] = []

    private let text: Substring
    private var index: Substring.Index
    private var line = 1

    init(_ text: String) {
        self.text = Substring(text)
        index = text.startIndex
        while index < text.endIndex { scan() }
    }

    private var rest: Substring { text[index...] }

    private mutating func scan() {
        let character = text[index]
        if rest.hasPrefix("//") {
            skip { !$0.isNewline }
        } else if rest.hasPrefix("/*") {
            skipBlockComment()
        } else if character == "\"" || character == "#" {
            skipText(hashCount: rest.prefix { $0 == "#" }.count)
        } else if character == "/", startsRegex {
            skipRegex()
        } else if character.isWordCharacter {
            let start = index
            skip(while: \.isWordCharacter)
            tokens.append(Token(text: text[start..<index], line: line))
        } else {
            let start = index
            advance()
            let token = text[start..<index]
            if !character.isWhitespace { tokens.append(Token(text: token, line: line)) }
        }
    }

    private mutating func advance() {
        if text[index].isNewline { line += 1 }
        text.formIndex(after: &index)
    }

    private mutating func skip(while condition: (Character) -> Bool) {
        while index < text.endIndex, condition(text[index]) { advance() }
    }

    private mutating func skip(_ count: Int) {
        for _ in 0..<count where index < text.endIndex { advance() }
    }

    /// Block comments nest.
    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") {
                depth += 1
                skip(2)
            } else if rest.hasPrefix("*/") {
                depth -= 1
                skip(2)
            } else {
                advance()
            }
        } while depth > 0 && index < text.endIndex
    }

    // MARK: Texts

    /// A text in quotes, `"…"`, `"""…"""`, `#"…"#`; or a `#` that begins none, as in `#if`.
    private mutating func skipText(hashCount: Int) {
        let hashes = String(repeating: "#", count: hashCount)
        guard rest.dropFirst(hashCount).first == "\"" else {
            tokens.append(Token(text: rest.prefix(1), line: line))
            return advance()
        }
        skip(hashCount)
        let quote = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        skip(quote.count)
        let escape = "\\" + hashes
        while index < text.endIndex, !rest.hasPrefix(quote + hashes) {
            if rest.hasPrefix(escape + "(") {
                skip(escape.count)
                skipInterpolation()
            } else {
                skip(rest.hasPrefix(escape) ? escape.count + 1 : 1)
            }
        }
        skip(quote.count + hashCount)
    }

    /// The code in `\(…)`, which may contain texts with parentheses.
    private mutating func skipInterpolation() {
        let countBefore = tokens.count
        let isClosed = { (tokens: ArraySlice<Token>) in
            tokens.count { $0.text == "(" } == tokens.count { $0.text == ")" }
        }
        repeat { scan() } while index < text.endIndex && !isClosed(tokens[countBefore...])
        tokens.removeSubrange(countBefore...)
    }

    // MARK: Regular expressions

    /// A slash between operands is a division; a regular expression begins where an operand is expected.
    private var startsRegex: Bool {
        guard let next = rest.dropFirst().first, !next.isWhitespace else { return false }
        guard let before = tokens.last else { return true }
        guard before.text.allSatisfy(\.isWordCharacter) else { return !")]}".contains(before.text) }
        return before.line < line && rest.dropFirst().prefix { !$0.isNewline }.contains("/")
    }

    private mutating func skipRegex() {
        advance()
        while index < text.endIndex, text[index] != "/", !text[index].isNewline {
            skip(text[index] == "\\" ? 2 : 1)
        }
        skip(1)
    }
}

extension Character {
    fileprivate var isWordCharacter: Bool { isLetter || isNumber || self == "_" || self == "`" }
}
