import CTables

/// The companies that texts are searched for, with their symbols and names.
package struct CompanyTable: Sendable {
    struct Name: Sendable {
        var ticker: Ticker
        /// Whether the name is also a word: only context makes it the company's.
        var needsContext: Bool
        /// Whether it may also be the name of a person, a place or a thing: any word about business
        /// in the text makes it the company's.
        var needsBusiness: Bool
        /// Whether others have the whole name: what people and things also do, such as `wins`, does
        /// not make it the company's.
        var isNamesake: Bool
        /// Whether it is less known than others that it may be a part of.
        var isLittleKnown: Bool
        /// In lower case, as its context is looked up.
        var text: String
    }

    private(set) var symbols: Set<Ticker> = []
    private(set) var names: [Name] = []
    private(set) var automaton: WordAutomaton

    /// Companies listed in the United States, the largest by the list of the Securities and
    /// Exchange Commission.
    package static let builtIn = CompanyTable(
        text(of: varde_company_aliases()),
        text(of: varde_company_namesakes()) + text(of: varde_companies())
    )

    private static func text(of table: varde_table) -> String {
        String(cString: table.text)
    }

    /// Of entries `SYMBOL=name=name`, in lines or with `;` between them, with `~` before names that need context, and `^` before those
    /// that only need a word about business. The first entry with a name has it. Entries without a
    /// valid symbol are left out, and so are comments, which begin with `#`.
    ///
    /// - Parameter others: less known companies. Their names of one word may also be those of people or
    ///   places, so they need a word about business. Others also have the names with `^`.
    package init(_ rows: String, _ others: String = "") {
        var phrases: [(words: [String], value: Int)] = []
        let entries = [(rows, true), (others, false)].flatMap { rows, isKnown in
            rows.split(separator: "\n").filter { !$0.hasPrefix("#") }
                .flatMap { $0.split(separator: ";") }.map { ($0, isKnown) }
        }
        for (entry, isKnown) in entries {
            let fields = entry.split(separator: "=")
            guard let ticker = fields.first.flatMap({ Ticker($0) }) else { continue }
            symbols.insert(ticker)
            for field in fields.dropFirst() {
                let needsContext = field.hasPrefix("~")
                let needsBusiness = field.hasPrefix("^")
                let name = needsContext || needsBusiness ? field.dropFirst() : field
                let words = TextWord.words(of: name)
                let text = words.map(\.folded).joined(separator: " ")
                names.append(
                    Name(
                        ticker: ticker,
                        needsContext: needsContext,
                        needsBusiness: needsBusiness || !isKnown && words.count == 1,
                        isNamesake: !isKnown && needsBusiness,
                        isLittleKnown: !isKnown && (needsBusiness || words.count == 1),
                        text: text
                    )
                )
                // `Wendy's` is also `Wendys`, but not `Wendy`.
                phrases.append((words.map(\.joined), names.count - 1))
            }
        }
        automaton = WordAutomaton(phrases)
    }
}
