/// Finds the companies that a text names, by symbols and by names.
///
/// Names have to be capitalised. A name that is also a word needs context: words about business
/// next to it, a word that belongs to the company anywhere, or another company next to it.
package struct TickerExtractor: Sendable {
    /// Of one article.
    package static let tickersMax = 10
    /// Characters of a text that are searched.
    package static let textLengthMax = 20_000

    private let table: CompanyTable

    package init(table: CompanyTable = .builtIn) {
        self.table = table
    }

    /// The companies of an article, the most certain first, at most `tickersMax`.
    package func tickers(title: String, text: String = "") -> [Ticker] {
        mentions(title: title, text: text).prefix(TickerExtractor.tickersMax).map(\.ticker)
    }

    /// The companies of a text that a reader has pasted. In a short one, symbols in capital letters
    /// count without more, and the reader's own holdings in a text of any length.
    package func tickers(title: String, text: String, holdings: Set<Ticker>) -> [Ticker] {
        let found = tickers(title: title, text: text)
        let words = TextWord.words(of: text.prefix(TickerExtractor.textLengthMax))
        let isShort = words.count <= TickerExtractor.shortTextWordsMax
        let isShouted = !words.contains { $0.original.contains(where: \.isLowercase) }
        let bare = words.compactMap { word -> Ticker? in
            guard word.isUppercase, let ticker = Ticker(word.original) else { return nil }
            if holdings.contains(ticker) { return ticker }
            let isSymbol =
                isShort && (!isShouted || words.count == 1) && ticker.text.utf8.count >= 2
                && table.symbols.contains(ticker)
                && !BareSymbols.abbreviations.contains(word.folded)
            return isSymbol ? ticker : nil
        }
        var seen: Set<Ticker> = []
        return Array(
            (found + bare).filter { seen.insert($0).inserted }.prefix(TickerExtractor.tickersMax)
        )
    }

    /// A question or a headline.
    private static let shortTextWordsMax = 30

    /// All mentions: those of the title first, then by evidence, count and position.
    package func mentions(title: String, text: String = "") -> [TickerMention] {
        var mentions: [TickerMention] = []
        var places: [Ticker: Int] = [:]
        let parts = [(title, true), (String(text.prefix(TickerExtractor.textLengthMax)), false)]
        for (part, isTitle) in parts where !part.isEmpty {
            for (ticker, evidence) in found(in: part) {
                if let place = places[ticker] {
                    mentions[place].count += 1
                    mentions[place].evidence = max(mentions[place].evidence, evidence)
                } else {
                    places[ticker] = mentions.count
                    mentions.append(
                        TickerMention(
                            ticker: ticker,
                            evidence: evidence,
                            isInTitle: isTitle,
                            count: 1
                        )
                    )
                }
            }
        }
        let order = mentions.indices.sorted {
            key(of: mentions[$0], at: $0) < key(of: mentions[$1], at: $1)
        }
        return order.map { mentions[$0] }
    }

    private func key(of mention: TickerMention, at place: Int) -> (Int, Int, Int, Int) {
        (mention.isInTitle ? 0 : 1, -mention.evidence.rawValue, -mention.count, place)
    }

    private func found(in text: String) -> [(Ticker, TickerMention.Evidence)] {
        var found: [(Ticker, TickerMention.Evidence)] = []
        for ticker in SymbolPatterns.symbols(in: text) { found.append((ticker, .explicitSymbol)) }
        let words = TextWord.words(of: text)
        found += BareSymbols(words: words, table: table).symbols.map { ($0, .symbol) }
        found += NameSearch(words: words, table: table).companies
        return found
    }
}
