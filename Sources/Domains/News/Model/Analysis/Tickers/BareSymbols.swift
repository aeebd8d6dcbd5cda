import CTables

/// Symbols without an exchange: in parentheses of their own, in a list, or next to words about
/// business.
struct BareSymbols {
    private(set) var symbols: [Ticker] = []

    init(words: [TextWord], table: CompanyTable) {
        // Where everything is in capital letters, they mark nothing.
        let isShouted =
            words.count > 2 && !words.contains { !$0.isUppercase && $0.original.count > 3 }
        let known = words.map { word -> Ticker? in
            guard word.isUppercase, word.original.utf8.count <= Ticker.lengthMax,
                !BareSymbols.abbreviations.contains(word.folded)
            else { return nil }
            return Ticker(word.original).flatMap { table.symbols.contains($0) ? $0 : nil }
        }
        let listed = BareSymbols.listed(words, known)
        for (index, ticker) in known.enumerated() {
            guard let ticker else { continue }
            let isLong = ticker.text.utf8.count >= 3
            let isBeside =
                isLong && !isShouted && BareSymbols.isBesideBusiness(index, words)
            // `AEO: American Eagle …`
            let isLabel = isLong && index == 0 && words.count > 1 && words[1].isFirst && !isShouted
            if words[index].isInParentheses && ticker.text.utf8.count >= 2 || listed.contains(index)
                || isBeside || isLabel
            {
                symbols.append(ticker)
            }
        }
    }

    /// Three or more words in capital letters with commas between them, of which two are long
    /// symbols.
    private static func listed(_ words: [TextWord], _ known: [Ticker?]) -> Set<Int> {
        var listed: Set<Int> = []
        var start = 0
        while start < words.count {
            var end = start + 1
            while end < words.count, words[start].isUppercase, words[end].isUppercase,
                words[end].isAfterComma
            {
                end += 1
            }
            let certain = (start..<end).filter { known[$0].map { $0.text.utf8.count >= 3 } == true }
            if end - start >= 3, certain.count >= 2 { listed.formUnion(start..<end) }
            start = end
        }
        return listed
    }

    private static func isBesideBusiness(_ index: Int, _ words: [TextWord]) -> Bool {
        let next =
            index + 1 < words.count && !words[index + 1].isFirst ? words[index + 1].folded : ""
        return wordsAfter.contains(next)
    }

    private static let wordsAfter = Set(SymbolWords.table.words("words after"))
    /// Symbols that are words or abbreviations. Only an exchange or `$` makes them symbols.
    static let abbreviations = Set(SymbolWords.table.words("abbreviations"))
}

/// Words around symbols, and words that look like them.
enum SymbolWords {
    static let table = WordTable(
        varde_symbols(),
        sections: ["exchanges", "currencies", "words after", "abbreviations"]
    )
}
