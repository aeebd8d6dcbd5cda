import PubSub

/// What histories may take together when they are read, so that a hub starts within its memory whatever the
/// file holds.
package struct HistoryRoom: Sendable, Equatable {
    /// Of all histories, with `publicationOverhead` for each publication.
    package var bytesMax: Int
    /// What keeping a publication takes beside its own bytes.
    package var publicationOverhead: Int

    package init(bytesMax: Int = .max, publicationOverhead: Int = 0) {
        precondition(bytesMax > 0)
        precondition(publicationOverhead >= 0)
        self.bytesMax = bytesMax
        self.publicationOverhead = publicationOverhead
    }
}

/// Topics as they are read one after the other, of which the oldest publications are left out while all
/// together are too large: those of the largest topics, so that all topics end with as much as there is room.
struct HistoryFit {
    private(set) var topics: [StoredTopic] = []
    private var bytes = 0
    /// What one topic may have, as far as it is known by now.
    private var topicBytesMax: Int
    private let room: HistoryRoom

    init(_ room: HistoryRoom) {
        self.room = room
        topicBytesMax = room.bytesMax
    }

    /// Adds a topic with this limit.
    ///
    /// - Parameter read: reads it with another limit, because more would be left out again.
    mutating func add(
        _ limit: HistoryLimit,
        _ read: (HistoryLimit) throws -> StoredTopic
    ) rethrows {
        let bytesMax = max(1, min(limit.bytes, topicBytesMax))
        var topic = try read(HistoryLimit(count: limit.count, age: limit.age, bytes: bytesMax))
        if topic.cut != nil, bytesMax < limit.bytes { topic.cut = .room }
        topics.append(topic)
        bytes += size(of: topic)
        if bytes > room.bytesMax { shrink() }
    }

    /// Leaves out an eighth more than it must: it looks at every topic.
    private mutating func shrink() {
        let target = room.bytesMax / 8 * 7
        let sizes = topics.map { size(of: $0) }.sorted()
        topicBytesMax = HistoryFit.share(of: target, sizes)
        bytes = 0
        for index in topics.indices {
            leaveOutOldest(of: &topics[index])
            bytes += size(of: topics[index])
        }
    }

    /// What each may have so that all together have no more than `sum`, when none gets more than it has.
    ///
    /// - Parameter sizes: ascending.
    private static func share(of sum: Int, _ sizes: [Int]) -> Int {
        var left = sum
        for (index, size) in sizes.enumerated() {
            let share = left / (sizes.count - index)
            if size > share { return share }
            left -= size
        }
        return sizes.last ?? sum
    }

    private func leaveOutOldest(of topic: inout StoredTopic) {
        var size = size(of: topic)
        var count = 0
        while size > topicBytesMax, count < topic.publications.count {
            size -= self.size(of: topic.publications[count])
            count += 1
        }
        guard count > 0 else { return }
        topic.evictedOffset = topic.publications[count - 1].offset
        topic.evictedCursor = topic.publications[count - 1].cursor
        topic.publications = Array(topic.publications[count...])
        topic.cut = .room
    }

    private func size(of topic: StoredTopic) -> Int {
        topic.publications.reduce(0) { $0 + size(of: $1) }
    }

    private func size(of publication: Publication) -> Int {
        publication.wireLength + room.publicationOverhead
    }
}
