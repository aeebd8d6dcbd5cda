/// A door between the hub and an application of its users: a domain whose data are the application's.
///
/// The clients and requests that come through a door are on every node, so every node opens it, whether
/// or not it leads. Work that must be done once, such as polling, is in the `DomainService` that
/// `open(_:)` returns on the node that leads.
///
/// The documentation of a door states whether its effect is in the transaction of the event, which limits
/// it has, and how it reports a loss.
package protocol Door: Domain {
    /// Opens the door on a node, without starting anything. A hub opens each of its doors once.
    func open(on node: NodeContext) async throws -> any DoorService
}

extension Door {
    package var topicRules: [String: any TopicRules] { [:] }

    /// Of a door that has no work for the node that leads.
    package func open(_ hub: HubContext) async throws -> any DomainService { NothingToLead() }
}

/// A door of a node that runs.
package protocol DoorService: Sendable {
    /// Adds the routes that every node answers. Those of the node that leads are in its `DomainService`.
    func add(to routes: inout Routes, _ context: RouteContext)

    /// Asks the application about clients; nil for a door that does not.
    var hooks: (any ClientHooks)? { get }

    /// Learns who comes and goes; nil for a door that does not.
    var attendance: (any AttendanceObserver)? { get }

    /// Finds which users are online; nil for a door that does not.
    var userStatuses: (any UserStatuses)? { get }

    /// Takes a message of another node, or of this one, at its place among the commits. Returns false for
    /// one about something else.
    ///
    /// - Throws: an error for a message that cannot be read.
    func take(_ note: ClusterNote) throws -> Bool

    /// The state of the door on this node, for the console.
    func tables() async -> [StateTable]

    /// Connects the door to the topics once the loops run. Nil after they have ended: release the
    /// former value.
    func connect(_ topics: (any TopicControl)?)

    /// Does the background work of this node; returns when it is cancelled.
    func run() async
}

extension DoorService {
    package func add(to routes: inout Routes, _ context: RouteContext) {}

    package var hooks: (any ClientHooks)? { nil }

    package var attendance: (any AttendanceObserver)? { nil }

    package var userStatuses: (any UserStatuses)? { nil }

    package func take(_ note: ClusterNote) throws -> Bool { false }

    package func tables() async -> [StateTable] { [] }

    package func connect(_ topics: (any TopicControl)?) {}

    package func run() async {}
}

private struct NothingToLead: DomainService {
    func add(to routes: inout Routes, _ context: RouteContext) {}

    func forget(_ user: String) async throws {}

    func run() async {}
}
