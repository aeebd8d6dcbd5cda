import PubSub
import Tokens

/// What a domain says about the topics of its namespaces.
///
/// The loops ask it when somebody subscribes, publishes or asks about a topic, never for each delivery. May be used
/// from any thread; every call is short.
package protocol TopicRules: Sendable {
    /// Whether there is such a topic. A topic that does not exist is answered like one of an unknown namespace.
    func exists(_ topic: Topic) -> Bool

    /// Whether somebody may read a topic. Nil leaves it to the configuration of the namespace; otherwise no key of the
    /// namespace changes the answer, and clients cannot publish to the topic.
    ///
    /// - Parameter isGranted: whether a token of the reader names the topic.
    func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool?

    /// Whether a subscriber takes part in the presence of a topic, its joins and leaves.
    func isSeen(_ identity: Identity, in topic: Topic) -> Bool
}

extension TopicRules {
    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? { nil }

    package func isSeen(_ identity: Identity, in topic: Topic) -> Bool { true }
}
