import Activity
import Aurora
import Configuration
import PubSub
import Radar
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
    /// Nil where there are no radars: then a namespace of their name is one like any other.
    private let radars: RadarDirectory?
    /// Nil where there is no film app: then namespaces of its names are like any others.
    private let friends: FriendDirectory?
    /// Whether a topic exists, for namespaces whose topics are known beforehand.
    private let exists: @Sendable (Topic) -> Bool

    package init(
        access: AccessRules,
        features: [String: Features],
        radars: RadarDirectory? = nil,
        friends: FriendDirectory? = nil,
        exists: @escaping @Sendable (Topic) -> Bool = { _ in true }
    ) {
        self.access = access
        self.features = features
        self.radars = radars
        self.friends = friends
        self.exists = exists
    }

    /// Without any namespace.
    package static let none = NamespaceRules(access: AccessRules([:]), features: [:])

    /// Whether the hub has radars, and with them their sockets.
    package var knowsRadars: Bool { radars != nil }

    /// Nil for a topic that nobody configured, or that does not exist.
    package func features(of topic: Topic) -> Features? {
        switch kind(of: topic) {
        case .unknown: nil
        case .radar, .person, .plain: features[String(topic.namespace)]
        }
    }

    /// - Parameter isGranted: whether a token of the client names the topic.
    package func subscribe(
        to topic: Topic,
        by identity: Identity,
        isGranted: Bool
    ) -> AccessDecision {
        switch kind(of: topic) {
        case .unknown: .unknown
        case .radar(let radar):
            radar.isReadable(by: identity, isGranted: isGranted) ? .allowed : .unknown
        case .person(let topic, let friends):
            isReadable(topic, friends, by: identity) ? .allowed : .unknown
        case .plain: access.subscribe(to: topic, by: identity, isGranted: isGranted)
        }
    }

    package func decide(
        _ action: ClientAction,
        on topic: Topic,
        by identity: Identity,
        isSubscribed: Bool
    ) -> AccessDecision {
        switch kind(of: topic) {
        case .unknown: return .unknown
        case .radar(let radar):
            guard isSubscribed || radar.isReadable(by: identity, isGranted: false) else {
                return .unknown
            }
            // What is told of a radar the hub tells.
            guard action != .publish else { return .denied(.nobody) }
        case .person(let topic, let friends):
            guard isSubscribed || isReadable(topic, friends, by: identity) else { return .unknown }
            guard action != .publish else { return .denied(.nobody) }
        case .plain: break
        }
        return access.decide(action, on: topic, by: identity, isSubscribed: isSubscribed)
    }

    /// Whether a subscriber takes part in the presence of a topic, its joins and leaves. Who watches
    /// something is the person whose topic it is: the friends who look at it do not see each other.
    package func isSeen(_ identity: Identity, in topic: Topic) -> Bool {
        guard case .person(let topic, _) = kind(of: topic) else { return true }
        return PersonTopic.person(named: identity.user) == topic.person
    }

    private func isReadable(
        _ topic: PersonTopic,
        _ friends: FriendDirectory,
        by identity: Identity
    ) -> Bool {
        guard let reader = PersonTopic.person(named: identity.user) else { return false }
        if reader == topic.person { return true }
        return topic.kind == .watching && friends.areFriends(topic.person, reader)
    }

    // MARK: Kinds of topics

    private enum Kind {
        /// Not configured, not there, or not for anybody outside.
        case unknown
        /// Who may read it is a matter of the radar, and no key of its namespace changes that.
        case radar(RadarDirectory.Entry)
        /// Who may read it is a matter of the people, and no key of its namespace or token changes that.
        case person(PersonTopic, FriendDirectory)
        case plain
    }

    private func kind(of topic: Topic) -> Kind {
        let namespace = topic.namespace
        guard !topic.isReserved, features[String(namespace)] != nil, exists(topic) else {
            return .unknown
        }
        if let friends, PersonTopic.Kind(rawValue: String(namespace)) != nil {
            return PersonTopic(topic).map { .person($0, friends) } ?? .unknown
        }
        guard let radars, namespace == Topic.radarNamespace else { return .plain }
        guard let id = topic.radarID, let radar = radars[String(id)] else { return .unknown }
        return .radar(radar)
    }
}

extension NamespaceRules {
    /// - Parameter exists: of topics whose namespace is configured.
    init(
        _ namespaces: [Configuration.Namespace],
        radars: RadarDirectory? = nil,
        friends: FriendDirectory? = nil,
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
            radars: radars,
            friends: friends,
            exists: exists
        )
    }
}

extension NamespaceRules {
    /// Of the aurora domain, only the map and the topics of configured places exist.
    init(
        _ namespaces: [Configuration.Namespace],
        places: [Place],
        radars: RadarDirectory? = nil,
        friends: FriendDirectory? = nil
    ) {
        let known = Set(
            [auroraOvalTopic] + places.flatMap { [auroraTopic($0), auroraAlertsTopic($0)] }
        )
        self.init(namespaces, radars: radars, friends: friends) { topic in
            topic.namespace != "aurora" || places.isEmpty || known.contains(topic)
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
