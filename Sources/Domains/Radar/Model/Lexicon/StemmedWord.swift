/// A word on its way to its stem: its letters, and the regions that the Snowball algorithms name.
///
/// Stems only have to be equal for forms of one word and different for others: they are compared with
/// those of word lists and never shown. https://snowballstem.org/algorithms/
struct StemmedWord {
    private(set) var letters: [Character]
    /// Where R1 begins: behind the first non-vowel that follows a vowel.
    private(set) var r1: Int
    /// Where R2 begins: the same, looked for within R1.
    private(set) var r2: Int
    let vowels: Set<Character>

    /// - Parameters:
    ///   - word: in lower case.
    ///   - r1Min: the fewest letters before R1.
    init(_ word: String, vowels: Set<Character>, r1Min: Int = 0) {
        letters = Array(word)
        self.vowels = vowels
        let first = StemmedWord.region(in: letters, from: 0, vowels)
        r2 = StemmedWord.region(in: letters, from: first, vowels)
        r1 = max(first, min(r1Min, letters.count))
    }

    private static func region(
        in letters: [Character],
        from start: Int,
        _ vowels: Set<Character>
    ) -> Int {
        var index = start + 1
        while index < letters.count {
            if !vowels.contains(letters[index]), vowels.contains(letters[index - 1]) {
                return index + 1
            }
            index += 1
        }
        return letters.count
    }

    var text: String { String(letters) }
    var count: Int { letters.count }

    func isVowel(at index: Int) -> Bool {
        letters.indices.contains(index) && vowels.contains(letters[index])
    }

    // MARK: Suffixes

    func hasSuffix(_ suffix: String) -> Bool {
        let end = Array(suffix)
        return letters.count >= end.count && letters.suffix(end.count).elementsEqual(end)
    }

    /// Whether the word ends so, and all of the end is in the region that begins at `start`.
    func hasSuffix(_ suffix: String, from start: Int) -> Bool {
        hasSuffix(suffix) && letters.count - suffix.count >= start
    }

    /// The longest suffix of a list that lies in the region.
    ///
    /// - Parameter suffixes: the longest ones first, as `suffixList` makes it.
    func longest(_ suffixes: [String], from start: Int) -> String? {
        suffixes.first { hasSuffix($0, from: start) }
    }

    /// The letter before an end of this length.
    func letter(before length: Int) -> Character? {
        let index = letters.count - length - 1
        return index >= 0 ? letters[index] : nil
    }

    mutating func removeLast(_ count: Int) { letters.removeLast(min(count, letters.count)) }

    mutating func replace(_ suffix: String, with end: String) {
        removeLast(suffix.count)
        letters += Array(end)
    }

    mutating func replaceLetters(_ pairs: [Character: Character]) {
        letters = letters.map { pairs[$0] ?? $0 }
    }

    /// Removes the longest suffix of a list that lies in the region.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    mutating func remove(_ suffixes: [String], from start: Int) -> Bool {
        guard let suffix = longest(suffixes, from: start) else { return false }
        removeLast(suffix.count)
        return true
    }
}

/// The suffixes in a text with spaces between them, the longest first.
func suffixList(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init).sorted { $0.count > $1.count }
}
