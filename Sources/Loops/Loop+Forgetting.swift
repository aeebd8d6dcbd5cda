import ClientWire
import Reactor

/// Removed topics.
extension Loop {
    /// Removes the topics that the store has removed at this place among its commits.
    ///
    /// They had no subscribers when the loops were asked. A client that has subscribed since has
    /// missed nothing, but it relies on offsets, which begin again: a client of the client protocol
    /// must resubscribe with its position, and receives another epoch. Readers of streams have a
    /// cursor, which stays valid.
    package func forget(_ topics: [ForgottenTopic]) {
        for topic in topics {
            endCountingSubscriptions(to: topic.topic)
            hub.forget(topic)
            deltaBases[topic.topic] = nil
        }
    }

    private func endCountingSubscriptions(to topic: Topic) {
        for place in hub.subscribers(of: topic) {
            guard let (id, session) = client(at: UInt32(place)) else { continue }
            turn.clearOutput()
            if endSubscription(to: topic, .insufficientState, session, on: id) {
                sendOutput(session, on: id)
            }
        }
    }
}
