import Access
import DomainKit
import HTTPService
import Shards
import Store

/// The parts of a hub in addition to its loops. Creating it is the second phase of a start: all
/// parts restore their stored state.
struct HubParts: Sendable {
    let node: NodeParts
    let leader: LeaderParts

    init(_ hub: OpenedHub) async throws {
        node = NodeParts(hub)
        leader = try await LeaderParts(hub, node, rules: hub.parts.rules)
    }

    /// Prepares everything that is required before the first request.
    func prepare() async throws {
        try await node.prepare()
        try await leader.prepare()
    }

    func routes(
        _ hub: OpenedHub,
        clients: ClientCensus = ClientCensus(),
        access: RouteAccess
    ) -> Routes {
        var routes = Routes()
        node.add(to: &routes)
        leader.add(to: &routes, clients: clients, access: access)
        return routes
    }

    /// Returns the sections about a user that the domains store, followed by the hub's own.
    func userData(_ store: HubStore) -> [UserDataSection] { leader.userData }

    /// Connects the parts to the running loops; nil disconnects them after the loops have ended.
    func connect(_ topics: (any TopicControl)?) {
        node.accounts?.connect(topics)
        leader.connect(topics)
    }
}
