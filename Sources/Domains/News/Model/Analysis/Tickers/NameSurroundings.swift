import CTables

/// The words around the name of a company that make it the name of a person, a place or a stadium.
struct NameSurroundings {
    private let words: [TextWord]
    /// Where most words have capital letters, they show no names.
    private let isTitleCase: Bool

    init(words: [TextWord]) {
        self.words = words
        let long = words.dropFirst().filter { $0.original.utf8.count > 3 }
        let capitalised = long.count { $0.hasUppercase }
        isTitleCase = 2 * capitalised > long.count
    }

    /// Whether the words are a name with those around them: `Wells Fargo Center`, `Nike of
    /// Samothrace`, `Nikola Tesla`, `the town of Hershey`.
    func isOtherName(_ range: Range<Int>) -> Bool {
        if let next = word(at: range.upperBound), !next.isAfterComma, !next.isFirst,
            !words[range.upperBound - 1].isPossessive
        {
            if next.hasUppercase, NameSurroundings.kinds.contains(next.folded) { return true }
            if range.count == 1, next.original == "of" || next.original == "coil" { return true }
        }
        guard !words[range.lowerBound].isFirst, let previous = word(at: range.lowerBound - 1) else {
            return false
        }
        if range.count == 1, previous.hasUppercase, !words[range.lowerBound].isAfterComma,
            NameSurroundings.givenNames.contains(previous.folded)
        {
            return true
        }
        let before = word(at: range.lowerBound - 2)?.folded ?? ""
        return previous.folded == "of" && NameSurroundings.ofPlaces.contains(before)
    }

    /// Whether a word with a capital letter next to the words may be of the same name: `Dover
    /// Castle`.
    func isPartOfName(_ range: Range<Int>) -> Bool {
        guard !isTitleCase else { return false }
        if let next = word(at: range.upperBound), !next.isAfterComma, !next.isFirst,
            !words[range.upperBound - 1].isPossessive, isOfName(next)
        {
            return true
        }
        guard !words[range.lowerBound].isFirst, !words[range.lowerBound].isAfterComma,
            let previous = word(at: range.lowerBound - 1)
        else { return false }
        // The first word of a sentence always has a capital letter.
        return !previous.isFirst && isOfName(previous)
    }

    private func isOfName(_ word: TextWord) -> Bool {
        word.hasUppercase && !word.isUppercase && !word.isPossessive
            && !FinanceContext.functionWords.contains(word.folded)
            && !FinanceContext.legalForms.contains(word.folded)
            && !FinanceContext.roles.contains(word.folded)
            && !FinanceContext.nouns.contains(word.folded)
            && !FinanceContext.verbs.contains(word.folded)
    }

    private func word(at index: Int) -> TextWord? {
        words.indices.contains(index) ? words[index] : nil
    }

    private static let table = WordTable(
        varde_name_surroundings(),
        sections: ["kinds", "of places", "given names"]
    )
    /// Things that are named after their sponsors, founders or places.
    private static let kinds = Set(table.words("kinds"))
    /// Before `of` and the name of a place.
    private static let ofPlaces = Set(table.words("of places"))
    /// Frequent given names: a name behind one is a person's.
    private static let givenNames = Set(table.words("given names"))
}
