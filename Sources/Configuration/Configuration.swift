// Configuration: the operator's settings, as values. Continue reading with
// ConfigurationSchema.swift (the keys), LoadedConfiguration.swift (the sources of the values) and
// docs/CONFIGURATION.md.

/// Everything that can be configured, with defaults that serve on loopback and poll nothing.
///
/// The values are plain: rules are texts, files are names. The code that builds the hub from them
/// compiles rules and opens files, and reports failures with `LoadedConfiguration.problem(at:_:)`.
package struct Configuration: Equatable, Sendable {
    package var listen = [ListenAddress(host: "127.0.0.1", port: 8000)]
    package var socketMode = SocketMode()
    package var admin = Admin()
    package var console = Console()
    package var database = "varde.sqlite"
    package var synchronous = Synchronous.normal
    /// Nil if this hub is the only one on its database.
    package var cluster: Cluster?
    /// Accepts known credentials, and webhooks on this machine; rejected on an address that other
    /// machines can reach.
    package var development = false
    package var loops = LoopCount.automatic
    package var usesRing = true
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.text
    /// Nil to serve plaintext.
    package var tls: TLS?
    /// Nil for the wall clock.
    package var clock: Clock?
    package var history = History()
    package var limits = Limits()
    package var rates = Rates()
    package var drain = Drain()
    package var tokens = Tokens()
    package var clients = Clients()
    package var api = API()
    package var http = HTTP()
    package var webSocket = WebSocket()
    package var eventStream = EventStream()
    package var tracing = Tracing()
    /// If nil, accounts are off, unless a domain needs them.
    package var accounts: Accounts?
    package var namespaces: [Namespace] = []
    /// The sections of domains.
    var sections = DomainSections()
    package var alerts: [Alert] = []
    package var alertLimits = AlertLimits()
    package var webhooks: [Webhook] = []
    package var webhookLimits = WebhookLimits()

    package init() {}

    /// The section of a domain; nil if the domain is off.
    package subscript<Section: DomainSection>(_ type: Section.Type) -> Section? {
        get { sections[type] }
        set { sections[type] = newValue }
    }

    /// Returns the configured namespaces, those of domains, that of the hub's own events, and that
    /// of the alerts of users' own rules. A configured namespace replaces another one of the same
    /// name. In a cluster, all of them are durable.
    package func servedNamespaces(_ domains: [Namespace]) -> [Namespace] {
        let brought: [Namespace] = domains + [hasLifecycle ? .hubWithLifecycle : .hub, .alerts]
        var served =
            namespaces
            + brought.filter { added in !namespaces.contains { $0.name == added.name } }
        if cluster != nil {
            for index in served.indices { served[index].durable = true }
        }
        return served
    }
}

extension Configuration {
    package enum LoopCount: Equatable, Sendable {
        /// One for each processor.
        case automatic
        case count(Int)
    }

    /// The levels of swift-log.
    package enum LogLevel: String, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum LogFormat: String, CaseIterable, Sendable {
        case text, json
    }

    /// The names of PEM files, and whether clients must present a certificate.
    package struct TLS: Equatable, Sendable {
        /// For clients that request a name which is in no certificate.
        package var certificate = ""
        package var key = ""
        package var keyPassword: Secret?
        /// Further certificates, chosen by the names in them.
        package var certificates: [Certificate] = []
        package var clientCertificates = ClientCertificates.none
        /// Nil if and only if clients do not present certificates.
        package var clientAuthorities: String?
        /// Handshakes of clients that do not support this version or a newer one are rejected.
        package var minimumVersion = Version.tls12

        package init() {}

        package enum Version: String, CaseIterable, Sendable {
            case tls12 = "1.2"
            case tls13 = "1.3"
        }

        package struct Certificate: Equatable, Sendable {
            package var certificate = ""
            package var key = ""
            package var keyPassword: Secret?

            package init() {}
        }

        package enum ClientCertificates: String, CaseIterable, Sendable {
            case none, optional, required
        }
    }

    /// A clock that follows the data, for replayed recordings.
    package struct Clock: Equatable, Sendable {
        package var start = Timestamp(milliseconds: 0)
        package var speed = 1.0
        /// Nil if it is unknown.
        package var end: Timestamp?

        package init() {}
    }

    /// Histories that are also in the store.
    package struct History: Equatable, Sendable {
        /// The bytes that all loops together keep of them.
        package var memory = 64 << 20

        package init() {}
    }

