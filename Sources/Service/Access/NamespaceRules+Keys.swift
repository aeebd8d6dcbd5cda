import Configuration

extension Topic {
    /// The statistics of the hub, one sample a second; see `Loop.sendStats`.
    package static let stats = Topic(trusted: "hub:stats")
    /// The events about connections and users; see protocol/lifecycle.md.
    package static let life = Topic(trusted: "hub:life")

    /// Whether it is `hub:life`, or below it and not of the alerts about these events.
    var isOfLife: Bool {
        self == .life || name.hasPrefix(Topic.life.name + ":") && !isForAlerts
    }

    /// The events about the topics of this topic's namespace.
    package var life: Topic { Topic(trusted: "hub:life:\(namespace)") }
}

extension Configuration {
    /// The events about the topics of a namespace, by its name; none for other namespaces.
    package var topicLifecycles: [String: Set<TopicLifecycle>] {
        namespaces.reduce(into: [:]) { lifecycles, namespace in
            guard !namespace.lifecycle.isEmpty else { return }
            lifecycles[namespace.name] = Set(namespace.lifecycle)
        }
    }

    /// The topics of the events about who comes and goes.
    package var lifecycleTopics: Set<Topic> {
        var topics = Set(
            namespaces.filter { !$0.lifecycle.isEmpty }.map {
                Topic(trusted: "hub:life:\($0.name)")
            }
        )
        if !clients.lifecycle.isEmpty { topics.insert(.life) }
        return topics
    }
}

/// The topics that holders of API keys may read.
extension NamespaceRules {
    /// The reserved topics that keys with the scope `info` may read. To all other readers, they do
    /// not exist.
    package static let topicsForKeys: Set<Topic> = [.stats]

    /// The same of a hub with this configuration.
    package static func topicsForKeys(_ configuration: Configuration) -> Set<Topic> {
        topicsForKeys.union(configuration.lifecycleTopics)
    }

    /// Whether holders of keys read the topic's history: samples of statistics have none.
    package func keepsHistoryForKeys(_ topic: Topic) -> Bool {
        topic != .stats && topicsForKeys.contains(topic)
    }

    /// The decision whether a key may read a topic.
    package enum KeyDecision: Sendable, Equatable {
        case allowed
        /// The key lacks the scope: see `APIKeyGrant.missingScope`.
        case missing(scope: String)
        /// The topic does not exist, or not for this key.
        case unknown
        /// The state is not loaded that decides whether the topic exists.
        case undecided
    }

    /// Decides whether a key may read a topic as a stream.
    ///
    /// The key's scopes decide, never the readers that the namespace or its domain admits: a key is
    /// an operator's, and reads the same topics by the server API.
    package func read(_ topic: Topic, by grant: APIKeyGrant) -> KeyDecision {
        if isReserved(topic) {
            // The topics `hub:life:{namespace}` have the names of other topics.
            let parts = topic.name.split(separator: ":")
            let use = APIKeyGrant.Use(
                "info",
                changesSomething: false,
                namespaces: parts.count > 2 ? [String(parts[2])] : nil
            )
            let isReadable = topicsForKeys.contains(topic) && grant.missingScope(for: use) == nil
            return isReadable ? .allowed : .unknown
        }
        let use = APIKeyGrant.Use(
            "history",
            changesSomething: false,
            namespaces: [String(topic.namespace)]
        )
        if let scope = grant.missingScope(for: use) { return .missing(scope: scope) }
        guard canDecide(about: topic, .anonymous) else { return .undecided }
        return features(of: topic) == nil ? .unknown : .allowed
    }
}
