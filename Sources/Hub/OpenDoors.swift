import API

/// The doors of a node, which are open whether or not the node leads.
struct OpenDoors: Sendable {
    private let all: [(name: String, service: any DoorService)]

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

    /// Connects the doors to the running loops; nil disconnects them.
    func connect(_ topics: (any TopicControl)?) {
        for door in all { door.service.connect(topics) }
    }

    func run(in group: inout DiscardingTaskGroup) {
        for door in all { group.addTask { await door.service.run() } }
    }
}
