import CTables

/// Words and phrases that name an event. Strong ones count twice.
enum EventLexicon {
    /// The number of characters of a text that are read: news begin with their subject.
    static let textLengthMax = 2_000

    /// Without a company, a text needs a strong phrase in its title, or as much of others: one
    /// word, such as `oil` or `jobs`, has many meanings.
    static let weightMinWithoutCompany = 4

    static let meanings: [(kind: RelevanceType, strength: Int)] = phrases.map {
        ($0.kind, $0.strength)
    }
    static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )

    /// Whether a name among the phrases has its capital letter: the `Fed`, not bears that are fed.
    static func isWritten(_ words: ArraySlice<TextWord>) -> Bool {
        guard words.count == 1, let word = words.first, names.contains(word.folded) else {
            return true
        }
        return word.hasUppercase
    }

    private static let kinds = RelevanceType.allCases.filter { $0 != .general }
    private static let table = WordTable(
        varde_events(),
        sections: kinds.map { "strong \($0)" } + kinds.map { "weak \($0)" }
            + ["other meanings", "names"]
    )

    private static let names = Set(table.words("names"))

    static let phrases: [(kind: RelevanceType, strength: Int, text: String)] =
        (kinds.map { ($0, 2, table.words("strong \($0)")) }
        + kinds.map { ($0, 1, table.words("weak \($0)")) }
        // Phrases in which the words above name no event of business.
        + [(.general, 0, table.words("other meanings")), (.macro, 2, EconomicQuantity.certain)])
        .flatMap { kind, strength, words in words.map { (kind, strength, $0) } }
}
