// DomainKit: what a domain is to the hub, and what the hub gives it.

import Access
import Accounts
import Configuration
import HTTPService
import Shards

/// A domain, as the configuration switches it on: known without a hub, so that a configuration is checked by what it
/// is used for.
///
/// A hub starts in this order: every domain is made of the configuration, the store is opened, every domain is opened
/// (`open`) and prepared, its routes are added, the loops run, and its work begins (`DomainService`).
package protocol Domain: Sendable {
    /// Its section of the configuration. A domain without it is off.
    associatedtype Section: DomainSection

    /// What is known of the domain whether or not it is on.
    static var manifest: DomainManifest { get }

    /// The domain as it is configured.
    ///
    /// - Parameters:
    ///   - section: without contradictions, as its reader leaves it.
    ///   - report: is told the path of a key, and what is wrong with its value. A hub does not start with what was
    ///     reported.
    init(
        _ section: Section,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    )

    /// By namespace. Each loop has a copy.
    var topicRules: [String: any TopicRules] { get }

    /// Paths of WebSockets that are answered by the loops.
    var sockets: [TopicSocket] { get }

    /// The accounts of its users, for a domain whose users log in at the hub; at most one of a hub's domains has some.
    /// Accounts are then on, whether or not they are configured.
    var users: (any AccountDirectory)? { get }

    /// Takes back what the store has kept. Starts nothing.
    func open(_ hub: HubContext) async throws -> any DomainService
}

extension Domain {
    package var sockets: [TopicSocket] { [] }

    package var users: (any AccountDirectory)? { nil }

    /// What it adds to the configuration file.
    package static var configuration: DomainConfiguration {
        DomainConfiguration(
            Section.self,
            reservedNamespaces: manifest.reserved.names,
            defaultAlerts: manifest.defaultAlerts
        )
    }

    /// As `init`, for a caller that does not know the type of the section; nil for a domain that is off.
    package static func configured(
        _ configuration: Configuration,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) -> (any Domain)? {
        configuration[Section.self].map {
            Self($0, environment: environment, report: report)
        }
    }
}

/// A domain of a hub that runs.
package protocol DomainService: Sendable {
    /// Whatever has to be there before the first request.
    func prepare() async throws

    func add(to routes: inout Routes, _ context: RouteContext)

    /// What the domain stores about a user: the user can ask for it.
    var userData: [UserDataSection] { get }

    /// The loops run; nil: they have ended, and are not to be kept.
    func connect(_ topics: (any TopicControl)?)

    /// Work in the background; returns when it is cancelled.
    func run() async
}

extension DomainService {
    package var userData: [UserDataSection] { [] }

    package func prepare() async throws {}

    package func connect(_ topics: (any TopicControl)?) {}
}

extension [any Domain.Type] {
    /// What the domains add to the configuration file.
    package var configurations: [DomainConfiguration] { map { $0.configuration } }
}
