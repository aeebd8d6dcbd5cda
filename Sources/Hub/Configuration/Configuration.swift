// Configuration: what an operator decides, as values. The reader goes on with
// ConfigurationSchema.swift (the keys), LoadedConfiguration.swift (where the values come from) and
// docs/CONFIGURATION.md.

import LogOutput
import Timekeeping

/// Everything that can be configured, with defaults that serve on loopback and poll nothing.
///
/// Plain values: rules are texts, files are names. Whoever builds the hub from them compiles and
/// opens them, and reports what fails with `LoadedConfiguration.problem(at:_:)`.
package struct Configuration: Equatable, Sendable {
    package var listen = [ListenAddress(host: "127.0.0.1", port: 8000)]
    package var socketMode = SocketMode()
    package var admin = Admin()
    package var database = "varde.sqlite"
    package var synchronous = Synchronous.normal
    /// Known credentials, and webhooks on this machine; refused on an address that others can reach.
    package var development = false
    package var loops = LoopCount.automatic
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.text
    /// Nil serves plain text.
    package var tls: TLS?
    /// Nil is the wall clock.
    package var clock: Clock?
    package var limits = Limits()
    package var rates = Rates()
    package var drain = Drain()
    package var tokens = Tokens()
    package var api = API()
    package var http = HTTP()
    package var webSocket = WebSocket()
    package var eventStream = EventStream()
    package var tracing = Tracing()
    /// Nil leaves accounts off, unless a domain needs them.
    package var accounts: Accounts?
    package var namespaces: [Namespace] = []
    /// Of domains.
    var sections = DomainSections()
    package var alerts: [Alert] = []
    package var alertLimits = AlertLimits()
    package var webhooks: [Webhook] = []
    package var webhookLimits = WebhookLimits()

    package init() {}

    /// The section of a domain; nil switches the domain off.
    package subscript<Section: DomainSection>(_ type: Section.Type) -> Section? {
        get { sections[type] }
        set { sections[type] = newValue }
    }

    /// The configured namespaces, those that domains bring, that of the hub's own events, and that of the alerts of
    /// users' own rules. A configured one stands for the one of its name.
    package func servedNamespaces(_ domains: [Namespace]) -> [Namespace] {
        let brought: [Namespace] = domains + [.hub, .alerts]
        return namespaces
            + brought.filter { added in !namespaces.contains { $0.name == added.name } }
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

    /// The names of PEM files, and who has to show a certificate.
    package struct TLS: Equatable, Sendable {
        /// For clients that ask for a name which is in no certificate.
        package var certificate = ""
        package var key = ""
        package var keyPassword: Secret?
        /// Further ones, chosen by the names in them.
        package var certificates: [Certificate] = []
        package var clientCertificates = ClientCertificates.none
        /// Nil exactly when clients show none.
        package var clientAuthorities: String?
        /// Handshakes of clients that support no newer version are refused.
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

    /// A clock of the data's own, for replayed recordings.
    package struct Clock: Equatable, Sendable {
        package var start = Timestamp(milliseconds: 0)
        package var speed = 1.0

        package init() {}
    }

    /// What one peer may take of us.
    package struct Limits: Equatable, Sendable {
        /// Of all peers together: see `MemoryBudget`.
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
        /// A twentieth of `connections`: many more than a person has devices and open pages, and as many as
        /// a service has that connects a whole fleet as one user.
        package var connectionsPerUser = 1000
        package var subscriptionsPerUser = 0
        /// Of all together, so off: a flood from many addresses would turn everybody away with it.
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

    /// permessage-deflate. Window bits are the most that is agreed to.
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
        /// Nil: when `when` is no longer met.
        package var until: String?
        package var hold = Duration.zero
        package var keep = Duration.zero
        package var cooldown = Duration.zero
        package var severity = Severity.info
        package var escalate: [Escalation] = []
        /// Nil for a rule that tells at any hour.
        package var quiet: Quiet?
        /// Of `headline` in its events.
        package var language: String?

        package init() {}

        /// From which bound on an alert is more severe.
        package struct Escalation: Equatable, Sendable {
            package var severity = Severity.critical
            package var when = ""

            package init() {}

            /// What tells the escalations of a rule apart.
            package var severityName: String { severity.rawValue }
        }

        /// The hours in which only what is critical is told, as texts: `22:00`, `07:00`, `+01:00`.
        package struct Quiet: Equatable, Sendable {
            package var from = ""
            package var to = ""
            package var zone = ClockZone.utc

            package init() {}
        }
    }

    /// What alert rules may take: those of operators, and those of users, all of them and each.
    package struct AlertLimits: Equatable, Sendable {
        /// Operators' rules made by the API.
        package var rules = 1000
        /// Users' rules, all of them.
        package var userRules = 5000
        package var rulesPerUser = 20
        /// Topics that operators' rules keep values of.
        package var topics = 1 << 16
        /// The same for all users' rules. A user below an equal share gets more all the same, so it is up to
        /// twice as many.
        package var userTopics = 1 << 15
        package var topicsPerUser = 1000
        /// Publications that wait for operators' rules.
        package var waitingBytes = 16 << 20
        package var userWaitingBytes = 16 << 20

        package init() {}
    }

    /// Whom webhooks may call, how many of them users of the API make, and what may wait for each.
    package struct WebhookLimits: Equatable, Sendable {
        /// Blocks in CIDR notation.
        package var allowAddresses: [String] = []
        /// Beside the usual ones.
        package var ports: [Int] = []
        package var subscriptions = 1000
        /// Messages of one endpoint that wait.
        package var waiting = 100_000
        package var waitingAge = Duration.seconds(30 * 86_400)
        /// What seals the secrets of webhooks in the store; nil to leave them as they are.
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
        /// Attempts a second; 0 for as many as there are.
        package var rate = 0

        package init() {}
    }
}
