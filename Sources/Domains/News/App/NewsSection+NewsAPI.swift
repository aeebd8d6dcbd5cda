import DomainKit
import News

/// The keys of sources of the kind `newsapi`.
extension NewsSection.Source: KeyedSection {
    /// Nil only for a feed without a URL, which the reader of the configuration refuses.
    package var effectiveURL: String? { url ?? kind.url }
    package var providerURL: String? { kind.url }
    package var providerKeyVariable: String? { kind == .newsapi ? "VARDE_NEWSAPI_KEY" : nil }

    static var newsAPIFields: [ConfigurationField<NewsSection.Source>] {
        [.optional("query", \.query, reload: .restart)] + keyFields(meaning: keyMeaning) + [
            .scalar(
                "daily_requests",
                \.dailyRequests,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: """
                    The most requests in one day, UTC, of all sources with the same key together; \
                    the least of their values counts. A restart does not reset the count.
                    """
            )
        ]
    }

    private static let newsAPIIntervalMin = Duration.seconds(30 * 60)

    private static let keyMeaning = """
        The hub's key at NewsAPI. At most one of `key`, `key_file` and `key_env`; without any, the \
        environment variable `VARDE_NEWSAPI_KEY`. It is sent in the header `X-Api-Key`.
        """

    /// Contradictions between the keys of a feed.
    var feedContradictions: [(path: String, message: String)] {
        let given = keysGiven + (query == nil ? [] : ["query"])
        var found = given.map { ($0, "found one, expected none: kind feed is asked without") }
        if url == nil {
            found.append(("url", "found nothing, expected a URL: kind feed needs one"))
        }
        return found
    }

    /// Contradictions between the keys of a source of the kind `newsapi`.
    var newsAPIContradictions: [(path: String, message: String)] {
        var found = contradictionsOfKeys()
        if keysGiven.isEmpty {
            found.append(
                ("key", "found nothing, expected \(waysToGiveAKey): kind newsapi needs one")
            )
        }
        if let url, url.contains("?") || url.contains("#") {
            found.append(("url", "found a query, expected none: `query` has its parameters"))
        }
        if let interval, interval < Self.newsAPIIntervalMin {
            let type = ScalarType<Duration>.duration(.zero...interval)
            found.append(
                ("interval", "found \(type.text(interval)), expected 30m or more: kind newsapi")
            )
        }
        if query == nil {
            found.append(("query", "found nothing, expected one: kind newsapi needs one"))
        }
        return found
    }
}

extension NewsSection.Query: ConfigurationSection {
    package static var fields: [ConfigurationField<NewsSection.Query>] {
        [
            .optional(
                "country",
                \.country,
                .text(example: "us"),
                reload: .restart,
                meaning: "Headlines of a country, two letters."
            ),
            .optional(
                "category",
                \.category,
                .choice(),
                reload: .restart,
                meaning: "Headlines of a category."
            ),
            .optional(
                "q",
                \.words,
                .text(lengthMax: 500, example: "aurora OR geomagnetic"),
                reload: .restart,
                meaning: "Words to search for, as NewsAPI describes them."
            ),
            .optional(
                "language",
                \.language,
                .text(example: "en"),
                reload: .restart,
                meaning: """
                    The language of articles, two letters; with `q` or `sources`, and without \
                    `country` and `category`.
                    """
            ),
            .list(
                "sources",
                \.publishers,
                .name(example: "sample-daily"),
                counts: 0...NewsSection.Query.publisherCountMax,
                reload: .restart,
                meaning: "NewsAPI's ids of publishers; without `country` and `category`."
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        var found = NewsSection.wrongCodes(language: language, country: country)
        if asksForHeadlines {
            let other = "expected none: country and category ask for headlines"
            if !publishers.isEmpty { found.append(("sources", "found some, \(other)")) }
            if language != nil { found.append(("language", "found one, \(other)")) }
        } else if words == nil, publishers.isEmpty {
            found.append(("q", "found nothing, expected one of country, category, q and sources"))
        }
        return found
    }
}
