import CTables

/// Words and phrases that belong to a category.
enum CategorySeeds {
    /// The category that a feed's own name of one means.
    static func named(_ name: String) -> NewsCategory? {
        let word = name.lowercased()
        return NewsCategory(rawValue: word) ?? names[word]
    }

    /// Those that words decide about.
    private static let seeded = NewsCategory.allCases.filter { $0 != .general }
    private static let table = WordTable(
        varde_categories(),
        sections: seeded.map(\.rawValue) + NewsCategory.allCases.map { "names of \($0)" }
    )

    private static let names = Dictionary(
        uniqueKeysWithValues: NewsCategory.allCases.flatMap { category in
            table.words("names of \(category)").map { ($0, category) }
        }
    )

    static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )

    static let phrases: [(category: NewsCategory, text: String)] = seeded.flatMap { category in
        table.words(category.rawValue).map { (category, $0) }
    }
}
