/// The identity of the client that requests access.
package struct Identity: Sendable, Equatable {
    /// Empty for a client without credentials.
    package let user: String
    /// Of the connection's token.
    package let groups: Set<String>

    package static let anonymous = Identity(user: "")

    package init(user: String, groups: Set<String> = []) {
        self.user = user
        self.groups = groups
    }

    package var isAnonymous: Bool { user.isEmpty }
}

/// The rights of clients in a topic, by its namespace. Without a rule nothing is allowed.
package struct AccessRules: Sendable {
    private let namespaces: [String: NamespaceAccess]

    package init(_ namespaces: [String: NamespaceAccess]) {
        self.namespaces = namespaces
    }

    /// - Parameter isGranted: whether a token of the client names the topic: a subscription token that
    ///   was verified for it and the client's user, or the connection token's own list of topics.
    package func subscribe(
        to topic: Topic,
        by identity: Identity,
        isGranted: Bool
    ) -> AccessDecision {
        guard let access = namespaces[String(topic.namespace)] else { return .unknown }
        if case .nobody = access.subscribe { return .denied(.nobody) }
        if isGranted { return .allowed }
        switch access.subscribe {
        case .nobody: return .denied(.nobody)
        case .token: return .needsToken
        case .anyone: return .allowed
        case .users: return identity.isAnonymous ? .denied(.anonymous) : .allowed
        case .owner(let pattern): return owner(of: topic, by: pattern, identity)
        case .members(let patterns):
            if identity.isAnonymous { return .denied(.anonymous) }
            // Patterns are ASCII; of other texts some are equal to ASCII in Swift: `hasSameBytes`.
            let isMember = identity.groups.contains { group in
                group.utf8.allSatisfy { $0 < 0x80 } && patterns.contains { $0.matches(group) }
            }
            return isMember ? .allowed : .denied(.notMember)
        }
    }

    /// Decides on a client's request other than subscribing.
    ///
    /// - Parameter isSubscribed: whether the client is subscribed to the topic at present.
    package func decide(
        _ action: ClientAction,
        on topic: Topic,
        by identity: Identity,
        isSubscribed: Bool
    ) -> AccessDecision {
        guard let access = namespaces[String(topic.namespace)] else { return .unknown }
        switch access.right(to: action) {
        case .nobody: return .denied(.nobody)
        case .anyone: return .allowed
        case .users: return identity.isAnonymous ? .denied(.anonymous) : .allowed
        case .subscribers: return isSubscribed ? .allowed : .denied(.notSubscribed)
        case .owner(let pattern): return owner(of: topic, by: pattern, identity)
        }
    }

    /// Whether the namespace gives a topic to a user, who is the only one to read or write it.
    package func isOwn(_ topic: Topic, of user: String) -> Bool {
        guard let access = namespaces[String(topic.namespace)] else { return false }
        if case .owner(let pattern) = access.subscribe, pattern.owns(user, topic) { return true }
        if case .owner(let pattern) = access.publish { return pattern.owns(user, topic) }
        return false
    }

    private func owner(
        of topic: Topic,
        by pattern: OwnerPattern,
        _ identity: Identity
    ) -> AccessDecision {
        if identity.isAnonymous { return .denied(.anonymous) }
        return pattern.owns(identity.user, topic) ? .allowed : .denied(.notOwner)
    }
}

/// The decision on a request.
package enum AccessDecision: Sendable, Equatable {
    case allowed
    case denied(Reason)
    /// The topic's namespace is not configured.
    case unknown
    /// A subscription token for the topic would open it.
    case needsToken
    /// The state that decides is not loaded; the client may ask again later.
    case undecided

    /// The reason, for logs and diagnostics; clients only receive "permission denied".
    package enum Reason: String, Sendable, CaseIterable {
        case nobody = "the namespace does not allow it"
        case anonymous = "the client has no user"
        case notOwner = "the topic is not the user's own"
        case notMember = "the user is in none of the groups"
        case notSubscribed = "the client is not subscribed"
        case alerts = "only the hub publishes alerts"
    }
}

/// The requests of a client other than subscribing.
package enum ClientAction: Sendable, CaseIterable {
    case publish
    case presence
    case history
}
