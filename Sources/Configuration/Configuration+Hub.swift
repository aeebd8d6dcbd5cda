/// Topics: permissions, retention, and the treatment of slow subscribers.
extension Configuration {
    /// The rules for all topics whose names begin with the same namespace.
    package struct Namespace: Equatable, Sendable {
        package var name = ""
        package var durable = true
        package var historySize = 1000
        /// Counted as `Publication.wireLength`.
        package var historyBytes = 4 << 20
        package var historyAge = Duration.seconds(24 * 3600)
        /// Zero for never.
        package var forgetAfter = Duration.seconds(30 * 86_400)
        /// The maximum number of topics that are kept only in memory; durable ones are not counted.
        package var maxTopics = 100_000
        package var maxTopicsPerPublisher = 1000
        package var recovery = RecoveryMode.stream
        package var presence = false
        package var joinLeave = false
        package var delta = false
        package var anonymousSubscribe = false
        package var subscribe = Subscribers.token
        /// Patterns of groups, for `subscribe: members`.
        package var members: [String] = []
        /// The pattern that identifies the owner of a topic: `activity:{userId}`; nil if the owner
        /// is the part after the namespace.
        package var owner: String?
        package var publish = Publishers.nobody
        package var slowConsumer = SlowConsumer.close
        package var hooks = NamespaceHooks()
        /// The events about its topics.
        package var lifecycle: [TopicLifecycle] = []

        package init() {}

        /// The alerts of users' own rules, `alerts:{user}`, each only for its user.
        package static let alerts: Namespace = {
            var namespace = Namespace()
            namespace.name = userAlertsNamespace
            namespace.historySize = 50
            namespace.historyAge = .seconds(7 * 86_400)
            namespace.subscribe = .owner
            return namespace
        }()

        /// The hub's own events, for clients with a token for them: `Topic.webhooks`.
        package static let hub: Namespace = {
            var namespace = Namespace()
            namespace.name = "hub"
            namespace.historySize = 100
            namespace.historyAge = .seconds(7 * 86_400)
            return namespace
        }()

        /// The same, with the events about who comes and goes: `Topic.life`.
        package static let hubWithLifecycle: Namespace = {
            var namespace = hub
            namespace.historySize = 10_000
            return namespace
        }()
    }

    /// The clients that may subscribe to a topic, if not all clients may.
    package enum Subscribers: String, CaseIterable, Sendable {
        /// Clients whose subscription token names the topic.
        case token
        /// The user who owns the topic.
        case owner
        /// Clients with one of the groups in `members`.
        case members
        /// All clients with a connection token.
        case users
        /// No client, whatever its token.
        case nobody
    }

    /// The clients that may publish to a topic.
    package enum Publishers: String, CaseIterable, Sendable {
        case nobody, subscribers, owner, users, anyone
    }

    /// The treatment of a subscriber that does not read.
    package enum SlowConsumer: String, CaseIterable, Sendable {
        case close
        case dropOldest = "drop_oldest"
        case latestPerKey = "latest_per_key"
    }

    /// The point at which a commit must have reached the disk.
    package enum Synchronous: String, CaseIterable, Sendable {
        case normal, full
    }
}

/// Credentials.
extension Configuration {
    /// The verification of clients' tokens.
    package struct Tokens: Equatable, Sendable {
        /// The secrets for HS256; a list, so that they can be rotated.
        package var secrets: [Secret] = []
        /// The names of PEM files: RS256, ES256, EdDSA.
        package var publicKeys: [String] = []
        package var jwksFile: String?
        package var jwksURL: String?
        package var audience: String?
        package var issuer: String?
        package var leeway = Duration.zero
        package var required = false
        package var requireExpiry = false

        package init() {}
    }

    /// Access to the server API.
    package struct API: Equatable, Sendable {
        package var keys: [APIKey] = []

        package init() {}
    }

