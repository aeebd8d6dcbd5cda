import ClientWire

/// The control of a domain over the subscriptions to its topics, on all loops and in all protocols.
package protocol TopicControl: Sendable {
    /// Ends the subscriptions to topics, and sends the subscribers the reason. Change the rules of
    /// the topics first: a subscriber that the rules still admit can subscribe again.
    ///
    /// - Parameter user: the user whose subscriptions continue; nil to end all.
    func end(_ topics: [Topic], _ code: UnsubscribeCode, sparing user: String?) async

    /// Ends the subscriptions of a user to a topic.
    func unsubscribe(user: String, from topic: Topic) async

    /// Ends all connections of a user, and asks the clients not to reconnect.
    func disconnect(user: String) async

    /// Ends the connections of a user that were opened with access tokens of these logins.
    func disconnect(user: String, logins: [String]) async

    /// Returns the topics of these namespaces that have subscribers, and the number of subscribers
    /// of each.
    ///
    /// In a cluster, those of the nodes that answer in time.
    ///
    /// - Complexity: O(topics), over many turns of each loop, and in a cluster a commit of each
    ///   node. Call it every few seconds at most.
    func subscribedTopics(inNamespaces namespaces: Set<String>) async -> [Topic: Int]
}

extension TopicControl {
    /// Ends all subscriptions to topics that no longer exist.
    package func end(_ topics: [Topic]) async { await end(topics, .topicRemoved, sparing: nil) }
}
