extension Topic {
    /// The statistics of the hub, one sample a second; see `Loop.sendStats`.
    package static let stats = Topic(trusted: "hub:stats")
}

/// The topics that holders of API keys may read.
extension NamespaceRules {
    /// The reserved topics that keys with the scope `info` may read. To all other readers, they do
    /// not exist.
    package static let topicsForKeys: Set<Topic> = [.stats]

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
            let use = APIKeyGrant.Use("info", changesSomething: false, namespaces: nil)
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
