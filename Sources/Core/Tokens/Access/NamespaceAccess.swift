/// The rules of one namespace. By default a subscription needs a token, and clients may do nothing
/// else.
package struct NamespaceAccess: Sendable, Equatable {
    package var subscribe: SubscribeRight
    package var publish: ClientRight
    package var presence: ClientRight
    package var history: ClientRight

    package init(
        subscribe: SubscribeRight = .token,
        publish: ClientRight = .nobody,
        presence: ClientRight = .nobody,
        history: ClientRight = .nobody
    ) {
        self.subscribe = subscribe
        self.publish = publish
        self.presence = presence
        self.history = history
    }

    func right(to action: ClientAction) -> ClientRight {
        switch action {
        case .publish: publish
        case .presence: presence
        case .history: history
        }
    }
}

/// The clients that may subscribe. Where tokens count (all cases except `nobody`), a token that
/// names the topic also opens it: the operator's own application signed it.
package enum SubscribeRight: Sendable, Equatable {
    /// No client, not even with a token; for topics that are read only by the server API.
    case nobody
    /// Clients with a token for the topic.
    case token
    /// All clients, also anonymous ones.
    case anyone
    /// All clients with a user.
    case users
    /// The user whose topic it is.
    case owner(OwnerPattern)
    /// Users with a group that one of the patterns matches; the `groups` of their token, with `:`
    /// between the parts of a name.
    case members([NamePattern])
}

/// The clients that may publish, or request presence or history.
package enum ClientRight: Sendable, Equatable {
    case nobody
    /// The current subscribers, also anonymous ones.
    case subscribers
    /// All clients with a user.
    case users
    /// The user whose topic it is.
    case owner(OwnerPattern)
    /// All clients, also anonymous ones.
    case anyone
}
