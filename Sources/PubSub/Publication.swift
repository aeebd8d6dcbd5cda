import Timekeeping

/// An event in its topic, with the numbers that let a subscriber resume behind it.
///
/// Copies share the payload's storage.
package struct Publication: Sendable, Equatable {
    package var topic: Topic
    /// Counts the topic's publications from 1, without holes.
    package var offset: UInt64
    /// Grows with every commit over all topics, with holes.
    package var cursor: UInt64
    package var time: Timestamp
    /// JSON text that subscribers get; for a domain event its CloudEvent.
    package var payload: [UInt8]

    package init(
        topic: Topic,
        offset: UInt64,
        cursor: UInt64,
        time: Timestamp,
        payload: [UInt8]
    ) {
        self.topic = topic
        self.offset = offset
        self.cursor = cursor
        self.time = time
        self.payload = payload
    }
}
