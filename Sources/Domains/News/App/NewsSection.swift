import Configuration
import News
import Timekeeping

/// The section of the configuration that switches the domain on.
package struct NewsSection: DomainSection {
    package static let key = "news"

    /// Without any, articles come only through the API.
    package var sources: [Source] = []
    /// How long articles are kept.
    package var retention = Duration.seconds(30 * 86_400)
    /// How many articles are kept at most.
    package var articlesMax = 1_000_000
    /// Keys with which apps use `/v2`.
    package var appKeys: [Secret] = []
    /// Of a user of `/v1`, and of an app of `/v2` at one address.
    package var requestsPerMinute = 100
    /// Of a user.
    package var interpretationsPerMinute = 10
    /// Blocks of addresses that pages are read from although they are not public.
    package var allowedAddresses: [String] = []
    /// Of the days of briefs.
    package var timeZone = ClockZone.utc
    /// From which hour of the day on briefs are made.
    package var briefHour = 7
    /// Without it, summaries are the publishers' own, and the hub explains by rules.
    package var writer: Writer?

    package init() {}
}

extension NewsSection {
    /// A publisher's feed, or an API with articles of many publishers.
    package struct Source: Equatable, Sendable {
        package var name = ""
        package var kind = Kind.feed
        /// Nil for the kind's own.
        package var url: String?
        /// What readers know it by; nil for the title of the feed.
        package var title: String?
        /// The publisher group; nil for the source itself.
        package var owner: String?
        /// Of articles that say nothing else.
        package var category = NewsCategory.general
        package var language: String?
        package var country: String?
        package var weight = 1.0
        /// Nil for the kind's own.
        package var interval: Duration?
        package var itemsMax = 500
        /// For the kind `newsapi`, and only for it, as all keys below.
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
    /// Where it is asked, if the source has no URL of its own.
    package var url: String? { self == .newsapi ? "https://newsapi.org" : nil }

    /// From one request to the next, if the source says nothing else.
    package var interval: Duration {
        switch self {
        case .feed: .seconds(15 * 60)
        // Four query sets then fit into NewsAPI's hundred requests a day.
        case .newsapi: .seconds(3600)
        }
    }
}

// MARK: - What the values come to

extension NewsSection.Source {
    package var articleSource: ArticleSource {
        ArticleSource(name: name, title: title ?? name, owner: owner, weight: weight)
    }

    /// Of its requests. Empty only for a feed without a URL, which the reader of the configuration refuses.
    var address: String { effectiveURL ?? "" }

    package var effectiveInterval: Duration { interval ?? kind.interval }

    /// With what the query says of its articles in place of the source's own.
    var asQueried: NewsSection.Source {
        var source = self
        source.category = query?.category ?? category
        source.country = query?.country ?? country
        source.language = query?.language ?? language
        return source
    }
}
