import ClientWire
import Core
import Reactor

/// Ends by the hub, in all protocols: of a connection, of one of its subscriptions, of all
/// subscriptions to a topic.
extension Loop {
    /// Ends a connection that receives publications, with a code. Does nothing for others.
    package func disconnect(_ id: ConnectionID, _ code: DisconnectCode) {
        switch session(of: id) {
        case .none, .http, .echo: break
        case .client(let session): disconnect(session, code, on: id)
        case .eventStream(let session): endStream(session, code, on: id)
        case .socketReader(let session): disconnect(session, code, on: id)
        }
    }

    /// Ends all subscriptions to a topic on this loop, and sends the subscribers the reason. A
    /// client that the rules still admit can subscribe again, so remove a topic from the rules
    /// before this call.
    ///
    /// - Parameter user: the user whose subscriptions continue; nil to end all.
    package func endTopic(_ topic: Topic, _ code: UnsubscribeCode, sparing user: String?) {
        for place in hub.subscribers(of: topic) {
            guard let id = connections.id(at: UInt32(place)) else { continue }
            if let user, let own = session(of: id).name?.user, hasSameBytes(own, user) { continue }
            endSubscription(of: id, to: topic, code)
        }
    }

    /// Ends a subscription, and sends the subscriber the reason. The connection of a reader without
    /// any other topic also ends. Does nothing if there is no such subscription.
    package func endSubscription(of id: ConnectionID, to topic: Topic, _ code: UnsubscribeCode) {
        switch session(of: id) {
        case .none, .http, .echo: break
        case .client(let session):
            turn.clearOutput()
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
            // It has one topic, and only the Close frame can report the end.
            case .topic: break
            }
            if isLeftWithoutTopics(id) { disconnect(session, code.ofLastTopic, on: id) }
        }
    }

    private func isLeftWithoutTopics(_ id: ConnectionID) -> Bool {
        hub.topics(of: Int32(id.index)).isEmpty
    }
}
