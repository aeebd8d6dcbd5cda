/// Title and summary of an article as duplicates are compared.
struct ArticleText: Equatable, Sendable {
    static let wordsMax = 200

    /// The title's words in its order.
    private(set) var title: [UInt64] = []
    /// The words of title and summary, ascending; a word that occurs twice is in it twice.
    private(set) var words: [UInt64] = []
    /// Three words in a row, as a set in ascending order.
    private(set) var shingles: [UInt64] = []
    private(set) var hasSummary = false
    /// Numbers, ascending.
    private(set) var numbers: [UInt64] = []
    /// Words with a capital letter where other words have none.
    private(set) var names: [UInt64] = []
    /// Words with a capital letter where any word has one: at the beginning of a sentence, and in
    /// titles of which most words have one.
    private(set) var possibleNames: [UInt64] = []
    /// Words without a capital letter.
    private(set) var ordinaryWords: [UInt64] = []

    init(title: String, summary: String) {
        let titleWords = WordSplitter.words(of: title, countMax: ArticleText.wordsMax)
        let text = ArticleText.withoutDateline(summary)
        let summaryWords = WordSplitter.words(of: text, countMax: ArticleText.wordsMax)
        let all = titleWords + summaryWords
        self.title = titleWords.map(\.hash)
        words = all.map(\.hash).sorted()
        shingles = ArticleText.shingles(of: all.map(\.hash))
        hasSummary = !summaryWords.isEmpty
        numbers = all.filter(\.isNumber).map(\.hash).ascending
        let isTitleCase = ArticleText.isTitleCase(titleWords)
        let capitalised = titleWords.map { ($0, isTitleCase) } + summaryWords.map { ($0, false) }
        for (word, isAmbiguous) in capitalised where !word.isNumber {
            if !word.isCapitalised {
                ordinaryWords.append(word.hash)
            } else if isAmbiguous || word.startsSentence {
                possibleNames.append(word.hash)
            } else {
                names.append(word.hash)
            }
        }
        names = names.ascending
        possibleNames = possibleNames.ascending
        ordinaryWords = ordinaryWords.ascending
    }

    /// Whether more than half of the longer words behind the first one begin with a capital.
    private static func isTitleCase(_ words: [NewsWord]) -> Bool {
        let longer = words.dropFirst().filter { $0.length > 3 && !$0.isNumber }
        return 2 * longer.count(where: \.isCapitalised) > longer.count
    }

    /// One shingle if there are fewer than three words, none if there are no words.
    private static func shingles(of words: [UInt64]) -> [UInt64] {
        guard words.count > 2 else {
            return words.isEmpty ? [] : [words.reduce(1) { NewsWord.mixed($0 &+ $1) }]
        }
        let rows = zip(words, zip(words.dropFirst(), words.dropFirst(2)))
        return rows.map { first, others in
            NewsWord.mixed(NewsWord.mixed(NewsWord.mixed(first) &+ others.0) &+ others.1)
        }.ascending
    }

    /// A summary without `LONDON (Agency) -` in front, which names the copier and not a fact.
    private static func withoutDateline(_ summary: String) -> Substring {
        let dashes: Set<Character> = ["-", "\u{2013}", "\u{2014}"]
        let lengthMax = 80
        let beginning = summary.prefix(lengthMax)
        guard let bracket = beginning.firstIndex(of: ")") else { return summary[...] }
        let rest = beginning[beginning.index(after: bracket)...].drop { $0 == " " }
        guard let dash = rest.first, dashes.contains(dash) else { return summary[...] }
        return summary[rest.startIndex...].drop { $0 == " " || dashes.contains($0) }
    }
}

// MARK: Comparing

extension ArticleText {
    /// Returns the similarity of two texts, 0...1.
    ///
    /// The greater one of two Jaccard similarities: of the shingles, and of the words as bags. One
    /// changed word changes three shingles, so shingles cannot recognise a text of which every
    /// tenth word was edited: at best .54 of them are the same.
    func similarity(to other: ArticleText) -> Double {
        max(shingles.jaccard(other.shingles), words.jaccard(other.words))
    }

    /// The Jaccard similarity of the titles' words as sets.
    func titleSimilarity(to other: ArticleText) -> Double {
        title.ascending.jaccard(other.title.ascending)
    }

    /// The Jaccard similarity of the summaries' words, of two texts with the same words in the title.
    func summarySimilarity(to other: ArticleText) -> Double {
        let shared = words.sharedCount(other.words) - title.count
        let all = words.count + other.words.count - 2 * title.count - shared
        return all > 0 ? Double(shared) / Double(all) : 0
    }

    /// Whether each text has a number that the other one has not, or each has a name that is not
    /// in the other one: the same report about something else.
    func contradicts(_ other: ArticleText, ordinaryWords: Set<UInt64>) -> Bool {
        if !numbers.isSubset(of: other.numbers), !other.numbers.isSubset(of: numbers) {
            return true
        }
        return hasName(notIn: other, ordinaryWords) && other.hasName(notIn: self, ordinaryWords)
    }

    private func hasName(notIn other: ArticleText, _ ordinaryWords: Set<UInt64>) -> Bool {
        let isMissing = { (word: UInt64) in
            !other.words.containsAscending(word) && !WordLists.stop.contains(word)
        }
        if names.contains(where: isMissing) { return true }
        return possibleNames.contains {
            isMissing($0) && !ordinaryWords.contains($0)
                && !self.ordinaryWords.containsAscending($0)
        }
    }
}

extension [UInt64] {
    /// The elements as a set in ascending order.
    var ascending: [UInt64] { Set(self).sorted() }

    /// The Jaccard similarity of two ascending lists; an element that is in both lists n times is
    /// in their intersection n times. 0 if both are empty.
    func jaccard(_ other: [UInt64]) -> Double {
        let shared = sharedCount(other)
        let all = count + other.count - shared
        return all > 0 ? Double(shared) / Double(all) : 0
    }

    fileprivate func isSubset(of other: [UInt64]) -> Bool { sharedCount(other) == count }

    fileprivate func sharedCount(_ other: [UInt64]) -> Int {
        var (own, others, shared) = (0, 0, 0)
        while own < count, others < other.count {
            if self[own] == other[others] { shared += 1 }
            let (isLow, isHigh) = (self[own] <= other[others], self[own] >= other[others])
            if isLow { own += 1 }
            if isHigh { others += 1 }
        }
        return shared
    }

    fileprivate func containsAscending(_ element: UInt64) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == element
    }
}
