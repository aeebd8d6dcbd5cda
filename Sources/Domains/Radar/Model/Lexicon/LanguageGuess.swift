/// The language that the words of a topic point to.
///
/// Each word counts for the languages that have it, and is divided among them; a word that is a
/// function word or a name in one of them counts twice as much as another. So do the letters that
/// only some alphabets have. Languages without a word list take part with their most frequent words:
/// a topic in one of them has no language here, rather than the language that shares a word with it.
struct LanguageGuess {
    /// Nil if the words point to no language, to several equally, or to one without a word list. Of
    /// Norwegian and Danish, which share many words, Norwegian.
    let language: LexicalLanguage?
    /// The first of the languages with word lists that have the most words of the topic. Its lists
    /// may have the subject. Nil if none has any.
    let likely: LexicalLanguage?

    init(words: [String], of topic: String) {
        var evidence: [Candidate: Double] = [:]
        func add(_ weight: Double, where share: (Candidate) -> Double) {
            let found = Candidate.all.map { ($0, share($0)) }.filter { $0.1 > 0 }
            let sum = max(1, found.reduce(0) { $0 + $1.1 })
            for (candidate, share) in found {
                evidence[candidate, default: 0] += weight * share / sum
            }
        }
        let hasPronoun = LanguageGuess.hasEnglishPronoun(topic)
        for word in words {
            // A function word of one language may be a subject in another, such as "war".
            func isPlain(_ candidate: Candidate) -> Bool {
                candidate.isPlain(word)
                    && (candidate != .listed(.english) || word != "i" || hasPronoun)
            }
            add(Candidate.all.contains(where: isPlain) ? 2 : 1) {
                isPlain($0) ? 1 : $0.share(of: word)
            }
        }
        for letter in Set(topic.lowercased()) {
            add(1) { $0.letters.contains(letter) ? 1 : 0 }
        }
        let most = evidence.values.max() ?? 0
        let best = Candidate.all.filter {
            most > 0 && evidence[$0, default: 0] >= most - LanguageGuess.tolerance
        }
        let listed = LexicalLanguage.allCases.map { ($0, evidence[.listed($0), default: 0]) }
        let mostListed = listed.map(\.1).max() ?? 0
        likely = listed.first { mostListed > 0 && $0.1 >= mostListed - LanguageGuess.tolerance }?.0
        language = LanguageGuess.one(of: best, words)
    }

    /// Sums of thirds and sevenths: equal evidence may differ in the last bits.
    private static let tolerance = 1e-9

    /// The one of equally likely languages that has most of the words as they are written, or as
    /// subjects. Of Nordic ones Norwegian, if it is among them.
    private static func one(of best: [Candidate], _ words: [String]) -> LexicalLanguage? {
        var best = best
        for count in [{ $0.writtenCount(of: words) }, { $0.subjectCount(of: words) }]
            as [(Candidate) -> Int]
        {
            let most = best.map(count).max() ?? 0
            best = best.filter { count($0) == most }
        }
        let languages = best.compactMap(\.language)
        let areNordic = languages.allSatisfy { [.norwegian, .danish, .swedish].contains($0) }
        let isOne = best.count == 1 || areNordic && languages.first == .norwegian
        return best.count == languages.count && isOne ? languages.first : nil
    }

    /// Whether the topic has the English word "I", which is always a capital; small, it is Nordic.
    private static func hasEnglishPronoun(_ topic: String) -> Bool {
        topic.split { !($0.isLetter || $0.isNumber) }.contains("I")
    }
}

/// A language that a topic may be in.
private enum Candidate: Hashable {
    case listed(LexicalLanguage)
    /// By its place in `UnlistedLanguage.all`.
    case unlisted(Int)

    static let all =
        LexicalLanguage.allCases.map(Candidate.listed)
        + UnlistedLanguage.all.indices.map(Candidate.unlisted)

    var language: LexicalLanguage? {
        if case .listed(let language) = self { language } else { nil }
    }

    /// Whether a word is a function word, or a name that only indicates the language.
    func isPlain(_ word: String) -> Bool {
        switch self {
        case .listed(let language):
            let lexicon = Lexicon.of(language)
            return lexicon.functionWords.contains(word) || lexicon.names.contains(word)
        case .unlisted(let index): return UnlistedLanguage.all[index].words.contains(word)
        }
    }

    /// The share of another word that the lists of subjects and moods have.
    func share(of word: String) -> Double {
        guard case .listed(let language) = self else { return 0 }
        let lexicon = Lexicon.of(language)
        return lexicon.knowsWhole(word) ? 1 : lexicon.knows(word) ? Candidate.joinedShare : 0
    }

    /// The words that a list has as they are written.
    func writtenCount(of words: [String]) -> Int {
        words.count { word in language.map { Lexicon.of($0).lists(word) } ?? isPlain(word) }
    }

    /// The words that are a subject, or a mood.
    func subjectCount(of words: [String]) -> Int {
        words.count { word in language.map { Lexicon.of($0).knowsWhole(word) } ?? false }
    }

    var letters: Set<Character> {
        switch self {
        case .listed(let language): Lexicon.of(language).letters
        case .unlisted(let index): UnlistedLanguage.all[index].letters
        }
    }

    /// Of a word that only has a word of the language at one of its ends: "mondays" begins like
    /// "Mond".
    private static let joinedShare = 0.5
}
