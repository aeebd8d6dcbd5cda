import ClientWire
import PubSub
import Reactor
import Tokens

/// What the hub ends by itself, of whatever protocol: a connection, one subscription of it, all
/// subscriptions to a topic.
extension Shard {
    /// Ends a connection that gets publications, with a code. Nothing for others.
    package func disconnect(_ id: ConnectionID, _ code: DisconnectCode) {
        switch session(of: id) {
        case .none, .http, .echo: break
        case .client(let session): disconnect(session, code, on: id)
        case .eventStream(let session): endStream(session, code, on: id)
        case .socketReader(let session): disconnect(session, code, on: id)
        }
    }

    /// Ends all subscriptions to a topic here, and tells the subscribers why. Whoever may, subscribes
    /// again: that there is no such topic any more is for the rules to say, before this.
    ///
    /// - Parameter user: whose subscriptions go on; nil for nobody's.
    package func endTopic(_ topic: Topic, _ code: UnsubscribeCode, sparing user: String?) {
        for place in hub.subscribers(of: topic) {
            guard let id = connections.id(at: UInt32(place)) else { continue }
            if let user, let own = session(of: id).name?.user, hasSameBytes(own, user) { continue }
            endSubscription(of: id, to: topic, code)
        }
    }

    /// Ends a subscription, and tells the subscriber why. A reader that is left without topics is done, and
    /// its connection ends, too. Nothing when there is no such subscription.
    package func endSubscription(of id: ConnectionID, to topic: Topic, _ code: UnsubscribeCode) {
        switch session(of: id) {
        case .none, .http, .echo: break
        case .client(let session):
            output.removeAll(keepingCapacity: true)
            guard endSubscription(to: topic, code, session, on: id) else { return }
            sendOutput(session, on: id)
        case .eventStream(let session):
            guard hub.unsubscribe(Int32(id.index), from: topic) else { return }
            let actions = session.machine.subscriptionEnded(
                topic,
                code,
                isLast: isLeftWithoutTopics(id)
            )
            perform(actions, on: id)
        case .socketReader(let session):
            guard hub.unsubscribe(Int32(id.index), from: topic) else { return }
            switch session.content {
            case .cloudEvents:
                let cursor = session.machine.heldCursor ?? hub.newestCursor
                tellUnsubscribed(session, topic, code, cursor: cursor, on: id)
            // Its one topic, and no form to tell of it but the close frame.
            case .topic: break
            }
            if isLeftWithoutTopics(id) { disconnect(session, code.ofLastTopic, on: id) }
        }
    }

    private func isLeftWithoutTopics(_ id: ConnectionID) -> Bool {
        hub.topics(of: Int32(id.index)).isEmpty
    }
}
