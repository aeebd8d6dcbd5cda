/// The terms of an article: its words, without those that are unrelated to its topic and without the
/// symbols of companies, which repeat a name, and are rarer than the words for what happened.
enum StoryTerms {
    /// The number of occurrences of each term in title and summary; words of the summary count
    /// less.
    static func counts(
        of article: StoryInput,
        rules: StoryRules,
        limits: StoryLimits
    ) -> TermVector {
        var counts: [(term: UInt64, count: Double)] = []
        func add(_ text: String, countMax: Int, weight: Double) {
            let text = MarkedSymbols(text).text
            for word in WordSplitter.words(of: text, countMax: countMax) where isTerm(word) {
                counts.append((word.hash, weight))
            }
        }
        add(article.title, countMax: limits.titleWordsMax, weight: 1)
        add(article.summary, countMax: limits.summaryWordsMax, weight: rules.summaryWeight)
        counts.sort { $0.term < $1.term }
        var terms: [UInt64] = []
        var weights: [Double] = []
        for (term, count) in counts {
            if term == terms.last {
                weights[weights.count - 1] += count
            } else {
                terms.append(term)
                weights.append(count)
            }
        }
        return TermVector(terms: terms, weights: weights)
    }

    /// Single letters and digits are initials and parts of scores.
    private static func isTerm(_ word: NewsWord) -> Bool {
        word.length > 1 && !WordLists.stop.contains(word.hash)
    }
}
