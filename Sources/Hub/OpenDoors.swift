import API

/// The doors of a node, which are open whether or not the node leads.
struct OpenDoors: Sendable {
    private let all: [(name: String, service: any DoorService)]
    private let logger: Logger

    init(_ hub: OpenedHub, _ node: NodeParts) async throws {
        let context = NodeContext(
            node: hub.node,
            configuration: hub.configuration,
            store: hub.store,
            clock: hub.clock,
            upstream: hub.client,
            redirects: WebhookConnector.Rules(hub.configuration).redirects,
            userAgent: Version.userAgent,
            outbox: node.outbox,
            metrics: hub.metrics.registry,
            accounts: node.accounts,
            logger: hub.logger
        )
        var all: [(name: String, service: any DoorService)] = []
        for door in hub.parts.doors {
            all.append((type(of: door).manifest.name, try await door.open(on: context)))
        }
        self.all = all
        logger = hub.logger
    }

    func add(to routes: inout Routes, access: RouteAccess) {
        DoorRoutes(doors: {
            var found: [(name: String, tables: [StateTable])] = []
            for door in all { found.append((door.name, await door.service.tables())) }
            return found
        }).add(to: &routes)
        let context = RouteContext(access: access, reads: FairReads())
        for door in all { door.service.add(to: &routes, context) }
    }

    /// Asks an application about clients; nil without such a door.
    var hooks: (any ClientHooks)? { all.lazy.compactMap { $0.service.hooks }.first }

    /// Learns who comes and goes; nil without such a door.
    var attendance: (any AttendanceObserver)? {
        all.lazy.compactMap { $0.service.attendance }.first
    }

    /// Finds which users are online; nil without such a door.
    var userStatuses: (any UserStatuses)? {
        all.lazy.compactMap { $0.service.userStatuses }.first
    }

    /// Passes a message of a node to the door that it is for. Returns false if there is none.
    func take(_ note: ClusterNote) -> Bool {
        do {
            return try all.contains { try $0.service.take(note) }
        } catch {
            logger.error("note of another node cannot be read", metadata: ["err": "\(error)"])
            return true
        }
    }

    /// Connects the doors to the running loops; nil disconnects them.
    func connect(_ topics: (any TopicControl)?) {
        for door in all { door.service.connect(topics) }
    }

    func run(in group: inout DiscardingTaskGroup) {
        for door in all { group.addTask { await door.service.run() } }
    }
}
