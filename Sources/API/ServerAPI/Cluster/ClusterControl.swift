import ClientWire
import Loops
import Service

/// Tells the other nodes of a cluster what to do to their connections.
package struct ClusterControl: Sendable {
    package let store: HubStore
    package let node: String
    /// Nil without a cluster.
    package let surveys: ClusterSurveys?
    package let logger: Logger

    package init(store: HubStore, node: String, surveys: ClusterSurveys?, logger: Logger) {
        self.store = store
        self.node = node
        self.surveys = surveys
        self.logger = logger
    }

    /// Gives the other nodes a command, which they carry out at its place among the commits. Does
    /// nothing without a cluster.
    ///
    /// - Throws: `ServerAPIError` if the command could not be stored; no node carries it out then.
    func tell(_ command: ClusterCommand) async throws(ServerAPIError) {
        guard store.isShared else { return }
        do {
            try await store.tell(try command.note(from: node))
        } catch {
            logger.warning(
                "command not sent to the other nodes",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            throw ServerAPIError(storing: error)
        }
    }

    /// Returns when every living node has carried out the commands of this node so far.
    func settle() async { await store.waitForNodes() }

    /// Carries out a command of another node, for `StoreObserver.noted`.
    package func take(
        _ note: ClusterNote,
        _ transport: Transport,
        _ shared: HubShared,
        _ presence: ClusterPresence?
    ) {
        do {
            if surveys?.take(note) == true { return }
            if try presence?.take(note) == true { return }
            guard let command = try ClusterCommand.command(note, on: node) else { return }
            transport.carryOut(command, shared)
        } catch {
            logger.error("note of another node cannot be read", metadata: ["err": "\(error)"])
        }
    }
}

/// A domain's control over the subscriptions of all nodes.
package struct ClusterTopicControl: TopicControl {
    private let transport: Transport
    private let cluster: ClusterControl

    package init(_ transport: Transport, _ cluster: ClusterControl) {
        self.transport = transport
        self.cluster = cluster
    }

    package func end(_ topics: [Topic], _ code: UnsubscribeCode, sparing user: String?) async {
        await transport.end(topics, code, sparing: user)
        await tell(.endTopics(topics, code: code, sparing: user))
    }

    package func unsubscribe(user: String, from topic: Topic) async {
        await transport.unsubscribe(user: user, from: topic)
        await tell(.unsubscribe(.init(user: user), topic: topic))
    }

    package func disconnect(user: String) async {
        await transport.disconnect(user: user)
        await tell(.disconnect(.init(connections: .init(user: user))))
    }

    package func disconnect(user: String, logins: [String]) async {
        await transport.disconnect(user: user, logins: logins)
        await tell(.endLogins(user: user, logins: logins))
    }

    package func subscribedTopics(inNamespaces namespaces: Set<String>) async -> [Topic: Int] {
        var counts = await cluster.surveys?.ask(.namespaces(namespaces))?.counts ?? [:]
        for (topic, count) in await transport.subscribedTopics(inNamespaces: namespaces) {
            counts[topic, default: 0] += count
        }
        return counts
    }

    /// An error is logged: the domain's own change is stored.
    private func tell(_ command: ClusterCommand) async {
        try? await cluster.tell(command)
        await cluster.settle()
    }
}
