/// The stem of a Spanish word, after https://snowballstem.org/algorithms/spanish/stemmer.html without the
/// attached pronouns, which topics hardly have.
func spanishStem(_ text: String) -> String {
    var word = StemmedWord(text, vowels: spanishVowels)
    let regions = SpanishRegions(word)
    if !removeStandardSuffix(&word, regions) { removeVerbSuffix(&word, regions) }
    removeResidue(&word, regions)
    word.replaceLetters(["á": "a", "é": "e", "í": "i", "ó": "o", "ú": "u"])
    return word.text
}

private let spanishVowels: Set<Character> = Set("aeiouáéíóúü")

private struct SpanishRegions {
    let r1: Int
    let r2: Int
    let rv: Int

    init(_ word: StemmedWord) {
        (r1, r2) = (word.r1, word.r2)
        let letters = word.letters
        guard letters.count > 2 else {
            rv = letters.count
            return
        }
        let isVowel = letters.map { spanishVowels.contains($0) }
        switch (isVowel[0], isVowel[1]) {
        // Behind the next vowel, or the next consonant.
        case (_, false): rv = (isVowel[2...].firstIndex(of: true) ?? letters.count - 1) + 1
        case (true, true): rv = (isVowel[2...].firstIndex(of: false) ?? letters.count - 1) + 1
        case (false, true): rv = 3
        }
    }
}

private enum SpanishEnds {
    static let plain = suffixList(
        """
        anza anzas ico ica icos icas ismo ismos able ables ible ibles ista istas oso osa osos osas
        amiento amientos imiento imientos
        """
    )
    static let afterIC = suffixList(
        "adora ador ación adoras adores aciones ante antes ancia ancias"
    )
    static let afterAT = suffixList("iva ivo ivas ivos")
    static let all =
        (plain + afterIC + afterAT
        + suffixList(
            "logía logías ución uciones encia encias amente mente idad idades"
        )).sorted { $0.count > $1.count }
    static let verbsEU = suffixList("en es éis emos")
    static let verbs = suffixList(
        """
        arían arías arán arás aríais aría aréis aríamos aremos ará aré erían erías erán erás eríais
        ería eréis eríamos eremos erá eré irían irías irán irás iríais iría iréis iríamos iremos irá
        iré aba ada ida ía ara iera ad ed id ase iese aste iste an aban ían aran ieran asen iesen
        aron ieron ado ido ando iendo ió ar er ir as abas adas idas ías aras ieras ases ieses ís áis
        abais íais arais ierais aseis ieseis asteis isteis ados idos amos ábamos íamos imos áramos
        iéramos iésemos ásemos
        """
    )
}

/// Whether there was one.
private func removeStandardSuffix(_ word: inout StemmedWord, _ regions: SpanishRegions) -> Bool {
    let r2 = regions.r2
    guard let suffix = word.longest(SpanishEnds.all, from: 0) else { return false }
    guard word.hasSuffix(suffix, from: suffix == "amente" ? regions.r1 : r2) else { return false }
    switch suffix {
    case "logía", "logías": word.replace(suffix, with: "log")
    case "ución", "uciones": word.replace(suffix, with: "u")
    case "encia", "encias": word.replace(suffix, with: "ente")
    case "amente":
        word.removeLast(suffix.count)
        if word.remove(["iv"], from: r2) {
            word.remove(["at"], from: r2)
        } else {
            word.remove(["os", "ic", "ad"], from: r2)
        }
    case "mente":
        word.removeLast(suffix.count)
        word.remove(["ante", "able", "ible"], from: r2)
    case "idad", "idades":
        word.removeLast(suffix.count)
        word.remove(["abil", "ic", "iv"], from: r2)
    default:
        word.removeLast(suffix.count)
        if SpanishEnds.afterIC.contains(suffix) { word.remove(["ic"], from: r2) }
        if SpanishEnds.afterAT.contains(suffix) { word.remove(["at"], from: r2) }
    }
    return true
}

private func removeVerbSuffix(_ word: inout StemmedWord, _ regions: SpanishRegions) {
    let rv = regions.rv
    let one = word.longest(SpanishEnds.verbsEU, from: rv)
    let other = word.longest(SpanishEnds.verbs, from: rv)
    // The longer of the two, if the word has both.
    if let one, one.count > (other?.count ?? 0) {
        word.removeLast(one.count)
        if word.hasSuffix("gu") { word.removeLast(1) }
    } else if let other {
        word.removeLast(other.count)
    }
}

private func removeResidue(_ word: inout StemmedWord, _ regions: SpanishRegions) {
    if word.remove(["os", "a", "o", "á", "í", "ó"], from: regions.rv) { return }
    guard word.remove(["e", "é"], from: regions.rv) else { return }
    if word.hasSuffix("gu"), word.count - 1 >= regions.rv { word.removeLast(1) }
}
