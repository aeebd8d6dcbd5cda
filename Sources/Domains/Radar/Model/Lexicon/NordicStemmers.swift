// The stems of Norwegian, Swedish and Danish words, after the Snowball algorithms of these languages.

/// https://snowballstem.org/algorithms/norwegian/stemmer.html, with the endings of nynorsk in
/// addition to those of bokmål.
func norwegianStem(_ text: String) -> String {
    var word = StemmedWord(text, vowels: nordicVowels, r1Min: nordicR1Min)
    let region = word.r1
    if let suffix = word.longest(NorwegianEnds.first, from: region) {
        word.removeLast(suffix.count)
    } else if let suffix = word.longest(["erte", "ert"], from: region) {
        word.replace(suffix, with: "er")
    } else if word.hasSuffix("s", from: region) {
        let before = word.letter(before: 1) ?? " "
        let isAfterConsonant = before == "k" && !word.isVowel(at: word.count - 3)
        if "bcdfghjlmnoprtvyz".contains(before) || isAfterConsonant { word.removeLast(1) }
    }
    if word.longest(["dt", "vt"], from: region) != nil { word.removeLast(1) }
    word.remove(NorwegianEnds.last, from: region)
    return word.text
}

/// https://snowballstem.org/algorithms/swedish/stemmer.html, with the definite ends
/// `an`, `et` and their genitives.
func swedishStem(_ text: String) -> String {
    var word = StemmedWord(text, vowels: swedishVowels, r1Min: nordicR1Min)
    let region = word.r1
    if !word.remove(SwedishEnds.first, from: region), word.hasSuffix("s", from: region) {
        let before = word.letter(before: 1) ?? " "
        if "bcdfghjklmnoprtvy".contains(before) { word.removeLast(1) }
    }
    if word.longest(SwedishEnds.doubled, from: region) != nil { word.removeLast(1) }
    if word.longest(["löst", "fullt"], from: region) != nil {
        word.removeLast(1)
    } else {
        word.remove(["lig", "els", "ig"], from: region)
    }
    return word.text
}

/// https://snowballstem.org/algorithms/danish/stemmer.html
func danishStem(_ text: String) -> String {
    var word = StemmedWord(text, vowels: nordicVowels, r1Min: nordicR1Min)
    let region = word.r1
    if !word.remove(DanishEnds.first, from: region), word.hasSuffix("s", from: region) {
        let before = word.letter(before: 1) ?? " "
        if "abcdfghjklmnoprtvyzå".contains(before) { word.removeLast(1) }
    }
    removeDanishPair(&word, region)
    if word.hasSuffix("igst") { word.removeLast(2) }
    if word.hasSuffix("løst", from: region) {
        word.removeLast(1)
    } else if word.remove(["elig", "lig", "els", "ig"], from: region) {
        removeDanishPair(&word, region)
    }
    if word.count > region, let last = word.letters.last, word.letter(before: 1) == last,
        !nordicVowels.contains(last)
    {
        word.removeLast(1)
    }
    return word.text
}

private func removeDanishPair(_ word: inout StemmedWord, _ region: Int) {
    if word.longest(["gd", "dt", "gt", "kt"], from: region) != nil { word.removeLast(1) }
}

private let nordicVowels: Set<Character> = Set("aeiouyæåø")
private let swedishVowels: Set<Character> = Set("aeiouyäåö")
private let nordicR1Min = 3

private enum NorwegianEnds {
    /// Nynorsk: `ane`, `ene`, `ar`, `or`, `a`, `heit`, `leik`, `ande`, `inga`.
    static let first = suffixList(
        """
        a e ede ande ende ane ene hetene en heten ar er heter as es edes endes enes hetenes ens
        hetens ers ets et het ast heit heita heitene or
        """
    )
    static let last = suffixList("leg eleg ig eig lig elig els lov elov slov hetslov")
}

private enum SwedishEnds {
    static let first = suffixList(
        """
        a arna erna heterna orna ad e ade ande arne are aste en anden aren heten ern ar er heter or
        as arnas ernas ornas es ades andes ens arens hetens erns at andet het ast an ans et ets
        """
    )
    static let doubled = ["dd", "gd", "nn", "dt", "gt", "kt", "tt"]
}

private enum DanishEnds {
    static let first = suffixList(
        """
        hed ethed ered e erede ende erende ene erne ere en heden eren er heder erer heds es endes
        erendes enes ernes eres ens hedens erens ers ets erets et eret
        """
    )
}
