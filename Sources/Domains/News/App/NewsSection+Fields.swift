import DomainKit
import News

extension NewsSection {
    package static var fields: [ConfigurationField<NewsSection>] {
        [.list("sources", \.sources, counts: 0...256, identity: (name: "name", value: \.name))]
            + storeFields + requestFields + briefFields
            + [.optional("writer", \.writer, reload: .restart)]
    }

    private static var storeFields: [ConfigurationField<NewsSection>] {
        [
            .scalar(
                "retention",
                \.retention,
                .duration(.seconds(86_400) ... .seconds(3650 * 86_400)),
                reload: .restart,
                meaning: "The time for which articles are kept after they were first seen."
            ),
            .scalar(
                "articles",
                \.articlesMax,
                .integer(1000...100_000_000),
                reload: .restart,
                meaning: "Articles that are kept; beyond it the oldest are deleted."
            ),
        ]
    }

    private static var requestFields: [ConfigurationField<NewsSection>] {
        [
            .list(
                "app_keys",
                \.appKeys,
                .secret(example: "a key of an app"),
                counts: 0...256,
                reload: .restart,
                meaning: """
                    Keys with which apps use `/v2`, in place of NewsAPI's. In development none is \
                    needed.
                    """
            ),
            .scalar(
                "requests_per_minute",
                \.requestsPerMinute,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: """
                    Requests of one user of `/v1`, and of one key and address of `/v2`; one more is \
                    answered 429.
                    """
            ),
            .scalar(
                "interpretations_per_minute",
                \.interpretationsPerMinute,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Of those, the ones for `POST /v1/interpret`."
            ),
            .list(
                "allow_addresses",
                \.allowedAddresses,
                .addressBlock,
                counts: 0...256,
                reload: .restart,
                meaning: """
                    Blocks of addresses that users may have pages read from although they are not \
                    public.
                    """
            ),
        ]
    }

    private static var briefFields: [ConfigurationField<NewsSection>] {
        [
            .scalar(
                "time_zone",
                \.timeZone,
                .timeZone,
                reload: .restart,
                meaning: """
                    The time zone of briefs and of the days of story groups. All names but \
                    `UTC`, `WET`, `CET`, `EET`, `EST5EDT`, `CST6CDT`, `MST7MDT` and `PST8PDT` \
                    need the package tzdata.
                    """
            ),
            .scalar(
                "brief_hour",
                \.briefHour,
                .integer(0...23),
                reload: .restart,
                meaning: "The hour of the day from which the daily brief of each user is made."
            ),
        ]
    }
}

extension NewsSection.Source {
    package static var fields: [ConfigurationField<NewsSection.Source>] {
        feedFields + newsAPIFields + articleFields
    }

    private static var feedFields: [ConfigurationField<NewsSection.Source>] {
        [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "fed"),
                isRequired: true,
                reload: .restart,
                meaning: "Names the source in articles, logs and metrics."
            ),
            .scalar(
                "kind",
                \.kind,
                .choice(),
                reload: .restart,
                meaning: """
                    `feed`: RSS 0.9x, 1.0 or 2.0, Atom or JSON Feed, by the document itself. \
                    `newsapi`: NewsAPI's articles, of many publishers.
                    """
            ),
            .optional(
                "url",
                \.url,
                .url(
                    hiding: .query,
                    example: "https://www.federalreserve.gov/feeds/press_all.xml"
                ),
                reload: .restart,
                meaning: """
                    Where it is; a feed needs one. Its query is not shown, as it may be a \
                    credential. For `newsapi`, the part before `/v2`; by default \
                    `https://newsapi.org`.
                    """
            ),
            .optional(
                "interval",
                \.interval,
                .duration(.seconds(60) ... .seconds(7 * 86_400)),
                reload: .restart,
                meaning: """
                    From one request to the next; longer if the feed asks for it. By default 15m, \
                    and 1h for `newsapi`, which needs 30m or more.
                    """
            ),
            .scalar(
                "max_items",
                \.itemsMax,
                .integer(1...10_000),
                reload: .restart,
                meaning: "Items of one document that are read; the rest is left out."
            ),
        ]
    }

    private static var articleFields: [ConfigurationField<NewsSection.Source>] {
        [
            .optional(
                "title",
                \.title,
                .text(example: "Federal Reserve"),
                reload: .restart,
                meaning: "The name that readers see; by default the title of the feed."
            ),
            .optional(
                "owner",
                \.owner,
                .name(allowing: "-_.", example: "fed"),
                reload: .restart,
                meaning: """
                    The publisher group. Reports of one owner count once where independent reports \
                    are counted. By default the source's name.
                    """
            ),
            .scalar(
                "category",
                \.category,
                .choice(),
                reload: .restart,
                meaning: "Of articles for which the feed names none that is known."
            ),
            .optional(
                "language",
                \.language,
                .text(example: "en"),
                reload: .restart,
                meaning: "Of articles in a feed that names none."
            ),
            .optional(
                "country",
                \.country,
                .text(example: "us"),
                reload: .restart,
                meaning:
                    "The country of its articles, two letters. Queries for a country find only these."
            ),
            .scalar(
                "weight",
                \.weight,
                .number(0.1...10),
                reload: .restart,
                meaning: "The weight of a report of the source in the importance of a story."
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        NewsSection.wrongCodes(language: language, country: country)
            + (kind == .feed ? feedContradictions : newsAPIContradictions)
    }
}
