import PubSub

/// The rules of one namespace. Closed unless said otherwise: a subscription takes a token, and nothing
/// else is for clients.
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

/// Who may subscribe. Where tokens count (all but `nobody`) one that names the topic opens it, too: the
/// operator's own application signed it.
package enum SubscribeRight: Sendable, Equatable {
    /// Not even with a token; for topics that are read by the server API alone.
    case nobody
    /// Whoever has a token for the topic.
    case token
    /// Everybody, known or not.
    case anyone
    /// Everybody who has a user.
    case users
    /// The user whose topic it is.
    case owner(OwnerPattern)
    /// Users with a group that one of the patterns matches; the `groups` of their token, with `:`
    /// between the parts of a name.
    case members([NamePattern])
}

/// Who of the clients may publish, or ask for presence or history.
package enum ClientRight: Sendable, Equatable {
    case nobody
    /// Who is subscribed at the moment, known or not.
    case subscribers
    /// Everybody who has a user.
    case users
    /// The user whose topic it is.
    case owner(OwnerPattern)
    /// Everybody, known or not.
    case anyone
}
