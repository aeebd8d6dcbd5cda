import ClientWire
import PubSub

/// What a domain can do with the subscriptions to its topics, on all loops and by all protocols.
package protocol TopicControl: Sendable {
    /// Ends the subscriptions to topics, and tells the subscribers why. Change the rules of the topics first: a
    /// subscriber that the rules still admit can subscribe again.
    ///
    /// - Parameter user: whose subscriptions go on; nil for nobody's.
    func end(_ topics: [Topic], _ code: UnsubscribeCode, sparing user: String?) async

    /// Ends the subscriptions that a user has to a topic.
    func unsubscribe(user: String, from topic: Topic) async

    /// Ends all connections of a user, who is not to come back.
    func disconnect(user: String) async

    /// Ends the connections of a user that came with access tokens of these logins.
    func disconnect(user: String, logins: [String]) async

    /// The topics with subscribers for which `isMeant` is true, and how many each has.
    ///
    /// - Complexity: O(topics), over many turns of each loop: for every few seconds.
    func subscribedTopics(where isMeant: @escaping @Sendable (Topic) -> Bool) async -> [Topic: Int]
}

extension TopicControl {
    /// Ends all subscriptions to topics that are no more.
    package func end(_ topics: [Topic]) async { await end(topics, .topicRemoved, sparing: nil) }
}
