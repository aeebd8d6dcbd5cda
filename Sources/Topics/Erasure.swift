/// Removes publications from a topic's history: all with this tag that were published before it.
///
/// Erased publications leave a hole, which is not a loss: recoveries, pages and streams skip it
/// silently, and the offsets of all others do not change, including the topic's newest one. Clients
/// that have received an erased publication are not notified; where that matters, a separate event
/// is published after the erasure.
///
/// Values are compared by their bytes.
package struct Erasure: Sendable, Equatable {
    package var topic: Topic
    package var tag: String
    package var value: String

    package init(topic: Topic, tag: String, value: String) {
        self.topic = topic
        self.tag = tag
        self.value = value
    }

    /// Whether a publication of the topic with these tags is erased.
    package func covers(_ tags: [String: String]) -> Bool {
        !tags.isEmpty && TagFilter.compare(key: tag, .equal(value)).matches(tags)
    }
}
