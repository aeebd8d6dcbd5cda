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
        return ["stock", "shares", "earnings", "stocks", "options", "dividend", "price", "eps"]
            .contains(next)
    }

    /// Symbols that are words or abbreviations. Only an exchange or `$` makes them symbols.
    static let abbreviations: Set<String> = [
        "a", "ace", "adp", "agm", "ai", "aid", "ain", "air", "all", "am", "an", "and", "ar", "are",
        "as", "asap", "at",
        "auto", "ba", "back", "be", "beat", "best", "big", "bit", "bold", "book", "bro", "buy",
        "by", "ca", "can",
        "cap", "car", "cars", "cart", "case", "cash", "cat", "cdc", "ceo", "cfo", "cio", "cook",
        "cop", "cost", "cpi",
        "cure", "dare", "day", "dc", "dna", "do", "dow", "ear", "easy", "eat", "ecb", "edit", "em",
        "eps", "esg",
        "etf", "eu", "ev", "ever", "evs", "fact", "fast", "fbi", "fda", "fed", "fix", "flow", "fly",
        "for", "free",
        "fun", "fx", "gap", "gas", "gb", "gdp", "ge", "gm", "go", "gold", "good", "gps", "grow",
        "has", "he", "heal",
        "her", "hi", "home", "hope", "hot", "hr", "ice", "imf", "in", "info", "ios", "ip", "ipo",
        "irs", "is", "it",
        "jack", "job", "ka", "key", "kids", "king", "la", "land", "las", "led", "life", "live",
        "lng", "loan", "love",
        "low", "ma", "main", "man", "mark", "mass", "mba", "mid", "mind", "mini", "more", "nato",
        "net", "new", "news",
        "next", "ni", "no", "now", "nsa", "nice", "oil", "on", "one", "open", "or", "out", "pay",
        "pc", "peak", "pi",
        "pill", "play", "plus", "pm", "pmi", "post", "pr", "pro", "pump", "qe", "ratio", "real",
        "ride", "rock",
        "roll", "run", "safe", "sbs", "sec", "see", "self", "sex", "she", "shop", "sky", "so",
        "spot", "stay", "step",
        "sun", "suv", "suvs", "swim", "tax", "tech", "the", "tip", "to", "tour", "trip", "true",
        "tv", "two", "uk", "un",
        "up", "us", "usa", "usd", "very", "via", "vs", "wall", "was", "way", "we", "well", "who",
        "win", "wood", "work",
        "wto", "yen", "you", "update", "alert", "dd", "er", "app", "apps", "api", "rbi", "uae",
        "who", "nfl", "nba",
    ]
}
