import PubSub

/// The memory limit of all histories when they are loaded, so that a hub starts within its memory
/// whatever the size of the file.
package struct HistoryRoom: Sendable, Equatable {
    /// The total of all histories, with `publicationOverhead` for each publication.
    package var bytesMax: Int
    /// The memory that a publication uses in addition to its own bytes.
    package var publicationOverhead: Int

    package init(bytesMax: Int = .max, publicationOverhead: Int = 0) {
        precondition(bytesMax > 0)
        precondition(publicationOverhead >= 0)
        self.bytesMax = bytesMax
        self.publicationOverhead = publicationOverhead
    }
}

/// Topics that are loaded one after the other, without the oldest publications of the largest
/// topics while their total exceeds the limit, so that all topics end with as much as there is
/// room.
struct HistoryFit {
    private(set) var topics: [StoredTopic] = []
    private var bytes = 0
    /// The current limit of one topic.
    private var topicBytesMax: Int
    private let room: HistoryRoom

    init(_ room: HistoryRoom) {
        self.room = room
        topicBytesMax = room.bytesMax
    }

    /// Adds a topic with this limit.
    ///
    /// - Parameter read: loads it with a lower limit, so that publications that would be removed
    ///   are not loaded.
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

    /// Removes an eighth more than necessary, since it visits every topic.
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

    /// Returns the limit of one topic at which the total of all is no more than `sum`.
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
