/// Takes publications out of a topic's history: all with this tag that were published before it.
///
/// What is erased leaves a hole, which is no loss: recoveries, pages and streams pass over it without a
/// word, and the offsets of all others stay as they are, the topic's newest one included. Whoever has
/// seen an erased publication is told nothing; where that matters, an event that says so is published
/// behind the erasure.
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
