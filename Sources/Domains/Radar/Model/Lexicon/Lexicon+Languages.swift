import CTables

extension Lexicon {
    /// The table has the forms that occur; the stem of a word is its singular.
    static let english = Lexicon(
        .english,
        stem: englishStem,
        joinsWords: false,
        letters: "",
        varde_topics_english()
    )

    /// Bokmål and nynorsk.
    static let norwegian = Lexicon(
        .norwegian,
        stem: norwegianStem,
        joinsWords: true,
        letters: "æøå",
        varde_topics_norwegian()
    )

    static let swedish = Lexicon(
        .swedish,
        stem: swedishStem,
        joinsWords: true,
        letters: "äöå",
        varde_topics_swedish()
    )

    static let danish = Lexicon(
        .danish,
        stem: danishStem,
        joinsWords: true,
        letters: "æøå",
        varde_topics_danish()
    )

    static let german = Lexicon(
        .german,
        stem: germanStem,
        joinsWords: true,
        letters: "äöüß",
        varde_topics_german()
    )

    static let french = Lexicon(
        .french,
        stem: frenchStem,
        joinsWords: false,
        letters: "çéèêàùœîô",
        varde_topics_french()
    )

    static let spanish = Lexicon(
        .spanish,
        stem: spanishStem,
        joinsWords: false,
        letters: "ñ¿¡áéíóú",
        varde_topics_spanish()
    )
}

private func englishStem(_ word: String) -> String {
    word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
}
