import Alerts
import PubSub

/// Topics: who may use them, how they are kept, and what happens to those who read too slowly.
extension Configuration {
    /// The rules for all topics whose names begin alike.
    package struct Namespace: Equatable, Sendable {
        package var name = ""
        package var durable = true
        package var historySize = 1000
        /// As `Publication.wireLength` counts them.
        package var historyBytes = 4 << 20
        package var historyAge = Duration.seconds(24 * 3600)
        /// Zero for never.
        package var forgetAfter = Duration.seconds(30 * 86_400)
        /// Topics that are kept only in memory; durable ones are not counted.
        package var maxTopics = 100_000
        package var maxTopicsPerPublisher = 1000
        package var recovery = RecoveryMode.stream
        package var presence = false
        package var joinLeave = false
        package var delta = false
        package var anonymousSubscribe = false
        package var subscribe = Subscribers.token
        /// Patterns of groups; for `subscribe: members`.
        package var members: [String] = []
        /// Whose topic is whose: `activity:{userId}`; nil for what stands behind the namespace.
        package var owner: String?
        package var publish = Publishers.nobody
        package var slowConsumer = SlowConsumer.close

        package init() {}

        /// The alerts of users' own rules, `alerts:{user}`, each for its user alone.
        package static let alerts: Namespace = {
            var namespace = Namespace()
            namespace.name = userAlertsNamespace
            namespace.historySize = 50
            namespace.historyAge = .seconds(7 * 86_400)
            namespace.subscribe = .owner
            return namespace
        }()

        /// What the hub tells of itself, to those who have a token for it: `Topic.webhooks`.
        package static let hub: Namespace = {
            var namespace = Namespace()
            namespace.name = "hub"
            namespace.historySize = 100
            namespace.historyAge = .seconds(7 * 86_400)
            return namespace
        }()
    }

    /// Which clients may subscribe to a topic where not everyone may.
    package enum Subscribers: String, CaseIterable, Sendable {
        /// Those whose subscription token names it.
        case token
        /// The user whose topic it is.
        case owner
        /// Those with one of the groups in `members`.
        case members
        /// Whoever has a connection token.
        case users
        /// No client at all, whatever its token.
        case nobody
    }

    /// Which clients may publish to a topic.
    package enum Publishers: String, CaseIterable, Sendable {
        case nobody, subscribers, owner, users, anyone
    }

    /// What happens to a subscriber that does not take what is sent.
    package enum SlowConsumer: String, CaseIterable, Sendable {
        case close
        case dropOldest = "drop_oldest"
        case latestPerKey = "latest_per_key"
    }

    /// When a commit has reached the disk.
    package enum Synchronous: String, CaseIterable, Sendable {
        case normal, full
    }
}

/// Credentials.
extension Configuration {
    /// How the tokens of clients are verified.
    package struct Tokens: Equatable, Sendable {
        /// Of HS256; a list, so that one can take another's place.
        package var secrets: [Secret] = []
        /// PEM files: RS256, ES256, EdDSA.
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

    /// Who may use the server API.
    package struct API: Equatable, Sendable {
        package var keys: [APIKey] = []

        package init() {}
    }

    /// A key of the server API, and what it may be used for.
    package struct APIKey: Equatable, Sendable {
        /// `sha256:` and the digest of a key in hexadecimal, or the key.
        package var key = Secret("")
        /// For log entries; nil for its place in the list.
        package var name: String?
        /// Of `APIScopes`; empty for all.
        package var methods: [String] = []
        /// Empty for all.
        package var namespaces: [String] = []
        package var readOnly = false

        package init() {}

        package init(_ key: Secret) {
            self.key = key
        }
    }
}

/// How much at once.
extension Configuration {
    /// Events in a second; 0 for no limit. The defaults are for floods, and far above what applications do:
    /// docs/CONFIGURATION.md, `rates`.
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
        /// All connections of a user at once take ten seconds.
        package var connects = 100
        /// All connections of a user together get what one connection may take.
        package var commands = 10_000
        package var publishes = 10_000

        package init() {}
    }

    package struct AddressRate: Equatable, Sendable {
        /// The rate at which `limits.connections_per_address` connections reconnect over `drain.spread`: an
        /// address may be a proxy.
        package var connects = 2000
        /// Five a second of each of as many connections.
        package var commands = 50_000
        package var publishes = 20_000
        /// Requests of `/auth`: as many as come when 5,000 people behind one address open the app within
        /// five minutes, each with a token that has expired.
        package var logins = 20

        package init() {}
    }

    /// The end of the hub.
    package struct Drain: Equatable, Sendable {
        /// Over what time the connections are closed, if there are many.
        package var spread = Duration.seconds(5)
        /// When those that are left are cut.
        package var timeout = Duration.seconds(15)

        package init() {}
    }
}
