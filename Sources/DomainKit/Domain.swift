// DomainKit: the interface between the hub and its domains.

/// A domain, as it is configured. It is created without a hub, so that checks of a configuration
/// run the same code that uses it.
///
/// A hub starts in this order: every domain is created from the configuration, the store is opened,
/// every domain is opened (`open`) and prepared, its routes are added, the loops run, and its work
/// begins (`DomainService`).
package protocol Domain: Sendable {
    /// The domain's section of the configuration. A domain without it is off.
    associatedtype Section: DomainSection

    /// The properties of the domain that do not depend on whether it is on.
    static var manifest: DomainManifest { get }

    /// The domain's section; nil if the domain is off.
    static func section(of configuration: Configuration) -> Section?

    /// Creates the domain as it is configured.
    ///
    /// - Parameters:
    ///   - section: without contradictions, as returned by its reader.
    ///   - report: receives the path of a key, and the error in its value. A hub does not start
    ///     after a report.
    init(
        _ section: Section,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    )

    /// The rules by namespace. Each loop has a copy.
    var topicRules: [String: any TopicRules] { get }

    /// Paths of WebSockets that the loops handle.
    var sockets: [TopicSocket] { get }

    /// The accounts of its users, for a domain whose users log in at the hub; at most one of a
    /// hub's domains has accounts. Accounts are then on, whether or not they are configured.
    var users: (any AccountDirectory)? { get }

    /// Checks the files that `prepare` reads. It is called before the store is opened, so that a start
    /// that fails for such a reason leaves no new database behind.
    func checkFiles() throws

    /// Restores the domain's state from the store, without starting anything.
    ///
    /// A hub may open a domain several times, each time after it has closed it: with other nodes of
    /// a cluster, it leads from time to time. `open` and `prepare` must not depend on what an
    /// earlier service had in memory.
    func open(_ hub: HubContext) async throws -> any DomainService

    /// Drops the state that the rules of topics and the sockets use, which another node may change
    /// from now on. The service that was opened has ended.
    func close()
}

extension Domain {
    package var sockets: [TopicSocket] { [] }

    package var users: (any AccountDirectory)? { nil }

    package func checkFiles() throws {}

    package func close() {}

    package static func section(of configuration: Configuration) -> Section? {
        configuration[Section.self]
    }

    /// The domain's additions to the configuration file.
    package static var configuration: DomainConfiguration {
        DomainConfiguration(
            Section.self,
            reservedNamespaces: manifest.reserved.names,
            defaultAlerts: manifest.defaultAlerts
        )
    }

    /// Like `init`, for callers without the type of the section; returns nil if the domain is off.
    package static func configured(
        _ configuration: Configuration,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) -> (any Domain)? {
        section(of: configuration).map {
            Self($0, environment: environment, report: report)
        }
    }
}

/// A domain of a running hub.
package protocol DomainService: Sendable {
    /// Prepares everything that the first request needs.
    func prepare() async throws

    func add(to routes: inout Routes, _ context: RouteContext)

    /// The domain's stored data about a user, returned when the user requests it.
    var userData: [UserDataSection] { get }

    /// Deletes all that the domain stores about a user whose account was deleted, with the topics
    /// that are not the user's own (`TopicRules.isOwn`) but belong to data of the user. It is called
    /// again until it succeeds, and once more after requests of the user may have ended. A domain
    /// with accounts deletes its users in the transaction that deletes the account.
    ///
    /// - Parameter user: the name of the user in access tokens; also one without any data
    ///   in the domain.
    func forget(_ user: String) async throws

    /// Connects the domain to the topics once the loops run. Nil after the service or the loops
    /// have ended: release the former value.
    func connect(_ topics: (any TopicControl)?)

    /// Does background work; returns when it is cancelled. When it has returned, and no request is
    /// in progress, no code of the domain commits.
    func run() async
}

extension DomainService {
    package var userData: [UserDataSection] { [] }

    package func prepare() async throws {}

    package func connect(_ topics: (any TopicControl)?) {}
}

extension [any Domain.Type] {
    /// The domains' additions to the configuration file.
    package var configurations: [DomainConfiguration] { map { $0.configuration } }
}
