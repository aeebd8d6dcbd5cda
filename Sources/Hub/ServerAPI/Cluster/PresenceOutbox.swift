import PubSub

/// The subscriptions of this node's clients that other nodes have to have, and what they have not
/// received yet.
struct PresenceOutbox {
    /// The number of changes in one message.
    static let changesMax = 1000
    /// Above this number of changes that wait, a snapshot takes their place.
    static let waitingMax = 50_000

    private struct Key: Hashable {
        let topic: Topic
        let client: String
    }

    private var entries: [Key: PresenceMessage.Change] = [:]
    private var waiting: [PresenceMessage.Change] = []
    /// The rest of a snapshot under way.
    private var snapshot: ArraySlice<PresenceMessage.Change> = []
    private var isSnapshotUnderWay = false
    private(set) var isSnapshotDue = false

    /// Notes a subscription that has begun or ended.
    mutating func note(_ change: PresenceMessage.Change) {
        let key = Key(topic: change.topic, client: change.client)
        entries[key] = change.isJoin ? change : nil
        guard !isSnapshotDue else { return }
        waiting.append(change)
        if waiting.count > Self.waitingMax { requestSnapshot() }
    }

    /// Lets a snapshot of all subscriptions take the place of what waits.
    mutating func requestSnapshot() {
        isSnapshotDue = true
        waiting = []
    }

    /// Returns the next message; nil if there is none.
    mutating func take() -> PresenceMessage.Content? {
        if isSnapshotDue {
            isSnapshotDue = false
            snapshot = Array(entries.values)[...]
            isSnapshotUnderWay = true
            return nextPart(isFirst: true)
        }
        if isSnapshotUnderWay { return nextPart(isFirst: false) }
        guard !waiting.isEmpty else { return nil }
        let changes = Array(waiting.prefix(Self.changesMax))
        waiting.removeFirst(changes.count)
        return .changes(changes)
    }

    private mutating func nextPart(isFirst: Bool) -> PresenceMessage.Content {
        let part = Array(snapshot.prefix(Self.changesMax))
        snapshot = snapshot.dropFirst(part.count)
        isSnapshotUnderWay = !snapshot.isEmpty
        return .snapshot(part, isFirst: isFirst, isLast: snapshot.isEmpty)
    }
}
