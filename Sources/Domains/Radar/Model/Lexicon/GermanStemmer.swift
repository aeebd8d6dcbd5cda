/// The stem of a German word: https://snowballstem.org/algorithms/german/stemmer.html
func germanStem(_ text: String) -> String {
    var word = StemmedWord(
        text.replacing("ß", with: "ss"),
        vowels: Set("aeiouyäöü"),
        r1Min: 3
    )
    let (r1, r2) = (word.r1, word.r2)
    removeGermanPlural(&word, r1)
    removeGermanComparison(&word, r1)
    removeGermanDerivation(&word, r1, r2)
    word.replaceLetters(["ä": "a", "ö": "o", "ü": "u"])
    return word.text
}

private func removeGermanPlural(_ word: inout StemmedWord, _ r1: Int) {
    if word.remove(["ern", "em", "er"], from: r1) { return }
    if word.remove(["en", "es", "e"], from: r1) {
        if word.hasSuffix("niss") { word.removeLast(1) }
        return
    }
    if word.hasSuffix("s", from: r1), "bdfghklmnrt".contains(word.letter(before: 1) ?? " ") {
        word.removeLast(1)
    }
}

private func removeGermanComparison(_ word: inout StemmedWord, _ r1: Int) {
    if word.remove(["est", "en", "er"], from: r1) { return }
    // At least three letters before the one that is allowed before it.
    if word.hasSuffix("st", from: r1), word.count >= 6,
        "bdfghklmnt".contains(word.letter(before: 2) ?? " ")
    {
        word.removeLast(2)
    }
}

private func removeGermanDerivation(_ word: inout StemmedWord, _ r1: Int, _ r2: Int) {
    switch word.longest(["isch", "lich", "heit", "keit", "end", "ung", "ig", "ik"], from: r2) {
    case "end", "ung":
        word.removeLast(3)
        if word.hasSuffix("ig", from: r2), word.letter(before: 2) != "e" { word.removeLast(2) }
    case let suffix? where ["ig", "ik", "isch"].contains(suffix):
        if word.letter(before: suffix.count) != "e" { word.removeLast(suffix.count) }
    case "lich", "heit":
        word.removeLast(4)
        word.remove(["er", "en"], from: r1)
    case "keit":
        word.removeLast(4)
        word.remove(["lich", "ig"], from: r2)
    default: break
    }
}
