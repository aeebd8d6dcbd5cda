/// Whether a story is of general interest or about one company.
package enum StoryScope: Hashable, Sendable {
    case global
    case ticker(Ticker)

    /// The share of a story's articles that has to name a company.
    package static let shareMin = 0.5

    /// From the companies that each article of a story names. Of several that enough articles name,
    /// the most frequent; of equally frequent ones, the one that is named first most often, then
    /// the first by alphabet.
    package init(tickersOfArticles articles: [[Ticker]]) {
        var counts: [Ticker: (articles: Int, first: Int)] = [:]
        for tickers in articles {
            for ticker in Set(tickers) { counts[ticker, default: (0, 0)].articles += 1 }
            if let first = tickers.first { counts[first, default: (0, 0)].first += 1 }
        }
        let enough = counts.filter {
            Double($0.value.articles) >= StoryScope.shareMin * Double(articles.count)
        }
        let primary = enough.min { one, other in
            (-one.value.articles, -one.value.first, one.key)
                < (-other.value.articles, -other.value.first, other.key)
        }
        self = primary.map { .ticker($0.key) } ?? .global
    }

    /// `GLOBAL` or `TICKER`.
    package var text: String {
        switch self {
        case .global: "GLOBAL"
        case .ticker: "TICKER"
        }
    }

    package var primaryTicker: Ticker? {
        if case .ticker(let ticker) = self { ticker } else { nil }
    }
}
