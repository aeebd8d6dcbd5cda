// Access: the credentials that the hub accepts, and the rules of namespaces and of domains.

import Configuration

/// The configured namespaces, as the loops need them. A value: each loop has a copy, and gets a new
/// one when the configuration is reloaded.
package struct NamespaceRules: Sendable {
    /// The features of topics of a namespace.
    package struct Features: Sendable, Equatable {
        package var presence = false
        package var joinLeave = false
        package var delta = false
        package var slowConsumer = Configuration.SlowConsumer.close
        package var keepsHistory = true
        /// The hooks that decide about its topics.
        package var hooks = Configuration.NamespaceHooks()

        package init() {}
    }

    private let access: AccessRules
    private let features: [String: Features]
    /// The rules of domains, by namespace.
    private let domains: [String: any TopicRules]
    /// The reserved topics, by namespace.
    private let reserved: [String: Reservation]
    /// Reserved topics that API keys may read.
    let topicsForKeys: Set<Topic>

    /// The topics of a namespace that only the hub itself writes and reads.
    private enum Reservation: Sendable {
        case all
        case only(Set<Topic>)
    }

    /// - Parameters:
    ///   - reserved: namespaces that only the hub itself writes and reads.
    ///   - topicsForKeys: topics of these or other namespaces that only the hub itself writes, and
    ///     only API keys read.
    package init(
        access: AccessRules,
        features: [String: Features],
        domains: [String: any TopicRules] = [:],
        reserved: Set<String> = [],
        topicsForKeys: Set<Topic> = NamespaceRules.topicsForKeys
    ) {
        self.access = access
        self.features = features
        self.domains = domains
        var reservations = Dictionary(grouping: topicsForKeys) { String($0.namespace) }
            .mapValues { Reservation.only(Set($0)) }
        for namespace in reserved { reservations[namespace] = .all }
        self.reserved = reservations
        self.topicsForKeys = topicsForKeys
    }

    /// Rules without any namespace.
    package static let none = NamespaceRules(access: AccessRules([:]), features: [:])

    /// Whether only the hub itself writes the topic, and no client reads it.
    package func isReserved(_ topic: Topic) -> Bool {
        !reserved.isEmpty && isReserved(topic, in: String(topic.namespace))
    }

    private func isReserved(_ topic: Topic, in namespace: String) -> Bool {
        switch reserved[namespace] {
        case nil: false
        case .all: true
        // No client reads or writes events about who is there, also if there are none.
        case .only(let topics): topics.contains(topic) || topic.isOfLife
        }
    }

    /// The features of a topic; nil if it is reserved, if its namespace is not configured, or if
    /// the topic does not exist.
    package func features(of topic: Topic) -> Features? {
        let namespace = String(topic.namespace)
        guard let features = features[namespace], !isReserved(topic, in: namespace),
            domains[namespace]?.exists(topic) ?? true
        else { return nil }
        return features
    }

    /// The features of the topic's namespace, whether or not the topic exists; nil if the namespace
    /// is not configured, or if the topic is reserved.
    package func features(ofNamespace topic: Topic) -> Features? {
        let namespace = String(topic.namespace)
        return isReserved(topic, in: namespace) ? nil : features[namespace]
    }

    /// Whether the rules of a domain decide about a topic.
    package func isOfDomain(_ topic: Topic) -> Bool { domains[String(topic.namespace)] != nil }

    /// Whether the state is loaded that decides about a client and a topic.
    package func canDecide(about topic: Topic, _ identity: Identity) -> Bool {
        let namespace = String(topic.namespace)
        guard features[namespace] != nil, let rules = domains[namespace] else { return true }
        return rules.canDecide(about: topic, identity)
    }

    /// - Parameter isGranted: whether a token of the client names the topic, or the application has allowed
    ///   the subscription. Without it, no topic is open whose namespace has a hook for subscriptions.
    package func subscribe(
        to topic: Topic,
        by identity: Identity,
        isGranted: Bool
    ) -> AccessDecision {
        let decision = subscribeWithoutHook(to: topic, by: identity, isGranted: isGranted)
        guard decision == .allowed, !isGranted,
            features[String(topic.namespace)]?.hooks.subscribe != nil
        else { return decision }
        return .needsToken
    }

    /// The decision before the application is asked.
    package func subscribeWithoutHook(
        to topic: Topic,
        by identity: Identity,
        isGranted: Bool
    ) -> AccessDecision {
        guard canDecide(about: topic, identity) else { return .undecided }
        guard features(of: topic) != nil else { return .unknown }
        if let mayRead = domains[String(topic.namespace)]?.mayRead(topic, identity, isGranted) {
            // Only clients that may read the topic may learn whether it exists.
            return mayRead ? .allowed : .unknown
        }
        return access.subscribe(to: topic, by: identity, isGranted: isGranted)
    }

    package func decide(
        _ action: ClientAction,
        on topic: Topic,
        by identity: Identity,
        isSubscribed: Bool
    ) -> AccessDecision {
        guard canDecide(about: topic, identity) else { return .undecided }
        guard features(of: topic) != nil else { return .unknown }
        if let mayRead = domains[String(topic.namespace)]?.mayRead(topic, identity, false) {
            guard isSubscribed || mayRead else { return .unknown }
            // If the domain decides which clients read, only the domain writes.
            guard action != .publish else { return .denied(.nobody) }
        }
        // Readers could not distinguish a client's publication from an alert.
        guard action != .publish || !topic.isForAlerts else { return .denied(.alerts) }
        return access.decide(action, on: topic, by: identity, isSubscribed: isSubscribed)
    }

    /// Whether a topic is a user's own, or has the alerts of such a topic: it is removed with the
    /// user's account.
    package func isOwn(_ topic: Topic, of user: String) -> Bool {
        if let own = userAlertsTopic(user), topic == own { return true }
        if domains[String(topic.namespace)]?.isOwn(topic, of: user) ?? false { return true }
        if access.isOwn(topic, of: user) { return true }
        guard topic.name.hasSuffix(alertsSuffix) else { return false }
        let subject = try? Topic(String(topic.name.dropLast(alertsSuffix.count)))
        return subject.map { isOwn($0, of: user) } ?? false
    }

    /// Whether the list of topics contains a topic for a client that may read it.
    package func isListed(_ topic: Topic, for identity: Identity) -> Bool {
        domains[String(topic.namespace)]?.isListed(topic, for: identity) ?? true
    }

    /// Whether a subscriber takes part in the presence of a topic, its joins and leaves.
    package func isSeen(_ identity: Identity, in topic: Topic) -> Bool {
        domains[String(topic.namespace)]?.isSeen(identity, in: topic) ?? true
    }
}

