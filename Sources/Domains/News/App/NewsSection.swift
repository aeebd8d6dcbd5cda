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
        package var url = ""
        /// What readers know it by; nil for the title of the feed.
        package var title: String?
        /// The publisher group; nil for the source itself.
        package var owner: String?
        /// Of articles that say nothing else.
        package var category = NewsCategory.general
        package var language: String?
        package var country: String?
        package var weight = 1.0
        package var interval = Duration.seconds(15 * 60)
        package var itemsMax = 500

        package init() {}
    }

    package enum Kind: String, CaseIterable, Sendable {
        /// RSS, Atom or JSON Feed.
        case feed
    }
}

extension NewsSection.Source {
    package var articleSource: ArticleSource {
        ArticleSource(name: name, title: title ?? name, owner: owner, weight: weight)
    }
}