    /// A key of the server API, and its permissions.
    package struct APIKey: Equatable, Sendable {
        /// `sha256:` and the digest of a key in hexadecimal, or the key.
        package var key = Secret("")
        /// The name in log entries; nil for the index in the list.
        package var name: String?
        /// Names and groups of `APIScopes`; empty for all.
        package var methods: [String] = []
        /// Empty for all namespaces.
        package var namespaces: [String] = []
        package var readOnly = false

        package init() {}

        package init(_ key: Secret) {
            self.key = key
        }
    }
}

/// Limits of rates, and the drain.
extension Configuration {
    /// Events per second; 0 for no limit. The defaults only limit floods, and are far above the
    /// rates of normal applications: docs/CONFIGURATION.md, `rates`.
    package struct Rates: Equatable, Sendable {
        package var connection = ConnectionRate()
        package var user = Rate()
        package var address = AddressRate()

        package init() {}
    }

    package struct ConnectionRate: Equatable, Sendable {
        package var commands = 10_000
        package var publishes = 10_000

        package init() {}
    }

    package struct Rate: Equatable, Sendable {
        /// At this rate, all connections of a user reconnect in ten seconds.
        package var connects = 100
        /// All connections of a user together get the rate of one connection.
        package var commands = 10_000
        package var publishes = 10_000

        package init() {}
    }

    package struct AddressRate: Equatable, Sendable {
        /// The rate at which `limits.connections_per_address` connections reconnect over
        /// `drain.spread`: an address may be a proxy.
        package var connects = 2000
        /// Five per second for each of the connections.
        package var commands = 50_000
        package var publishes = 20_000
        /// Requests of `/auth`: enough for 5,000 people behind one address who open the app within
        /// five minutes, each with an expired token.
        package var logins = 20

        package init() {}
    }

    /// The shutdown of the hub.
    package struct Drain: Equatable, Sendable {
        /// The period over which connections are closed, if there are many.
        package var spread = Duration.seconds(5)
        /// The time after which remaining connections are cut.
        package var timeout = Duration.seconds(15)

        package init() {}
    }

    /// Settings for every client, whatever its topics.
    package struct Clients: Equatable, Sendable {
        /// The hook that is asked who a client without a valid token is; nil for none.
        package var connectHook: String?
        /// The hook that is asked whether a client that `connectHook` let in may stay; nil for none.
        package var refreshHook: String?
        /// The hooks of methods that clients call, by patterns of their names.
        package var rpcHooks: [String: String] = [:]
        /// The events about connections and users.
        package var lifecycle: [ClientLifecycle] = []
        /// The length of an absence that is one.
        package var leaveAfter = Duration.seconds(5)

        package init() {}
    }

    /// Events about clients.
    package enum ClientLifecycle: String, CaseIterable, Sendable {
        case clients, users
    }

    /// Events about the topics of a namespace.
    package enum TopicLifecycle: String, CaseIterable, Sendable {
        case topics, members
    }

    /// Whether there are any events about who comes and goes.
    package var hasLifecycle: Bool {
        !clients.lifecycle.isEmpty || namespaces.contains { !$0.lifecycle.isEmpty }
    }

    /// The hooks that decide about the topics of a namespace; nil for none.
    package struct NamespaceHooks: Equatable, Sendable {
        package var subscribe: String?
        package var subRefresh: String?
        package var publish: String?
        package var cacheEmpty: String?

        package init() {}
    }

    /// Every key that names a hook, with the name.
    package var namedHooks: [(path: String, hook: String)] {
        var found: [(path: String, hook: String?)] = [
            ("clients.connect_hook", clients.connectHook),
            ("clients.refresh_hook", clients.refreshHook),
        ]
        found += clients.rpcHooks.sorted { $0.key < $1.key }.map {
            ("clients.rpc_hooks.\($0.key)", $0.value)
        }
        for (index, namespace) in namespaces.enumerated() {
            let hooks = namespace.hooks
            found += [
                ("subscribe_hook", hooks.subscribe), ("sub_refresh_hook", hooks.subRefresh),
                ("publish_hook", hooks.publish), ("cache_empty_hook", hooks.cacheEmpty),
            ].map { ("namespaces[\(index)].\($0.0)", $0.1) }
        }
        return found.compactMap { path, hook in hook.map { (path, $0) } }
    }
}
