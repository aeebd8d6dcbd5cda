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
    /// Each word counts for the languages that have it, a function word or a name twice as much as another, and is
    /// divided among them. So do the letters that only some alphabets have. Of languages with equal
    /// evidence the first case wins: of Norwegian and Danish, which share many words, Norwegian.
    static func detected(in words: [String], of topic: String) -> LexicalLanguage? {
        var evidence: [LexicalLanguage: Double] = [:]
        func add(_ weight: Double, where isOf: (Lexicon) -> Bool) {
            let found = Lexicon.all.filter(isOf)
            for lexicon in found {
                evidence[lexicon.language, default: 0] += weight / Double(found.count)
            }
        }
        for word in words {
            add(2) { $0.functionWords.contains(word) || $0.names.contains(word) }
            add(1) { !$0.functionWords.contains(word) && $0.knows(word) }
        }
        for letter in Set(topic.lowercased()) { add(1) { $0.letters.contains(letter) } }
        let most = evidence.values.max() ?? 0
        // Sums of thirds and sevenths: equal evidence may differ in the last bits.
        let nearlyMost = most - 1e-9
        return allCases.first { most > 0 && evidence[$0, default: 0] >= nearlyMost }
    }
}
