import ClientWire
import PubSub
import Reactor

/// Topics that are no more.
extension Shard {
    /// Forgets what the store has forgotten at this place among its commits.
    ///
    /// Nobody was subscribed when the loops were asked. Who has come since has missed nothing, but counts on
    /// in offsets that begin again: a client of the client protocol is sent back, comes with its position,
    /// and is told that it is of another epoch. Readers of streams have a cursor, which goes on.
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
            output.removeAll(keepingCapacity: true)
            if endSubscription(to: topic, .insufficientState, session, on: id) {
                sendOutput(session, on: id)
            }
        }
    }
}
