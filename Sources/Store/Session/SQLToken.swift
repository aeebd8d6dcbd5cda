/// A piece of an SQL text.
struct SQLToken: Equatable {
    enum Kind: Equatable {
        /// A keyword, or a name without quotation marks.
        case word
        case number
        /// `'…'`
        case text
        /// `x'…'`
        case blob
        /// `"…"`
        case quotedName
        /// `?` or `?1`
        case parameter
        /// White space or a comment.
        case space
        /// One character of anything else.
        case symbol
    }

    var kind: Kind
    var text: Substring

    /// Whether it is this keyword, in any case.
    func isWord(_ word: String) -> Bool { kind == .word && text.lowercased() == word }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }
}

extension SQLToken {
    /// The pieces of a text; together they are the text.
    static func tokens(of sql: String) -> [SQLToken] {
        var rest = sql[...]
        var tokens: [SQLToken] = []
        while let first = rest.first {
            let (kind, end) = next(first, rest)
            tokens.append(SQLToken(kind: kind, text: rest[..<end]))
            rest = rest[end...]
        }
        return tokens
    }

    private static func next(_ first: Character, _ rest: Substring) -> (Kind, String.Index) {
        let second = rest.dropFirst().first
        switch first {
        case "'": return (.text, endOfQuoted(rest, "'"))
        case "\"": return (.quotedName, endOfQuoted(rest, "\""))
        case "x", "X":
            guard second == "'" else { return (.word, rest.endOf { $0.isOfWord }) }
            return (.blob, endOfQuoted(rest.dropFirst(), "'"))
        case "?": return (.parameter, rest.dropFirst().endOf { $0.isWholeNumber })
        case "-" where second == "-": return (.space, rest.endOf { !$0.isNewline })
        case "/" where second == "*": return (.space, endOfComment(rest))
        case _ where first.isWhitespace: return (.space, rest.endOf { $0.isWhitespace })
        case _ where first.isWholeNumber:
            return (.number, rest.endOf { $0.isOfWord || $0 == "." })
        case _ where first.isOfWord: return (.word, rest.endOf { $0.isOfWord })
        default: return (.symbol, rest.index(after: rest.startIndex))
        }
    }

    /// The quotation mark itself is written twice within the quotation marks.
    private static func endOfQuoted(_ rest: Substring, _ mark: Character) -> String.Index {
        var index = rest.index(after: rest.startIndex)
        while index < rest.endIndex {
            let after = rest.index(after: index)
            guard rest[index] == mark else {
                index = after
                continue
            }
            guard after < rest.endIndex, rest[after] == mark else { return after }
            index = rest.index(after: after)
        }
        return rest.endIndex
    }

    private static func endOfComment(_ rest: Substring) -> String.Index {
        rest.dropFirst(2).firstRange(of: "*/")?.upperBound ?? rest.endIndex
    }
}

extension Character {
    fileprivate var isOfWord: Bool { isLetter || isWholeNumber || self == "_" }
}

extension Substring {
    fileprivate func endOf(_ isPart: (Character) -> Bool) -> String.Index {
        firstIndex { !isPart($0) } ?? endIndex
    }
}
