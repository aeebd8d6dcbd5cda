/// A publication before the store has given it a place in its topic.
///
/// Copies share the payload's storage, so a broadcast holds it once.
package struct NewPublication: Sendable, Equatable {
    /// A number that grows with the state that a topic publishes. A publication whose number is not
    /// above the topic's last one of the same epoch is outdated and is not published.
    package struct Version: Sendable, Equatable {
        /// At least 1.
        package var number: UInt64
        /// May be empty. Numbers of different epochs have nothing to do with each other.
        package var epoch: String

        package init(number: UInt64, epoch: String) {
            self.number = number
            self.epoch = epoch
        }
    }

    package var topic: Topic
    /// JSON text that subscribers get.
    package var data: [UInt8]
    package var tags: [String: String]
    /// A second publication of the topic with the same key is not published.
    package var idempotencyKey: String?
    package var version: Version?
    /// Whether the publication is kept in the history. If false, only current subscribers receive
    /// it, and it cannot be recovered.
    package var keepsHistory: Bool
    /// Whether subscribers that agreed to it get the difference from the publication before.
    package var allowsDelta: Bool

    package init(
        topic: Topic,
        data: [UInt8],
        tags: [String: String] = [:],
        idempotencyKey: String? = nil,
        version: Version? = nil,
        keepsHistory: Bool = true,
        allowsDelta: Bool = false
    ) {
        self.topic = topic
        self.data = data
        self.tags = tags
        self.idempotencyKey = idempotencyKey
        self.version = version
        self.keepsHistory = keepsHistory
        self.allowsDelta = allowsDelta
    }
}
