/// A search in NewsAPI's syntax. Words, `+words` and `"phrases in quotation marks"` have to occur,
/// `-words` must not. NewsAPI's `AND`, `OR`, `NOT` and parentheses are not supported as operators.
package struct SearchTerms: Hashable, Sendable {
    package var required: [String] = []
    package var excluded: [String] = []

    /// Further terms are ignored.
    package static let countMax = 32

    package init(_ text: String) {
        var rest = text[...]
        while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
            rest = rest[start...]
            let sign = rest.first == "+" || rest.first == "-" ? rest.removeFirst() : nil
            let term: Substring
            if rest.first == "\"" {
                rest.removeFirst()
                term = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(term.count + 1)
            } else {
                // Clients that write a space as `+` leave it within words.
                term = rest.prefix { !$0.isWhitespace && $0 != "+" }
                rest = rest.dropFirst(term.count)
            }
            add(term, isExcluded: sign == "-")
        }
    }

    /// Skips a term without a letter or digit, which would match nothing.
    private mutating func add(_ term: Substring, isExcluded: Bool) {
        guard term.contains(where: { $0.isLetter || $0.isNumber }),
            required.count + excluded.count < SearchTerms.countMax
        else { return }
        if isExcluded { excluded.append(String(term)) } else { required.append(String(term)) }
    }
}
