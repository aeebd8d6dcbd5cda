/// The permitted uses of an API key, and its name in log entries.
package struct APIKeyGrant: Sendable, Equatable {
    package let name: String
    /// Names of `APIScopes`; nil allows all.
    private let methods: Set<String>?
    /// Nil allows all.
    private let namespaces: Set<String>?
    private let isReadOnly: Bool

    /// - Parameters:
    ///   - methods: names and groups of `APIScopes`; empty allows all.
    ///   - namespaces: empty allows all.
    package init(
        name: String,
        methods: [String] = [],
        namespaces: [String] = [],
        isReadOnly: Bool = false
    ) {
        self.name = name
        self.methods = methods.isEmpty ? nil : Set(methods.flatMap(APIScopes.members))
        self.namespaces = namespaces.isEmpty ? nil : Set(namespaces)
        self.isReadOnly = isReadOnly
    }

    /// One use of a key.
    package struct Use: Sendable, Equatable {
        /// One of `APIScopes.names`.
        package var method: String
        package var changesSomething: Bool
        /// Of the topics that it is about; nil for a use that is not limited to topics.
        package var namespaces: Set<String>?

        package init(_ method: String, changesSomething: Bool, namespaces: Set<String>?) {
            self.method = method
            self.changesSomething = changesSomething
            self.namespaces = namespaces
        }
    }

    /// The scope that a use needs and that the key does not have; nil if the use is permitted.
    package func missingScope(for use: Use) -> String? {
        if let methods, !methods.contains(use.method) { return "methods: \(use.method)" }
        if isReadOnly, use.changesSomething { return "read_only: false" }
        guard let namespaces else { return nil }
        guard let used = use.namespaces else {
            return "namespaces: all, because \(use.method) is not limited to channels"
        }
        return used.subtracting(namespaces).min().map { "namespaces: \($0)" }
    }

    /// The reason of a refusal, which the holder of the key receives.
    ///
    /// - Parameter scope: from `missingScope`.
    package func refusal(lacking scope: String) -> String {
        "the API key \(name) lacks the scope \(scope)"
    }

    /// Whether the key may be used for topics of a namespace.
    package func allows(namespace: some StringProtocol) -> Bool {
        namespaces?.contains(String(namespace)) ?? true
    }
}

/// The names of the scopes of API keys.
package enum APIScopes {
    package static let publishing = ["publish", "broadcast"]
    package static let reading = [
        "presence", "presence_stats", "history", "channels", "connections_list", "info",
        "get_user_status", "why",
    ]
    package static let connections = ["subscribe", "unsubscribe", "disconnect", "refresh"]
    package static let users = [
        "revoke_token", "invalidate_user_tokens", "block_user", "unblock_user",
    ]
    /// Routes in addition to the methods: `/api/webhooks`, `/api/alerts`, and those of the apps.
    package static let routes = ["webhooks", "alerts", "apps"]

    private static let groups = [
        "publishing": publishing, "reading": reading, "connections": connections, "users": users,
    ]

    /// Everything that a use can be.
    package static let names =
        publishing + reading + connections + ["history_remove"] + users + routes

    /// The names allowed in a configuration.
    package static let known = names + groups.keys.sorted()

    /// The names of a group, or a name itself.
    static func members(_ name: String) -> [String] { groups[name] ?? [name] }
}
