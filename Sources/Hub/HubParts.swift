/// The parts of a hub in addition to its loops. Creating it is the second phase of a start: all
/// parts restore their stored state.
final class HubParts: Sendable {
    let node: NodeParts
    let doors: OpenDoors
    /// Nil for a hub that does not lead.
    let leader: LeaderParts?
    private let hub: OpenedHub

    init(_ hub: OpenedHub, leads: Bool = true) async throws {
        self.hub = hub
        node = NodeParts(hub)
        doors = try await OpenDoors(hub, node)
        guard leads else {
            leader = nil
            _ = try await node.webhooks()
            return
        }
        leader = try await LeaderParts(hub, node, rules: hub.parts.rules)
    }

    private init(_ parts: HubParts, _ leader: LeaderParts?) {
        hub = parts.hub
        node = parts.node
        doors = parts.doors
        self.leader = leader
    }

    /// Returns the parts of the hub when it leads with other parts, or does not lead.
    func with(_ leader: LeaderParts?) -> HubParts { HubParts(self, leader) }

    /// Prepares everything that is required before the first request.
    func prepare() async throws {
        try await node.prepare()
        try await leader?.prepare()
    }

    func routes(
        _ hub: OpenedHub,
        clients: ClientCensus = ClientCensus(),
        access: RouteAccess
    ) -> Routes {
        var routes = Routes()
        node.add(to: &routes)
        doors.add(to: &routes, access: access)
        if let leader {
            leader.add(to: &routes, clients: clients, access: access)
        } else {
            for prefixes in LeaderParts.prefixes(hub, node) {
                routes.standIn(forLeader: prefixes)
            }
        }
        return routes
    }

    /// Returns the sections about a user that the domains store, followed by the hub's own.
    func userData(_ store: HubStore) -> [UserDataSection] { leader?.userData ?? [] }
}
