import Timekeeping

/// An event in its topic, with the numbers that let a subscriber resume behind it.
///
/// Copies share the payload's storage.
package struct Publication: Sendable, Equatable {
    package var topic: Topic
    /// Counts the topic's publications from 1, without holes. 0 for one that is not part of the
    /// history: only current subscribers receive it, and it cannot be recovered.
    package var offset: UInt64
    /// Grows with every commit over all topics, with holes.
    package var cursor: UInt64
    package var time: Timestamp
    /// JSON text that subscribers get; for a domain event its CloudEvent.
    package var payload: [UInt8]
    /// The tags that subscribers may filter by.
    package var tags: [String: String]
    /// The client that published it; nil for the hub itself and for the server API.
    package var info: ClientInfo?
    /// Whether subscribers that agreed to it get the difference from the publication before.
    package var allowsDelta: Bool

    package init(
        topic: Topic,
        offset: UInt64,
        cursor: UInt64,
        time: Timestamp,
        payload: [UInt8],
        tags: [String: String] = [:],
        info: ClientInfo? = nil,
        allowsDelta: Bool = false
    ) {
        self.topic = topic
        self.offset = offset
        self.cursor = cursor
        self.time = time
        self.payload = payload
        self.tags = tags
        self.info = info
        self.allowsDelta = allowsDelta
    }
}

extension Publication {
    /// The approximate size of the parts around a payload: the names of the fields, the offset, the
    /// frame.
    private static let surroundingBytes = 64

    /// About how many bytes it takes on the wire.
    package var wireLength: Int {
        var length = payload.count + topic.name.utf8.count + Self.surroundingBytes
        for (key, value) in tags { length += key.utf8.count + value.utf8.count }
        guard let info else { return length }
        length += info.user.utf8.count + info.client.utf8.count
        return length + (info.connectionInfo?.count ?? 0) + (info.topicInfo?.count ?? 0)
    }
}
