/// The budget of one search for matching mistyped words: which of its words are matched, in which
/// order, and how many words of the catalogue are read for them.
///
/// Words that no title has come first, as nothing is found without them; then the last word, which
/// may be incomplete. With more than `unknownWordsMax` of the former, none is matched, and nothing
/// is found. The rest of the budget goes to words that titles have but that may be mistyped for
/// others.
struct SearchBudget {
    /// Words that no title has, of one search; with more of them it finds nothing.
    static let unknownWordsMax = 4
    /// The maximum number of words that are matched, including known ones.
    static let lookedAtMax = 6
    /// Words of the catalogue that are read, all together: two thirds of those in titles of 60,000 films
    /// twice over, and some 30 ms of one core.
    static let wordsReadMax = 60_000
    /// Maximum alternatives for one mistyped word, and for all of a search together: terms of the
    /// FTS5 query.
    private static let alternativesOfWordMax = 24
    private static let alternativesOfSearchMax = 72

    /// The words to match, by their places in the search.
    let order: [Int]
    private var wordsLeft: Int
    private var lookedAt = 0

    /// - Parameter isKnown: for each word, whether some title has it.
    /// - Returns: nil when there are too many that none has.
    init?(isKnown: [Bool], wordsReadMax: Int = SearchBudget.wordsReadMax) {
        let last = isKnown.count - 1
        let unknown = isKnown.indices.filter { !isKnown[$0] && $0 != last }
        guard unknown.count <= SearchBudget.unknownWordsMax else { return nil }
        let known = isKnown.indices.filter { isKnown[$0] && $0 != last }
        order = Array((unknown + [last] + known).prefix(SearchBudget.lookedAtMax))
        wordsLeft = wordsReadMax
    }

    var alternativesMax: Int {
        min(
            SearchBudget.alternativesOfWordMax,
            SearchBudget.alternativesOfSearchMax / max(1, order.count)
        )
    }

    /// Returns the number of words that may be read for the next word of `order`: its share of the
    /// rest, including the unused part of earlier shares.
    mutating func takeShare() -> Int {
        precondition(lookedAt < order.count, "a share for each word")
        lookedAt += 1
        return wordsLeft / (order.count - lookedAt + 1)
    }

    mutating func note(wordsRead: Int) { wordsLeft = max(0, wordsLeft - wordsRead) }
}

/// The letters of a word, as a set of 64 in which different letters may be one.
///
/// Each typing mistake brings at most one letter in and takes one out, so most words are found to be too far from
/// another without comparing them letter by letter.
struct LetterSet {
    private var bits: UInt64 = 0

    init(_ scalars: some Sequence<Unicode.Scalar>) {
        for scalar in scalars { bits |= 1 << UInt64(scalar.value & 63) }
    }

    /// False only for words with more mistakes between them than `distance`.
    func isWithin(_ distance: Int, of other: LetterSet) -> Bool {
        (bits & ~other.bits).nonzeroBitCount <= distance
            && (other.bits & ~bits).nonzeroBitCount <= distance
    }
}
