/// The subscriptions of other nodes' clients, by the node's process.
struct RemotePresence {
    private struct Key: Hashable {
        let topic: Topic
        let client: String
    }

    private struct Node {
        var entries: [Key: PresenceMessage.Change] = [:]
        /// Those of the snapshot under way.
        var refreshed: Set<Key> = []
    }

    /// More than the nodes of a cluster: those that have ended in fact never return.
    private static let removedMax = 64

    private var nodes: [String: Node] = [:]
    /// The processes whose subscriptions were removed, oldest first.
    private var removed: [String] = []

    /// Whether the other nodes have to be asked for snapshots: from the beginning until they were
    /// asked, and again whenever a removed process is living after all.
    private(set) var isSnapshotWanted = true

    /// The processes with subscriptions.
    var processes: Set<String> { Set(nodes.keys) }

    /// Takes a message of another node.
    ///
    /// - Returns: the joins and leaves that this node's presence and subscribers have not had.
    mutating func apply(_ message: PresenceMessage) -> [PresenceMessage.Change] {
        var node = nodes[message.process] ?? Node()
        defer { nodes[message.process] = node.entries.isEmpty ? nil : node }
        switch message.content {
        case .wanted: return []
        case .changes(let changes):
            return changes.compactMap { change in
                let key = Key(topic: change.topic, client: change.info.client)
                if change.isJoin {
                    node.entries[key] = change
                    return change
                }
                return node.entries.removeValue(forKey: key)?.left
            }
        case .snapshot(let changes, let isFirst, let isLast):
            if isFirst { node.refreshed = [] }
            var effects: [PresenceMessage.Change] = []
            for change in changes {
                let key = Key(topic: change.topic, client: change.info.client)
                node.refreshed.insert(key)
                guard node.entries[key] != change else { continue }
                var effect = change
                // It is there already, with other information.
                if node.entries[key] != nil { effect.isAnnounced = false }
                node.entries[key] = change
                effects.append(effect)
            }
            guard isLast else { return effects }
            for (key, entry) in node.entries where !node.refreshed.contains(key) {
                node.entries[key] = nil
                effects.append(entry.left)
            }
            node.refreshed = []
            return effects
        }
    }

    /// Removes the subscriptions of a process that has ended.
    ///
    /// - Returns: the leaves.
    mutating func remove(_ process: String) -> [PresenceMessage.Change] {
        if removed.count == Self.removedMax { removed.removeFirst() }
        removed.append(process)
        return nodes.removeValue(forKey: process)?.entries.values.map(\.left) ?? []
    }

    /// Notes the living processes. The snapshots of one whose subscriptions were removed may have
    /// come before it counted as living again.
    mutating func note(living: Set<String>) {
        let former = removed.count
        removed.removeAll(where: living.contains)
        if removed.count < former { isSnapshotWanted = true }
    }

    /// Notes that the other nodes were asked for snapshots. Call it only when the question is in the
    /// log: one that was lost has to be asked again.
    mutating func noteAsked() { isSnapshotWanted = false }
}

extension PresenceMessage.Change {
    /// The end of the subscription.
    fileprivate var left: PresenceMessage.Change {
        var change = self
        change.isJoin = false
        return change
    }
}
