/// Quantities of an economy, and whether it is good when they grow.
enum EconomicQuantity {
    /// By the quantity that a title names and its direction. A title with several quantities of
    /// other meanings, or with both directions, decides nothing.
    static func opportunity(title: String) -> Opportunity {
        let words = TextWord.words(of: title).map(\.folded)
        let named = automaton.matches(in: words)
        let goods = Set(named.map { phrases[$0.value].isGood })
        let directions = Set(words.compactMap(direction))
        guard let isGood = goods.first, goods.count == 1, let isUp = directions.first,
            directions.count == 1
        else { return Opportunity(kind: .none, note: "") }
        let first = named.first.map { words[$0.range].joined(separator: " ") } ?? ""
        let moved = words.first { direction($0) != nil } ?? ""
        return isGood == isUp
            ? Opportunity(kind: .positive, note: "Positive words: \(first) \(moved)")
            : Opportunity(kind: .negative, note: "Negative words: \(first) \(moved)")
    }

    /// Whether a word means growth; nil for other words.
    private static func direction(_ word: String) -> Bool? {
        up.contains(word) ? true : down.contains(word) ? false : nil
    }

    private static let up: Set<String> = [
        "accelerate", "accelerates", "climb", "climbs", "climbed", "gain", "gains", "gained",
        "grow",
        "grows", "grew", "grown", "higher", "increase", "increases", "increased", "jump", "jumps",
        "jumped", "rise", "rises", "rose", "rising", "soar", "soars", "soared", "surge", "surges",
        "surged", "rebound", "rebounds", "expands", "up",
    ]
    private static let down: Set<String> = [
        "decline", "declines", "declined", "drop", "drops", "dropped", "ease", "eases", "eased",
        "easing", "fall", "falls", "fell", "falling", "lower", "plunge", "plunges", "plunged",
        "shrink", "shrinks", "shrank", "slide", "slides", "slip", "slips", "slow", "slows",
        "slowed",
        "slump", "slumps", "slumped", "tumble", "tumbles", "contracts", "down",
    ]

    private static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )
    private static let phrases: [(isGood: Bool, text: String)] =
        good.split(separator: ",").map { (true, String($0)) }
        + bad.split(separator: ",").map { (false, String($0)) }

    private static let good = """
        gdp,economy,economic growth,economic output,industrial output,industrial production,exports,\
        payrolls,job openings,hiring,employment,wages,retail sales,consumer spending,\
        consumer confidence,business confidence,trade surplus,housing starts,factory orders,\
        investment
        """
    private static let bad = """
        unemployment,unemployment rate,jobless rate,jobless claims,inflation,consumer prices,\
        producer prices,deflation,trade deficit,budget deficit,national debt,public debt,deficit,\
        bankruptcies,insolvencies,interest rates,mortgage rates,borrowing costs,layoffs,poverty
        """
}
