/// A language that the lexical interpretation supports.
package enum LexicalLanguage: String, CaseIterable, Sendable {
    case english = "en"
    /// Bokmål and nynorsk have one word list.
    case norwegian = "no"
    case swedish = "sv"
    case danish = "da"
    case german = "de"
    case french = "fr"
    case spanish = "es"

    /// Reads a code of ISO 639-1, in any case, or a tag that begins with one, such as `de-AT`
    /// (RFC 5646). Nil for other languages.
    package init?(tag: String) {
        let code = tag.lowercased().prefix { $0 != "-" }
        switch code {
        case "nb", "nn": self = .norwegian
        default: self.init(rawValue: String(code))
        }
    }

    /// The tags that `init(tag:)` reads, without regions.
    package static let tags = ["da", "de", "en", "es", "fr", "nb", "nn", "no", "sv"]
}

extension LexicalLanguage {
    /// The language that the words of a topic point to; nil if none of them points to any.
    ///
    /// Each word counts for the languages that have it, and is divided among them; a word that is a function
    /// word or a name in one of them counts twice as much as another. So do the letters that only some alphabets have. Of languages with equal
    /// evidence the first case wins: of Norwegian and Danish, which share many words, Norwegian.
    static func detected(in words: [String], of topic: String) -> LexicalLanguage? {
        var evidence: [LexicalLanguage: Double] = [:]
        func add(_ weight: Double, where share: (Lexicon) -> Double) {
            let found = Lexicon.all.map { ($0.language, share($0)) }.filter { $0.1 > 0 }
            for (language, share) in found {
                evidence[language, default: 0] += weight * share / Double(found.count)
            }
        }
        for word in words {
            // A function word of one language may be a subject in another, such as "war".
            func isPlain(_ lexicon: Lexicon) -> Bool {
                lexicon.functionWords.contains(word) || lexicon.names.contains(word)
            }
            add(Lexicon.all.contains(where: isPlain) ? 2 : 1) {
                isPlain($0) || $0.knowsWhole(word) ? 1 : $0.knows(word) ? joinedShare : 0
            }
        }
        for letter in Set(topic.lowercased()) { add(1) { $0.letters.contains(letter) ? 1 : 0 } }
        let most = evidence.values.max() ?? 0
        // Sums of thirds and sevenths: equal evidence may differ in the last bits.
        let nearlyMost = most - 1e-9
        return allCases.first { most > 0 && evidence[$0, default: 0] >= nearlyMost }
    }

    /// Of a word that only has a word of the language at one of its ends: "mondays" begins like "Mond".
    private static let joinedShare = 0.5
}
