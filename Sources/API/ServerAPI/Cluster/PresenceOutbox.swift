/// The subscriptions of this node's clients that other nodes have to have, and what they have not
/// received yet.
struct PresenceOutbox {
    /// The bytes of one message; one change may exceed them.
    static let messageBytesMax = 256 << 10
    /// Above this number of bytes of changes that wait, a snapshot takes their place.
    static let waitingBytesMax = 8 << 20

    private struct Key: Hashable {
        let topic: Topic
        let client: String
    }

    private var entries: [Key: PresenceMessage.Change] = [:]
    private var waiting: ArraySlice<PresenceMessage.Change> = []
    private var waitingBytes = 0
    /// The rest of a snapshot under way.
    private var snapshot: ArraySlice<PresenceMessage.Change> = []
    private var isSnapshotUnderWay = false
    private(set) var isSnapshotDue = false

    /// Notes a subscription that has begun or ended.
    mutating func note(_ change: PresenceMessage.Change) {
        let key = Key(topic: change.topic, client: change.info.client)
        entries[key] = change.isJoin ? change : nil
        guard !isSnapshotDue else { return }
        waiting.append(change)
        waitingBytes += change.length
        if waitingBytes > Self.waitingBytesMax { requestSnapshot() }
    }

    /// Lets a snapshot of all subscriptions take the place of what waits.
    mutating func requestSnapshot() {
        isSnapshotDue = true
        waiting = []
        waitingBytes = 0
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
        let changes = Self.takeFirst(of: &waiting)
        waitingBytes -= changes.reduce(0) { $0 + $1.length }
        return .changes(changes)
    }

    /// Takes the first changes, up to the bytes of one message.
    private static func takeFirst(
        of changes: inout ArraySlice<PresenceMessage.Change>
    ) -> [PresenceMessage.Change] {
        var bytes = 0
        let taken = changes.prefix { change in
            bytes += change.length
            return bytes <= messageBytesMax || bytes == change.length
        }
        changes = changes.dropFirst(taken.count)
        return Array(taken)
    }

    private mutating func nextPart(isFirst: Bool) -> PresenceMessage.Content {
        let part = Self.takeFirst(of: &snapshot)
        isSnapshotUnderWay = !snapshot.isEmpty
        return .snapshot(part, isFirst: isFirst, isLast: snapshot.isEmpty)
    }
}
