import DomainKit
import News

/// The section of the configuration that switches the domain on.
package struct NewsSection: DomainSection {
    package static let key = "news"

    /// Without any, articles come only through the API.
    package var sources: [Source] = []
    /// The time for which articles are kept.
    package var retention = Duration.seconds(30 * 86_400)
    /// The maximum number of articles kept.
    package var articlesMax = 1_000_000
    /// The keys of apps for `/v2`.
    package var appKeys: [Secret] = []
    /// For each user of `/v1`, and for each key and address of `/v2`.
    package var requestsPerMinute = 100
    /// For each user.
    package var interpretationsPerMinute = 10
    /// Blocks of addresses from which pages are read although they are not public.
    package var allowedAddresses: [String] = []
    /// The zone of the days of briefs and of story groups.
    package var timeZone = ClockZone.utc
    /// The hour of the day from which briefs are made.
    package var briefHour = 7
    /// Without it, summaries are the publishers' own texts, and a template makes explanations.
    package var writer: Writer?

    package init() {}
}

extension NewsSection {
    /// A publisher's feed, or an API with articles of many publishers.
    package struct Source: Equatable, Sendable {
        package var name = ""
        package var kind = Kind.feed
        /// Nil for the default of the kind.
        package var url: String?
        /// The name that readers see; nil for the title of the feed.
        package var title: String?
        /// The publisher group; nil for the source itself.
        package var owner: String?
        /// The category of articles without one of their own.
        package var category = NewsCategory.general
        package var language: String?
        package var country: String?
        package var weight = 1.0
        /// Nil for the default of the kind.
        package var interval: Duration?
        package var itemsMax = 500
        /// This key and all below are only for the kind `newsapi`.
        package var query: Query?
        package var key: Secret?
        package var keyFile: String?
        package var keyEnvironment: String?
        package var dailyRequests = 100

        package init() {}
    }

    package enum Kind: String, CaseIterable, Sendable {
        /// RSS, Atom or JSON Feed.
        case feed
        /// NewsAPI, or a service with the same routes.
        case newsapi
    }
}

extension NewsSection.Kind {
    /// The default URL of the kind; nil if it has none.
    package var url: String? { self == .newsapi ? "https://newsapi.org" : nil }

    /// The default time from one request to the next.
    package var interval: Duration {
        switch self {
        case .feed: .seconds(15 * 60)
        // Four sources with one key then stay within NewsAPI's limit of 100 requests a day.
        case .newsapi: .seconds(3600)
        }
    }
}

// MARK: - Derived values

extension NewsSection.Source {
    package var articleSource: ArticleSource {
        ArticleSource(name: name, title: title ?? name, owner: owner, weight: weight)
    }

    /// The URL of its requests. Empty only for a feed without a URL, which the reader of the
    /// configuration refuses.
    var address: String { effectiveURL ?? "" }

    package var effectiveInterval: Duration { interval ?? kind.interval }

    /// The source with the category, country and language of its query, where the query has them.
    var asQueried: NewsSection.Source {
        var source = self
        source.category = query?.category ?? category
        source.country = query?.country ?? country
        source.language = query?.language ?? language
        return source
    }
}
