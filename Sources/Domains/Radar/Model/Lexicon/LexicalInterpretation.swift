/// Interprets a topic only from its words, without a model: the word lists of a few languages, and
/// `other` and `neutral` for unknown words. The source is `lexical`.
///
/// - Parameter language: of the topic; nil to detect it.
package func lexicalInterpretation(
    of topic: String,
    in language: LexicalLanguage? = nil
) -> Interpretation {
    let words = words(of: topic)
    let guess = language == nil ? LanguageGuess(words: words, of: topic) : nil
    let lexicon = Lexicon.of(language ?? guess?.likely ?? .english)
    return Interpretation(
        text: OutsideText.kept(topic, bytesMax: RadarLimits.contentBytesMax) ?? topic,
        category: lexicon.category(of: words) ?? "other",
        tags: tags(of: words, lexicon),
        sentiment: lexicon.sentiment(of: words),
        source: Interpretation.lexicalSource,
        language: language ?? guess?.language
    )
}

/// Lower case, in their order: letters, digits, and hyphens and apostrophes between them.
private func words(of topic: String) -> [String] {
    topic.lowercased()
        .split { !($0.isLetter || $0.isNumber || "-'’".contains($0)) }
        .compactMap {
            let word = withoutElision(trimmedPunctuation($0))
            return OutsideText.keptName(word, lengthMax: Interpretation.tagLengthMax)
        }
}

private func trimmedPunctuation(_ word: Substring) -> String {
    var word = word
    while let last = word.last, !(last.isLetter || last.isNumber) { word.removeLast() }
    return String(word.drop { !($0.isLetter || $0.isNumber) })
}

/// Without the article or pronoun that French shortens before a vowel: `école` of `l'école`.
private func withoutElision(_ word: String) -> String {
    guard let mark = word.firstIndex(where: { "'’".contains($0) }),
        elidedWords.contains(String(word[..<mark]))
    else { return word }
    return String(word[mark...].dropFirst())
}

private let elidedWords: Set<String> = ["c", "d", "j", "l", "m", "n", "qu", "s", "t"]

/// The first words that mean something, each once.
private func tags(of words: [String], _ lexicon: Lexicon) -> [String] {
    let lengthMin = 3
    var tags: [String] = []
    for word in words where word.count >= lengthMin && !lexicon.functionWords.contains(word) {
        if !tags.contains(word) { tags.append(word) }
    }
    return Array(tags.prefix(Interpretation.tagsMax))
}
