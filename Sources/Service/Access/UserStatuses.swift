import ClientWire

/// Finds which users are online, on all nodes.
package protocol UserStatuses: Sendable {
    /// The states of these users, in their order.
    func statuses(of users: [String]) async throws -> [ServerAPIResult.UserStatus]
}
