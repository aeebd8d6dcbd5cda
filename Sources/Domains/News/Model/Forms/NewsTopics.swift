import PubSub

/// The topics of the news: all of them, `news:global`, `news:ticker:{T}`, `news:category:{c}`, and
/// `news:user:{id}` only for that user.
extension Topic {
    package static let newsNamespace = "news"

    /// Signals of `NewsTopic.globalImportanceMin` or more, and all stories without a ticker.
    package static let newsGlobal = Topic(trusted: "\(newsNamespace):global")

    package static func news(_ ticker: Ticker) -> Topic {
        Topic(trusted: "\(newsNamespace):ticker:\(ticker)")
    }

    package static func news(_ category: NewsCategory) -> Topic {
        Topic(trusted: "\(newsNamespace):category:\(category.rawValue)")
    }

    package static func news(_ user: NewsUserID) -> Topic {
        Topic(trusted: "\(newsNamespace):user:\(user.text)")
    }
}

/// The meaning of a topic of the news, parsed from its name.
package enum NewsTopic: Equatable, Sendable {
    case global
    case ticker(Ticker)
    case category(NewsCategory)
    case user(NewsUserID)

    /// Less important signals are only in the topics of their tickers and their category.
    package static let globalImportanceMin = 75

    /// Nil for a topic that does not exist. Only one spelling of each name does: a ticker is in
    /// upper case.
    package init?(_ topic: Topic) {
        let parts = topic.name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.first.map({ $0 == Topic.newsNamespace }) == true else { return nil }
        switch (parts.dropFirst().first, parts.dropFirst(2).first, parts.count) {
        case ("global", nil, 2): self = .global
        case ("ticker", let name?, 3):
            guard let ticker = Ticker(name), ticker.text == name else { return nil }
            self = .ticker(ticker)
        case ("category", let name?, 3):
            guard let category = NewsCategory(rawValue: String(name)) else { return nil }
            self = .category(category)
        case ("user", let name?, 3):
            guard let user = NewsUserID(name) else { return nil }
            self = .user(user)
        default: return nil
        }
    }
}
