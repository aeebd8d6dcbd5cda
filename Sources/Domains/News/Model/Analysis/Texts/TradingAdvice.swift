import CTables

/// Finds advice to buy or sell.
enum TradingAdvice {
    /// The words of the first advice; nil without any.
    ///
    /// A verb of trading is advice if an order can begin with it: first in a sentence, or after
    /// words such as `should`, `to you:` or `consider`. The actions of others are not advice: `Acme
    /// to buy a rival`.
    static func find(in words: [TextWord]) -> String? {
        for (index, word) in words.enumerated() {
            let isVerb = verbs.contains(word.folded)
            guard isVerb || gerunds.contains(word.folded) else { continue }
            if isVerb, word.isFirst || isSecondOrder(words, index) || isLateOrder(words, index) {
                return word.folded
            }
            let start = words[...index].lastIndex(where: \.isFirst) ?? 0
            let before = words[max(start, index - leadReach)..<index].map(\.folded)
            if let lead = before.last(where: leads.contains) { return lead + " … " + word.folded }
        }
        return nil
    }

    /// The number of words before a verb that are read.
    private static let leadReach = 4

    /// `Wait, then sell`: an order soon after a comma, without a subject before it.
    private static func isSecondOrder(_ words: [TextWord], _ index: Int) -> Bool {
        let start = words[..<index].lastIndex(where: \.isFirst) ?? 0
        return index - start <= 3 && words[start...index].contains(where: \.isAfterComma)
    }

    /// `It earned more, buy now`: an order that ends a sentence, with its object or its time.
    private static func isLateOrder(_ words: [TextWord], _ index: Int) -> Bool {
        guard words[index].isAfterComma, index + 1 < words.count else { return false }
        return objects.contains(words[index + 1].folded)
    }

    private static let table = WordTable(
        varde_advice(),
        sections: ["verbs", "gerunds", "leads", "objects"]
    )
    private static let verbs = Set(table.words("verbs"))
    private static let gerunds = Set(table.words("gerunds"))
    private static let leads = Set(table.words("leads"))
    private static let objects = Set(table.words("objects"))
}
