/// The companies that texts are searched for, with their symbols and names.
package struct CompanyTable: Sendable {
    struct Name: Sendable {
        var ticker: Ticker
        /// Whether the name is also a word: only context makes it the company's.
        var needsContext: Bool
        /// Whether it may also be the name of a person or a place: any word about business in the
        /// text makes it the company's.
        var needsBusiness: Bool
        /// In lower case, as its context is looked up.
        var text: String
    }

    private(set) var symbols: Set<Ticker> = []
    private(set) var names: [Name] = []
    private(set) var automaton: WordAutomaton

    /// Companies listed in the United States, the largest by the list of the Securities and
    /// Exchange Commission.
    package static let builtIn = CompanyTable(CompanyAliases.rows, rows1 + rows2 + rows3)

    /// Of entries `SYMBOL=name=name;`, with `~` before names that need context. The first entry
    /// with a name has it. Entries without a valid symbol are left out.
    ///
    /// - Parameter others: less known companies. Their names of one word may also be those of people or
    ///   places, so they need a word about business.
    package init(_ rows: String, _ others: String = "") {
        var phrases: [(words: [String], value: Int)] = []
        let entries = [(rows, true), (others, false)].flatMap { rows, isKnown in
            rows.split { $0 == ";" || $0 == "\n" }.map { ($0, isKnown) }
        }
        for (entry, isKnown) in entries {
            let fields = entry.split(separator: "=")
            guard let ticker = fields.first.flatMap({ Ticker($0) }) else { continue }
            symbols.insert(ticker)
            for field in fields.dropFirst() {
                let needsContext = field.hasPrefix("~")
                let words = TextWord.words(of: needsContext ? field.dropFirst() : field)
                let text = words.map(\.folded).joined(separator: " ")
                names.append(
                    Name(
                        ticker: ticker,
                        needsContext: needsContext,
                        needsBusiness: !isKnown && words.count == 1,
                        text: text
                    )
                )
                // Texts have `Dick's` and `Dicks`.
                for phrase in Set([words.map(\.folded), words.map(\.joined)]) {
                    phrases.append((phrase, names.count - 1))
                }
            }
        }
        automaton = WordAutomaton(phrases)
    }
}
