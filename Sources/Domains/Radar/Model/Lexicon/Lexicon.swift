import CTables

/// The words of one language that indicate the subject of a topic, by their stems.
struct Lexicon: Sendable {
    let language: LexicalLanguage
    /// Letters that the alphabets of other languages here do not have, or not all of them.
    let letters: Set<Character>
    /// Words without information on the subject of a topic, as written.
    let functionWords: Set<String>
    /// Of countries, peoples and cities: they only indicate the language.
    let names: Set<String>
    /// As they are written, in the order in which categories win a tie.
    let wordLists: [(category: String, words: [String])]
    private let stem: @Sendable (String) -> String
    /// Whether words are joined to one: `arbeidstid`, `Vermögensteuer`.
    private let joinsWords: Bool
    /// The positive and the negative words as they are written.
    private let moodWords: Set<String>
    private let subjectWords: Set<String>
    private let positive: Set<String>
    private let negative: Set<String>
    private let categories: [(category: String, stems: Set<String>)]

    /// In the order in which they win a tie.
    private static let categoryNames = [
        "work", "health", "environment", "education", "technology", "economy", "politics",
        "science", "sport", "culture", "society",
    ]

    init(
        _ language: LexicalLanguage,
        stem: @escaping @Sendable (String) -> String,
        joinsWords: Bool,
        letters: String,
        _ words: varde_table
    ) {
        let table = WordTable(
            words,
            sections: ["function words", "names", "positive", "negative"] + Lexicon.categoryNames
        )
        func stems(_ words: [String]) -> Set<String> { Set(words.map(stem)) }
        self.language = language
        self.stem = stem
        self.joinsWords = joinsWords
        self.letters = Set(letters)
        functionWords = Set(table.words("function words"))
        names = Set(table.words("names"))
        wordLists = Lexicon.categoryNames.map { ($0, table.words($0)) }
        subjectWords = Set(wordLists.flatMap(\.words))
        moodWords = Set(table.words("positive") + table.words("negative"))
        positive = stems(table.words("positive"))
        negative = stems(table.words("negative"))
        categories = wordLists.map { ($0.category, stems($0.words)) }
    }

    static let all: [Lexicon] = [
        .english, .norwegian, .swedish, .danish, .german, .french, .spanish,
    ]

    static func of(_ language: LexicalLanguage) -> Lexicon {
        switch language {
        case .english: .english
        case .norwegian: .norwegian
        case .swedish: .swedish
        case .danish: .danish
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        }
    }

    // MARK: Questions

    /// The category with the most of the words; nil if none of them is in a list.
    func category(of words: [String]) -> String? {
        let stems = words.filter { !functionWords.contains($0) }.map(stems)
        let counts = categories.map { list in
            stems.count { !list.stems.isDisjoint(with: $0) }
        }
        let most = counts.max() ?? 0
        guard most > 0, let first = counts.firstIndex(of: most) else { return nil }
        return categories[first].category
    }

    func sentiment(of words: [String]) -> Interpretation.Sentiment {
        // Of function words only those that are in a list: `against`.
        let stems = words.filter { !functionWords.contains($0) || moodWords.contains($0) }
            .map(stems)
        let hasPositive = stems.contains { !positive.isDisjoint(with: $0) }
        let hasNegative = stems.contains { !negative.isDisjoint(with: $0) }
        switch (hasPositive, hasNegative) {
        case (true, true): return .mixed
        case (true, false): return .positive
        case (false, true): return .negative
        case (false, false): return .neutral
        }
    }

    /// Whether a list has the word, or one that it is joined of.
    func knows(_ word: String) -> Bool { isKnown(stems(of: word)) }

    /// Whether a list has the word itself.
    func knowsWhole(_ word: String) -> Bool { isKnown([stem(word)]) }

    /// Whether a list has the word as it is written.
    func lists(_ word: String) -> Bool {
        functionWords.contains(word) || names.contains(word) || moodWords.contains(word)
            || subjectWords.contains(word)
    }

    private func isKnown(_ stems: Set<String>) -> Bool {
        !positive.isDisjoint(with: stems) || !negative.isDisjoint(with: stems)
            || categories.contains { !$0.stems.isDisjoint(with: stems) }
    }

    // MARK: Stems

    /// Shorter words begin or end others by chance.
    private static let joinedLengthMin = 4
    /// Letters of the other part of a joined word.
    private static let restLengthMin = 3

    /// Of the word, and of the parts that it may be joined of.
    ///
    /// - Complexity: O(letters) stems.
    private func stems(of word: String) -> Set<String> {
        let parts = word.split(separator: "-").map(String.init)
        let whole = parts.count > 1 ? [word] + parts : [word]
        var stems = Set(whole.map(stem))
        guard joinsWords else { return stems }
        for part in parts {
            let lengthMax = part.count - Lexicon.restLengthMin
            guard lengthMax >= Lexicon.joinedLengthMin else { continue }
            for length in Lexicon.joinedLengthMin...lengthMax {
                let head = String(part.prefix(length))
                // The end of a first part may be a joint, or of the stem.
                stems.formUnion([head, stem(head)])
                stems.insert(stem(String(part.suffix(length))))
            }
        }
        return stems
    }
}
