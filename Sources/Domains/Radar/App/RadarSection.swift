import DomainKit

/// The section of the configuration that switches the domain on.
package struct RadarSection: DomainSection {
    package static let key = "radar"

    /// From one poll of a radar to the next.
    package var interval = Duration.seconds(24 * 3600)
    /// The same while it has subscribers.
    package var watchedInterval = Duration.seconds(6 * 3600)
    /// The time for which a source's answer to one question is used for all radars that ask it.
    package var cacheAge = Duration.seconds(5 * 3600)
    /// From one refresh of a radar by its user to the next.
    package var refreshInterval = Duration.seconds(30)
    package var refreshesPerMinute = 10
    /// The time for which a user's refresh or interpretation waits for sources.
    package var answerWithin = Duration.seconds(3)
    package var radarsPerUser = 100
    package var pollsAtOnce = 16
    /// The visibility of radars that are made without one.
    package var defaultVisibility = Visibility.private
    /// The longest time that a socket token holds; the shortest is half of it.
    package var socketTokenLifetime = Duration.seconds(3600)
    /// Radars that one user makes.
    package var creationsPerMinute = 10
    /// Opinions that one API key pushes to one radar.
    package var pushesPerMinute = 60
    /// The share of each source's daily budget that one user may take.
    package var userSharePercent = 10
    /// Without any, radars live on the opinions that are pushed to them.
    package var sources: [Source] = []

    package init() {}
}

extension RadarSection {
    package enum Visibility: String, CaseIterable, Sendable {
        case `private`, `public`

        package var isPublic: Bool { self == .public }
    }

    /// A provider of opinions.
    package struct Source: Equatable, Sendable {
        package var name = ""
        package var kind = Kind.sample
        /// Nil for the kind's own.
        package var url: String?
        package var model: String?
        /// The provider whose opinions are not independent of each other; nil for the kind's own,
        /// or for the source.
        package var vendor: String?
        package var key: Secret?
        package var keyFile: String?
        package var keyEnvironment: String?
        /// 0 for no limit.
        package var dailyTokens = 200_000
        /// 0 for no limit.
        package var dailyRequests = 2000
        package var concurrency = 2
        /// The weight of its opinions.
        package var trust = 1.0
        package var timeout = Duration.seconds(60)
        /// For the kind `json`, and only for it.
        package var mapping: Mapping?
        /// For the kind `sample`, and only for it; nil for a day.
        package var samplePeriod: Duration?

        package init() {}
    }

    package enum Kind: String, CaseIterable, Sendable {
        /// Anthropic's Messages.
        case anthropic
        /// Chat completions, as OpenAI and many others serve them.
        case openai
        /// Any HTTP endpoint whose JSON has opinions in it.
        case json
        /// Invented opinions, made here.
        case sample
    }

    /// The places of opinions in a JSON answer. The names of members lead to a value, with dots
    /// between them.
    package struct Mapping: Equatable, Sendable {
        /// The list of opinions; nil when the answer is the list.
        package var items: String?
        package var id: String?
        package var stance = ""
        package var confidence: String?
        package var content = ""
        package var author: String?
        package var model: String?
        package var reasoning: String?
        /// The answer's words for the stances.
        package var forWords = ["for"]
        package var againstWords = ["against"]
        package var neutralWords = ["neutral"]

        package init() {}
    }
}

// MARK: - Derived values

extension RadarSection {
    /// A radar that is watched is never polled less often than others.
    package var effectiveWatchedInterval: Duration { min(watchedInterval, interval) }

    /// Sources with invented opinions, which are logged.
    package var sampleSources: [String] {
        sources.filter { $0.kind == .sample }.map(\.name)
    }
}

extension RadarSection.Kind {
    /// Where it is asked, if the source has no URL of its own.
    package var url: String? { modelProvider?.url }

    /// The environment variable with the key for `url`.
    package var keyVariable: String? { modelProvider?.keyVariable }

    /// Nil for kinds that ask no model.
    package var modelProvider: ModelProvider? {
        switch self {
        case .anthropic: .anthropic
        case .openai: .openai
        case .json, .sample: nil
        }
    }

    /// The vendor, if the source has none of its own.
    fileprivate var vendor: String? {
        switch self {
        case .anthropic, .openai: rawValue
        case .json, .sample: nil
        }
    }
}

extension RadarSection.Source {
    /// Nil for the kind `sample`. A source that was checked has one otherwise.
    package var effectiveURL: String? { url ?? kind.url }

    package var effectiveVendor: String { vendor ?? kind.vendor ?? name }
}

extension RadarSection.Source: KeyedSection, BudgetedSection {
    package var providerURL: String? { kind.url }
    package var providerKeyVariable: String? { kind.keyVariable }
}
