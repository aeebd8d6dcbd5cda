/// An event in its topic, with the numbers that let a subscriber resume behind it.
///
/// Immutable and shared: all loops, histories and queues refer to the same object.
package final class Publication: Sendable {
    package let topic: Topic
    /// Counts the topic's publications from 1, without holes. 0 for one that is not part of the
    /// history: only current subscribers receive it, and it cannot be recovered.
    package let offset: UInt64
    /// Grows with every commit over all topics, with holes.
    package let cursor: UInt64
    package let time: Timestamp
    /// JSON text that subscribers get; for a domain event its CloudEvent.
    package let payload: [UInt8]
    /// The tags that subscribers may filter by.
    package let tags: [String: String]
    /// The client that published it; nil for the hub itself and for the server API.
    package let info: ClientInfo?
    /// Whether subscribers that agreed to it get the difference from the publication before.
    package let allowsDelta: Bool
    /// About how many bytes it takes on the wire.
    package let wireLength: Int

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
        wireLength = Publication.wireLength(topic, payload, tags, info)
    }

    /// The approximate size of the parts around a payload: the names of the fields, the offset, the
    /// frame.
    private static let surroundingBytes = 64

    private static func wireLength(
        _ topic: Topic,
        _ payload: [UInt8],
        _ tags: [String: String],
        _ info: ClientInfo?
    ) -> Int {
        var length = payload.count + topic.name.utf8.count + surroundingBytes
        for (key, value) in tags { length += key.utf8.count + value.utf8.count }
        guard let info else { return length }
        length += info.user.utf8.count + info.client.utf8.count
        return length + (info.connectionInfo?.count ?? 0) + (info.topicInfo?.count ?? 0)
    }
}

extension Publication: Equatable {
    package static func == (one: Publication, other: Publication) -> Bool {
        guard one !== other else { return true }
        return one.topic == other.topic && one.offset == other.offset
            && one.cursor == other.cursor && one.time == other.time
            && one.payload == other.payload && one.tags == other.tags && one.info == other.info
            && one.allowsDelta == other.allowsDelta
    }
}
