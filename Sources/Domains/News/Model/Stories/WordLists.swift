import CTables

/// Words that mean the same in every text.
enum WordLists {
    private static let table = WordTable(
        varde_common_words(),
        sections: ["stop", "numbers", "abbreviations", "further abbreviations"]
    )

    /// Words without a topic. They are left out of the vectors of stories.
    static let stop = hashes("stop")
    /// Number words. Digits count as numbers without a list.
    static let numbers = hashes("numbers")
    /// Words whose full stop ends no sentence.
    static let abbreviations = Set(table.words("abbreviations"))
    /// Those of a text that a user has pasted.
    static let abbreviationsOfPastedTexts = abbreviations.union(
        table.words("further abbreviations")
    )

    private static func hashes(_ section: String) -> Set<UInt64> {
        Set(table.words(section).map { NewsWord.hash($0.utf8) })
    }
}
