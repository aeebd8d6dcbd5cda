/// The numbers of connections and subscriptions that a revocation has ended.
package struct EndedByRevocation: Equatable, Sendable {
    package var connections = 0
    package var subscriptions = 0

    package init(connections: Int = 0, subscriptions: Int = 0) {
        self.connections = connections
        self.subscriptions = subscriptions
    }
}
