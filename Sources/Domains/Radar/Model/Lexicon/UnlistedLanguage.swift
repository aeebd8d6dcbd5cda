import CTables

/// A language without word lists of subjects. Its topics must not be taken for those of another
/// language.
struct UnlistedLanguage: Sendable {
    /// Its most frequent words.
    let words: Set<String>
    let letters: Set<Character>

    /// Each section of the table is a language.
    static let all: [UnlistedLanguage] = {
        let table = WordTable(varde_topics_other_languages())
        return table.sections.map { language in
            UnlistedLanguage(
                words: Set(table.words(language)),
                letters: Set(letters[language] ?? "")
            )
        }
    }()

    /// Letters that the alphabets of other languages here do not have, or not all of them.
    static let letters = [
        "italian": "àèìòù", "portuguese": "ãõçâàêô", "polish": "ąćęłńóśźż", "icelandic": "ðþý",
    ]
}
