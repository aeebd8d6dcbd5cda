import ClientWire
import Reactor
import Service

/// Requests of the server API to the connections of a loop.
extension Loop {
    /// The connections to which a request applies, in no order.
    private func meant(by connections: ServerAPIRequest.Connections) -> [ConnectionID] {
        let candidates =
            connections.user.isEmpty
            ? self.connections.openConnections() : admission.connections(of: connections.user)
        return candidates.filter { id in
            let session = session(of: id)
            guard let (name, user) = session.name else { return false }
            return hasSameBytes(user, connections.user) && (connections.client ?? name) == name
                && (connections.session ?? session.sessionName) == session.sessionName
        }
    }

    /// Those of them that use the client protocol.
    private func clients(
        _ connections: ServerAPIRequest.Connections
    ) -> [(id: ConnectionID, session: ClientSession)] {
        meant(by: connections).compactMap { id in
            guard case .client(let session) = session(of: id) else { return nil }
            return (id, session)
        }
    }

    /// - Parameter completion: receives whether the topic's history could be read.
    package func subscribe(
        _ request: ServerAPIRequest.Subscribe,
        _ completion: @escaping @Sendable (_ isRead: Bool) -> Void
    ) {
        guard !clients(request.connections).isEmpty else { return completion(true) }
        withHistories(of: [request.topic]) { loop, hasFailed in
            if !hasFailed { loop.subscribe(request) }
            completion(!hasFailed)
        }
    }

    private func subscribe(_ request: ServerAPIRequest.Subscribe) {
        // A subscription that has already expired does not begin: unlike a client's token, it has
        // no grace period.
        if let end = request.options.expiresAt, end <= HubClock.wall { return }
        var wish = SubscriptionWish(topic: request.topic)
        wish.since = request.options.since
        wish.origin = .serverAPI
        wish.topicInfo = request.options.info
        wish.presence = request.options.override.presence
        wish.joinLeave = request.options.override.joinLeave
        wish.pushesJoinLeave = request.options.override.pushesJoinLeave
        for (id, session) in clients(request.connections) {
            // A client that is already subscribed keeps its subscription.
            guard case .success(let begun) = begin(wish, session, on: id) else { continue }
            let recovered = begun.subscribed.recovery?.publications ?? []
            let subscription = ServerSubscription(
                topic: request.topic,
                subscribed: begun.subscribed,
                data: request.options.data
            )
            turn.clearOutput()
            let length = session.machine.subscribe(
                subscription,
                timeToLive: request.options.expiresAt.map(Loop.secondsUntil),
                now: now,
                output: &turn.output
            )
            turn.countWork(length)
            for publication in recovered {
                append(
                    CentrifugePush.publication(publication, encoding: session.encoding),
                    to: session
                )
            }
            sendOutput(session, on: id)
        }
    }

    package func unsubscribe(_ connections: ServerAPIRequest.Connections, from topic: Topic) {
        for id in meant(by: connections) { endSubscription(of: id, to: topic, .server) }
    }

    package func disconnect(_ request: ServerAPIRequest.Disconnect) {
        for id in meant(by: request.connections) {
            guard let name = session(of: id).name?.id, !request.spared.contains(name) else {
                continue
            }
            disconnect(id, request.code)
        }
    }

    /// Ends the connections that were opened with access tokens of these logins of a user. The
    /// clients do not reconnect, because the logins have ended.
    package func disconnect(user: String, logins: [String]) {
        for id in meant(by: .init(user: user)) {
            guard let login = session(of: id).login, logins.contains(login) else { continue }
            disconnect(id, .invalidToken)
        }
    }

    /// Ends what revoked tokens and blocked users have opened: connections, and the subscriptions
    /// of connections that stay.
    ///
    /// - Parameter user: nil for the connections of all users.
    package func endRevoked(user: String?) -> EndedByRevocation {
        let candidates =
            user.map { admission.connections(of: $0) } ?? connections.openConnections()
        var ended = EndedByRevocation()
        for id in candidates {
            let session = session(of: id)
            guard let name = session.name else { continue }
            if isRevoked(session.mark, of: name.user) {
                disconnect(id, .invalidToken)
                ended.connections += 1
            } else if case .client(let client) = session {
                ended.subscriptions += endRevokedSubscriptions(of: client, on: id)
            }
        }
        return ended
    }

    private func isRevoked(_ mark: TokenMark?, of user: String) -> Bool {
        guard let mark else { return false }
        return shared.endedLogins.revocations.refuses(mark, of: user, now: HubClock.wall)
    }

    /// Returns the number of ended subscriptions.
    private func endRevokedSubscriptions(of session: ClientSession, on id: ConnectionID) -> Int {
        let user = session.identity.user
        let revoked = session.subscriptions.filter { isRevoked($1.mark, of: user) }.keys
        for topic in revoked.sorted(by: { $0.name < $1.name }) {
            endSubscription(of: id, to: topic, .server)
        }
        return revoked.count
    }

    package func refresh(_ request: ServerAPIRequest.Refresh) {
        let timeToLive: UInt32?
        switch request.expiry {
        case .at(let end) where end > HubClock.wall: timeToLive = Loop.secondsUntil(end)
        case .now, .at:
            for id in meant(by: request.connections) { disconnect(id, .expired) }
            return
        case .never: timeToLive = nil
        }
        for (id, session) in clients(request.connections) {
            if let info = request.info { setInfo(info, of: session) }
            turn.clearOutput()
            turn.countWork(
                session.machine.refresh(timeToLive: timeToLive, now: now, output: &turn.output)
            )
            sendOutput(session, on: id)
        }
    }

    package func page(
        of topic: Topic,
        _ range: HistoryRange,
        countMax: Int
    ) -> Result<HistoryPage, ProtocolError> {
        hub.page(of: topic, range, countMax: countMax)
    }
}
