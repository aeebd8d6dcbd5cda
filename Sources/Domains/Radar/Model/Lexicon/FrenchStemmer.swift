/// The stem of a French word, after https://snowballstem.org/algorithms/french/stemmer.html: its ends of
/// nouns, adjectives and adverbs, and the commoner ones of verbs.
func frenchStem(_ text: String) -> String {
    var word = StemmedWord(text, vowels: frenchVowels)
    let regions = FrenchRegions(word)
    let isChanged = removeNounSuffix(&word, regions)
    if !isChanged { removeFrenchVerbSuffix(&word, regions) }
    removeFrenchResidue(&word, regions)
    word.replaceLetters(["é": "e", "è": "e", "ê": "e", "ë": "e", "î": "i", "ï": "i", "ç": "c"])
    return word.text
}

private let frenchVowels: Set<Character> = Set("aeiouyâàëéêèïîôûùœ")

private struct FrenchRegions {
    let r1: Int
    let r2: Int
    let rv: Int

    /// RV of a word that begins with two vowels is behind its third letter; of others behind the first
    /// vowel that is not its first letter.
    init(_ word: StemmedWord) {
        (r1, r2) = (word.r1, word.r2)
        let count = word.count
        if word.isVowel(at: 0), word.isVowel(at: 1) {
            rv = min(3, count)
        } else if ["par", "col", "tap"].contains(String(word.letters.prefix(3))) {
            rv = 3
        } else {
            rv = min(count, ((1..<max(1, count)).first { word.isVowel(at: $0) } ?? count) + 1)
        }
    }
}

private enum FrenchEnds {
    static let plain = suffixList(
        """
        ance isme able iste eux ances ismes ables istes ique iques euse euses
        """
    )
    static let afterIC = suffixList("atrice ateur ation atrices ateurs ations")
    static let derived = suffixList("ité ités if ive ifs ives")
    static let all =
        (plain + afterIC + derived
        + suffixList(
            """
            logie logies usion ution usions utions ence ences ement ements amment emment ment ments
            eaux aux
            """
        )).sorted { $0.count > $1.count }
    static let verbs = suffixList(
        """
        er ez é ée ées és era eras erai erait eront ons iez ant ants ante antes ait ais aient a ai
        as iront ir ira irait issant issants issent is it ie ies i
        """
    )
}

/// Whether the word is another one, and no verb.
private func removeNounSuffix(_ word: inout StemmedWord, _ regions: FrenchRegions) -> Bool {
    guard let suffix = word.longest(FrenchEnds.all, from: 0) else { return false }
    let r2 = regions.r2
    switch suffix {
    case "eaux":
        word.replace(suffix, with: "eau")
        return true
    case "aux":
        guard word.hasSuffix(suffix, from: regions.r1) else { return false }
        word.replace(suffix, with: "al")
        return true
    case "ment", "ments", "amment", "emment":
        guard word.hasSuffix(suffix, from: regions.rv) else { return false }
        word.removeLast(suffix.count)
        return false
    case "ement", "ements":
        guard word.hasSuffix(suffix, from: regions.rv) else { return false }
        word.removeLast(suffix.count)
        return true
    default: break
    }
    guard word.hasSuffix(suffix, from: r2) else { return false }
    switch suffix {
    case "logie", "logies": word.replace(suffix, with: "log")
    case "usion", "ution", "usions", "utions": word.replace(suffix, with: "u")
    case "ence", "ences": word.replace(suffix, with: "ent")
    default:
        word.removeLast(suffix.count)
        if FrenchEnds.afterIC.contains(suffix) { word.remove(["ic"], from: r2) }
        if FrenchEnds.derived.contains(suffix) {
            word.remove(["abil", "at", "ic", "iv"], from: r2)
        }
    }
    return true
}

private func removeFrenchVerbSuffix(_ word: inout StemmedWord, _ regions: FrenchRegions) {
    if word.remove(["ions", "ion"], from: regions.r2) { return }
    word.remove(FrenchEnds.verbs, from: regions.rv)
}

private func removeFrenchResidue(_ word: inout StemmedWord, _ regions: FrenchRegions) {
    if word.hasSuffix("s", from: regions.rv), !"aiouès".contains(word.letter(before: 1) ?? "s") {
        word.removeLast(1)
    }
    if word.hasSuffix("x", from: regions.r1) { word.removeLast(1) }
    if word.hasSuffix("ion", from: regions.r2) { word.removeLast(3) }
    if !word.remove(["ière", "ier"], from: regions.rv) { word.remove(["e"], from: regions.rv) }
    if ["enn", "onn", "ett", "ell", "eill"].contains(where: { word.hasSuffix($0) }) {
        word.removeLast(1)
    }
}
