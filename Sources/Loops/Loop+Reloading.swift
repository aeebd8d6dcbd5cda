import ClientWire
import Reactor
import Service

/// Another configuration, for new connections and subscriptions. Existing connections keep their
/// limits, and existing subscriptions continue even if a rule no longer allows them.
extension Loop {
    /// Takes settings, rules and keys, and ends the subscriptions to topics that no longer exist,
    /// and the streams of API keys that no longer allow them.
    ///
    /// - Returns: the number of connections that had such a subscription or key.
    package func use(_ update: LoopUpdate) -> Int {
        var next = update.settings
        // These are built into the connections' table and the pools.
        next.connections = settings.connections
        next.deflate = settings.deflate
        next.offersEcho = settings.offersEcho
        settings = next
        hub.use(settings.hub)
        admission.use(update)
        return connections.openConnections()
            .count { endUnknownSubscriptions(on: $0) || endStreamOfLostKey(on: $0) }
    }

    /// Returns false if there was none.
    private func endUnknownSubscriptions(on id: ConnectionID) -> Bool {
        endSubscriptions(.server, .stateInvalidated, on: id) { rules.features(of: $0) == nil }
    }

    /// Ends the subscriptions that the rules can no longer decide about, and topic sockets, whose
    /// domains have ended: changes of the rights reach this hub no longer. The clients subscribe
    /// again, and receive the temporary error.
    package func endUndecidedSubscriptions() {
        for id in connections.openConnections() {
            let session = session(of: id)
            if case .socketReader(let reader) = session, case .topic = reader.content {
                disconnect(reader, .insufficientState, on: id)
                continue
            }
            let user = session.name?.user ?? ""
            _ = endSubscriptions(.insufficientState, .insufficientState, on: id) {
                !rules.canDecide(about: $0, Identity(user: user))
            }
        }
    }

    /// - Parameter connectionCode: for connections that end with their subscription.
    /// - Returns: false if there was none.
    private func endSubscriptions(
        _ code: UnsubscribeCode,
        _ connectionCode: DisconnectCode,
        on id: ConnectionID,
        to isMeant: (Topic) -> Bool
    ) -> Bool {
        switch session(of: id) {
        case .none, .http, .echo: return false
        case .client(let session):
            let topics = session.subscriptions.keys.filter(isMeant)
            guard !topics.isEmpty else { return false }
            let isGranted = topics.contains {
                session.subscriptions[$0]?.origin == .connectionToken
            }
            // Only by connecting does a client get back a subscription that its token made.
            if code.resubscribes, isGranted {
                disconnect(session, connectionCode, on: id)
                return true
            }
            turn.clearOutput()
            for topic in topics.sorted(by: { $0.name < $1.name }) {
                endSubscription(to: topic, code, session, on: id)
            }
            sendOutput(session, on: id)
            return true
        // The readers reconnect, and are refused for the same reason.
        case .eventStream, .socketReader:
            let reads = hub.topics(of: Int32(id.index)).contains {
                !rules.isReserved($0) && isMeant($0)
            }
            guard reads else { return false }
            disconnect(id, connectionCode)
            return true
        }
    }
}
