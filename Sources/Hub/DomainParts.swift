/// The combined namespaces, rules, vocabulary and feeds of a hub's domains.
extension NamespaceTable {
    /// The namespaces that every hub has and no configuration may name.
    init(reservedBy domains: [any Domain.Type]) {
        self = domains.reduce(NamespaceTable([:])) { $0.merging($1.manifest.reserved) }
    }
}

extension NamespaceRules {
    /// - Parameters:
    ///   - domains: the enabled domains.
    ///   - registered: all domains.
    init(
        _ namespaces: [Configuration.Namespace],
        _ domains: [any Domain],
        _ registered: [any Domain.Type],
        _ configuration: Configuration
    ) {
        self.init(
            namespaces,
            domains: domains.reduce(into: [:]) { rules, domain in
                rules.merge(domain.topicRules) { first, _ in first }
            },
            reserved: NamespaceTable(reservedBy: registered).names,
            topicsForKeys: NamespaceRules.topicsForKeys(configuration)
        )
    }
}

extension AlertVocabulary {
    package init(_ domains: [any Domain.Type]) {
        self.init(
            domains.reduce(into: [:]) { fields, domain in
                fields.merge(domain.manifest.alertFields) { $0.union($1) }
            },
            languages: domains.reduce(into: [:]) { languages, domain in
                languages.merge(domain.manifest.alertLanguages) { first, _ in first }
            }
        )
    }
}

/// The feeds of all domains. The first domain that has a topic decides about it.
struct DomainFeeds: QuotedFeeds {
    private let feeds: [any QuotedFeeds]

    init(_ domains: [any Domain.Type]) {
        feeds = domains.compactMap { $0.manifest.quotedFeeds }
    }

    func isFeed(_ topic: Topic) -> Bool { feeds.contains { $0.isFeed(topic) } }

    func fieldNames(of topic: Topic) -> [String] { feeds.flatMap { $0.fieldNames(of: topic) } }

    func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]? {
        feeds.lazy.compactMap { $0.tags(of: topic, fields) }.first
    }

    func isForRules(_ publication: Publication) -> Bool {
        feeds.allSatisfy { $0.isForRules(publication) }
    }

    func alertsTopics(of feed: Topic) -> [Topic] {
        feeds.first { $0.isFeed(feed) }?.alertsTopics(of: feed) ?? []
    }
}
