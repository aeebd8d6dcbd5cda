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
        rows(varde_company_aliases()),
        rows(varde_company_namesakes()) + rows(varde_companies())
    )

    private static func rows(_ table: varde_table) -> [[String]] {
        WordTable(table, sections: ["companies"]).rows("companies")
    }

    /// - Parameters:
    ///   - rows: a symbol and names each, with `~` before names that need context, and `^` before those that
    ///     only need a word about business. The first row with a name has it. Rows without a valid symbol are
    ///     left out.
    ///   - others: less known companies. Their names of one word may also be those of people or
    ///     places, so they need a word about business. Others also have the names with `^`.
    init(_ rows: [[String]], _ others: [[String]] = []) {
        var phrases: [(words: [String], value: Int)] = []
        for (fields, isKnown) in rows.map({ ($0, true) }) + others.map({ ($0, false) }) {
            guard let ticker = fields.first.flatMap({ Ticker($0) }) else { continue }
            symbols.insert(ticker)
            for field in fields.dropFirst() {
                let needsContext = field.hasPrefix("~")
                let needsBusiness = field.hasPrefix("^")
                let name = needsContext || needsBusiness ? field.dropFirst() : field[...]
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