    /// The limits of one peer.
    package struct Limits: Equatable, Sendable {
        /// The limit of all peers together: see `MemoryBudget`.
        package var memory = 256 << 20
        package var headerBytes = 16 << 10
        package var bodyBytes = 1 << 20
        package var messageBytes = 1 << 20
        package var connectBytes = 32 << 10
        package var messageTimeout = Duration.seconds(30)
        package var queueBytes = 1 << 20
        package var handshakeTimeout = Duration.seconds(10)
        package var idleTimeout = Duration.seconds(75)
        package var closeTimeout = Duration.seconds(5)
        package var stallTimeout = Duration.seconds(10)
        package var userTimeout = Duration.seconds(30)
        package var frameBytes = 1 << 20
        package var fragments = 1 << 16
        package var controlFrames = 100
        package var connections = 20_000
        package var connectionsPerAddress = 10_000
        package var subscriptions = 512
        package var unpublishedTopics = 100_000
        /// A twentieth of `connections`: far more than the devices and open pages of one person,
        /// and enough for a service that connects a whole fleet as one user.
        package var connectionsPerUser = 1000
        package var subscriptionsPerUser = 0
        /// The limit of all peers together. It is off because a flood from many addresses would
        /// also block all other clients.
        package var handshakes = 0
        package var turnWrites = 1024
        package var turnAccepts = 64
        package var turnWork = 128 << 10

        package init() {}
    }

    package struct WebSocket: Equatable, Sendable {
        package var pingInterval = Duration.seconds(25)
        package var pongTimeout = Duration.seconds(8)
        package var compression = Compression()

        package init() {}
    }

    /// permessage-deflate. Window bits are the maximum that is negotiated.
    package struct Compression: Equatable, Sendable {
        package var enabled = true
        package var level = 6
        package var messageBytesMin = 128
        package var serverWindowBits = 15
        package var clientWindowBits = 15
        package var serverContextTakeover = false
        package var clientContextTakeover = false

        package init() {}
    }

    package struct EventStream: Equatable, Sendable {
        package var heartbeat = Duration.seconds(15)
        package var retry = Duration.seconds(2)

        package init() {}
    }

    package enum Severity: String, CaseIterable, Sendable {
        case info, warning, critical
    }

    /// A rule; the conditions are texts in the alert language.
    package struct Alert: Equatable, Sendable {
        package var name = ""
        package var topics = ""
        package var when = ""
        /// Nil for the time when `when` is no longer met.
        package var until: String?
        package var hold = Duration.zero
        package var keep = Duration.zero
        package var cooldown = Duration.zero
        package var severity = Severity.info
        package var escalate: [Escalation] = []
        /// Nil for a rule without quiet hours.
        package var quiet: Quiet?
        /// The language of `headline` in its events.
        package var language: String?

        package init() {}

        /// The bound from which an alert is more severe.
        package struct Escalation: Equatable, Sendable {
            package var severity = Severity.critical
            package var when = ""

            package init() {}

            /// The identity of an escalation in its rule.
            package var severityName: String { severity.rawValue }
        }

        /// The hours in which only critical alerts are sent, as texts: `22:00`, `07:00`, `+01:00`.
        package struct Quiet: Equatable, Sendable {
            package var from = ""
            package var to = ""
            package var zone = ClockZone.utc

            package init() {}
        }
    }

    /// The limits of alert rules: those of operators, and those of users, in total and for each.
    package struct AlertLimits: Equatable, Sendable {
        /// The number of operators' rules created through the API.
        package var rules = 1000
        /// The total number of users' rules.
        package var userRules = 5000
        package var rulesPerUser = 20
        /// The number of topics of which operators' rules keep values.
        package var topics = 1 << 16
        /// The same for all users' rules. A user below an equal share still gets more topics, so
        /// there may be up to twice as many.
        package var userTopics = 1 << 15
        package var topicsPerUser = 1000
        /// The size of the publications that wait for operators' rules.
        package var waitingBytes = 16 << 20
        package var userWaitingBytes = 16 << 20

        package init() {}
    }

    /// The targets that webhooks may call, the number of webhooks created through the API, and the
    /// limits of waiting messages.
    package struct WebhookLimits: Equatable, Sendable {
        /// Blocks in CIDR notation.
        package var allowAddresses: [String] = []
        /// In addition to the usual ports.
        package var ports: [Int] = []
        package var subscriptions = 1000
        /// The number of waiting messages for one endpoint.
        package var waiting = 100_000
        package var waitingAge = Duration.seconds(30 * 86_400)
        /// The key that encrypts the secrets of webhooks in the store; nil to store them as they
        /// are.
        package var secretKey: Secret?
        package var secretKeyFile: String?
        package var secretKeyEnvironment: String?

        package init() {}
    }

    package struct Webhook: Equatable, Sendable {
        package var name = ""
        package var url = ""
        package var secret: Secret?
        package var secretFile: String?
        package var secretEnvironment: String?
        package var types: [String] = []
        package var topics: [String] = []
        package var severities: [Severity] = []
        package var timeout = Duration.seconds(20)
        /// Attempts per second; 0 for no limit.
        package var rate = 0

        package init() {}
    }
}
