/// The rules of a domain for the topics of its namespaces.
///
/// The loops call them when a client subscribes, publishes or requests data of a topic, never for
/// each delivery. May be used from any thread; every call is short.
package protocol TopicRules: Sendable {
    /// Whether the topic exists. The answer for a missing topic is the same as for an unknown
    /// namespace.
    func exists(_ topic: Topic) -> Bool

    /// Whether the rules can decide about a client and a topic. They cannot while the state of the
    /// domain is not loaded: another node of the cluster leads and has it. The client then receives
    /// a temporary error.
    func canDecide(about topic: Topic, _ identity: Identity) -> Bool

    /// Whether a client may read a topic. Nil leaves the decision to the configuration of the
    /// namespace; otherwise no key of the namespace changes the answer, and clients cannot publish
    /// to the topic.
    ///
    /// - Parameter isGranted: whether a token of the reader names the topic.
    func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool?

    /// Whether the list of topics contains a topic for a client that may read it. False where the
    /// name is all that a client has to know, so that only those who received it read the topic.
    func isListed(_ topic: Topic, for identity: Identity) -> Bool

    /// Whether a subscriber takes part in the presence of a topic, its joins and leaves.
    func isSeen(_ identity: Identity, in topic: Topic) -> Bool

    /// Whether a topic is about one user, so that it is removed with the user's account.
    func isOwn(_ topic: Topic, of user: String) -> Bool
}

extension TopicRules {
    package func canDecide(about topic: Topic, _ identity: Identity) -> Bool { true }

    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? { nil }

    package func isListed(_ topic: Topic, for identity: Identity) -> Bool { true }

    package func isSeen(_ identity: Identity, in topic: Topic) -> Bool { true }

    package func isOwn(_ topic: Topic, of user: String) -> Bool { false }
}
