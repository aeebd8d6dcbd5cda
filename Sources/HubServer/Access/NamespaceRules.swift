import Aurora
import PubSub
import Tokens

/// What the loops have to know of the configured namespaces. A value: each loop has a copy, and gets another
/// when the configuration is read again.
package struct NamespaceRules: Sendable {
    /// What topics of a namespace offer.
    package struct Features: Sendable, Equatable {
        package var presence = false
        package var joinLeave = false
        package var delta = false
        package var slowConsumer = Configuration.SlowConsumer.close
        package var keepsHistory = true

        package init() {}
    }

    private let access: AccessRules
    private let features: [String: Features]
    /// Whether a topic exists, for namespaces whose topics are known beforehand.
    private let exists: @Sendable (Topic) -> Bool

    package init(
        access: AccessRules,
        features: [String: Features],
        exists: @escaping @Sendable (Topic) -> Bool = { _ in true }
    ) {
        self.access = access
        self.features = features
        self.exists = exists
    }

    /// Without any namespace.
    package static let none = NamespaceRules(access: AccessRules([:]), features: [:])

    /// Nil for a topic that nobody configured.
    package func features(of topic: Topic) -> Features? {
        guard let features = features[String(topic.namespace)], exists(topic) else { return nil }
        return features
    }

    /// - Parameter isGranted: whether a token of the client names the topic.
    package func subscribe(
        to topic: Topic,
        by identity: Identity,
        isGranted: Bool
    ) -> AccessDecision {
        guard exists(topic) else { return .unknown }
        return access.subscribe(to: topic, by: identity, isGranted: isGranted)
    }

    package func decide(
        _ action: ClientAction,
        on topic: Topic,
        by identity: Identity,
        isSubscribed: Bool
    ) -> AccessDecision {
        guard exists(topic) else { return .unknown }
        return access.decide(action, on: topic, by: identity, isSubscribed: isSubscribed)
    }
}

extension NamespaceRules {
    /// - Parameter exists: of topics whose namespace is configured.
    init(
        _ namespaces: [Configuration.Namespace],
        exists: @escaping @Sendable (Topic) -> Bool = { _ in true }
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
            exists: exists
        )
    }
}

extension NamespaceRules {
    /// Of the aurora domain, only the topics of configured places exist.
    init(_ namespaces: [Configuration.Namespace], places: [Place]) {
        let known = Set(places.flatMap { [auroraTopic($0), auroraAlertsTopic($0)] })
        self.init(namespaces) { topic in
            topic.namespace != "aurora" || known.isEmpty || known.contains(topic)
        }
    }
}

extension NamespaceRules.Features {
    fileprivate init(_ namespace: Configuration.Namespace) {
        presence = namespace.presence
        joinLeave = namespace.joinLeave
        delta = namespace.delta
        slowConsumer = namespace.slowConsumer
        keepsHistory = namespace.historySize > 0
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
