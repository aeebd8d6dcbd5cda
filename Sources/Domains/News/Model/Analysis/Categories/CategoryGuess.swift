/// The category of an article whose feed has none: by words, else that of its source.
///
/// The words are seeds of our own. Nothing is learned from data that may not be shipped.
package struct CategoryGuess: Equatable, Sendable {
    package let category: NewsCategory
    /// No words decided.
    package let isDefault: Bool

    /// The weight by which the first category has to be ahead of the second to overrule the source.
    /// A word of the title has 2.
    package static let marginMin = 2

    /// - Parameters:
    ///   - categories: As the feed has them: `Sport`, `Markets`.
    ///   - fallback: Of the source.
    package init(
        title: String,
        text: String = "",
        categories: [String] = [],
        default fallback: NewsCategory = .general
    ) {
        for name in categories {
            if let category = CategorySeeds.named(name) {
                self.init(category: category, isDefault: false)
                return
            }
        }
        var weights: [NewsCategory: Int] = [:]
        let parts = [(title[...], 2), (text.prefix(EventLexicon.textLengthMax), 1)]
        for (part, weight) in parts {
            let words = TextWord.words(of: part)
            var seen: Set<Int> = []
            for match in CategorySeeds.automaton.matches(in: words.map(\.folded))
            where seen.insert(match.value).inserted {
                weights[CategorySeeds.phrases[match.value].category, default: 0] += weight
            }
        }
        let ordered = NewsCategory.allCases.sorted { (weights[$0] ?? 0) > (weights[$1] ?? 0) }
        let first = weights[ordered[0]] ?? 0
        let second = weights[ordered[1]] ?? 0
        // Without a category of the source, any lead is better than none.
        let isClear = first - second >= (fallback == .general ? 1 : CategoryGuess.marginMin)
        self.init(category: isClear ? ordered[0] : fallback, isDefault: !isClear)
    }

    private init(category: NewsCategory, isDefault: Bool) {
        self.category = category
        self.isDefault = isDefault
    }
}