extension NamespaceRules {
    /// - Parameter namespaces: each with a unique name.
    package init(
        _ namespaces: [Configuration.Namespace],
        domains: [String: any TopicRules] = [:],
        reserved: Set<String> = [],
        topicsForKeys: Set<Topic> = NamespaceRules.topicsForKeys
    ) {
        let byName = { (namespace: Configuration.Namespace) in namespace.name }
        self.init(
            access: AccessRules(
                Dictionary(
                    uniqueKeysWithValues: namespaces.map { (byName($0), NamespaceAccess($0)) }
                )
            ),
            features: Dictionary(
                uniqueKeysWithValues: namespaces.map { (byName($0), Features($0)) }
            ),
            domains: domains,
            reserved: reserved,
            topicsForKeys: topicsForKeys
        )
    }
}

extension NamespaceRules.Features {
    fileprivate init(_ namespace: Configuration.Namespace) {
        presence = namespace.presence
        joinLeave = namespace.joinLeave
        delta = namespace.delta
        slowConsumer = namespace.slowConsumer
        keepsHistory = namespace.historySize > 0
        hooks = namespace.hooks
    }
}

extension NamespaceAccess {
    fileprivate init(_ namespace: Configuration.Namespace) {
        let pattern = namespace.owner ?? "\(namespace.name):\(OwnerPattern.placeholder)"
        guard let owner = OwnerPattern(pattern) else {
            preconditionFailure("the configuration was checked: owner \(pattern)")
        }
        let subscribe: SubscribeRight =
            switch namespace.subscribe {
            case _ where namespace.anonymousSubscribe: .anyone
            case .token: .token
            case .owner: .owner(owner)
            case .users: .users
            case .members:
                .members(namespace.members.compactMap { NamePattern($0, separator: ":") })
            case .nobody: .nobody
            }
        let publish: ClientRight =
            switch namespace.publish {
            // The hook decides.
            case .nobody where namespace.hooks.publish != nil: .anyone
            case .nobody: .nobody
            case .subscribers: .subscribers
            case .owner: .owner(owner)
            case .users: .users
            case .anyone: .anyone
            }
        self.init(
            subscribe: subscribe,
            publish: publish,
            presence: namespace.presence ? .subscribers : .nobody,
            history: namespace.historySize > 0 ? .subscribers : .nobody
        )
    }
}
