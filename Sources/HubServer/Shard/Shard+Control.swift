import ClientWire
import PubSub
import Reactor
import Timekeeping
import Tokens

/// What the server API has done with the connections of a loop.
extension Shard {
    /// The connections that a request is about, in no order.
    private func clients(
        _ connections: ServerAPIRequest.Connections
    ) -> [(id: ConnectionID, session: ClientSession)] {
        ids(connections).compactMap { id in
            guard case .client(let session) = session(of: id), session.info != nil,
                connections.mean(session.id, of: session.identity.user)
            else { return nil }
            return (id, session)
        }
    }

    /// The event streams that a request is about, in no order.
    private func streams(
        _ connections: ServerAPIRequest.Connections
    ) -> [(id: ConnectionID, session: EventStreamSession)] {
        ids(connections).compactMap { id in
            guard case .eventStream(let session) = session(of: id),
                connections.mean(session.id, of: session.reader.user)
            else { return nil }
            return (id, session)
        }
    }

    /// The readers of CloudEvents that a request is about, in no order.
    private func cloudEventsReaders(
        _ connections: ServerAPIRequest.Connections
    ) -> [(id: ConnectionID, session: CloudEventsSession)] {
        ids(connections).compactMap { id in
            guard case .cloudEvents(let session) = session(of: id),
                connections.mean(session.id, of: session.reader.user)
            else { return nil }
            return (id, session)
        }
    }

    private func ids(_ connections: ServerAPIRequest.Connections) -> [ConnectionID] {
        connections.user.isEmpty
            ? self.connections.openConnections() : Array(connectionsByUser[connections.user] ?? [])
    }

    func subscribe(_ request: ServerAPIRequest.Subscribe) {
        var wish = SubscriptionWish(topic: request.topic)
        wish.since = request.options.since
        wish.topicInfo = request.options.info
        wish.presence = request.options.override.presence
        wish.joinLeave = request.options.override.joinLeave
        wish.pushesJoinLeave = request.options.override.pushesJoinLeave
        for (id, session) in clients(request.connections) {
            // One that is subscribed already stays as it is.
            guard case .success(let begun) = begin(wish, session, on: id) else { continue }
            let subscription = ServerSubscription(
                topic: request.topic,
                subscribed: begun.subscribed,
                data: request.options.data
            )
            output.removeAll(keepingCapacity: true)
            append(session.centrifuge.subscribe(subscription), to: session)
            if let end = request.options.expiresAt {
                session.centrifuge.setTimeToLive(
                    of: request.topic,
                    seconds: Shard.secondsUntil(end),
                    now: milliseconds
                )
            }
            for publication in begun.subscribed.recovery?.publications ?? [] {
                append(
                    CentrifugePush.publication(publication, encoding: session.encoding),
                    to: session
                )
            }
            sendOutput(session, on: id)
        }
    }

    func unsubscribe(_ connections: ServerAPIRequest.Connections, from topic: Topic) {
        for (id, session) in clients(connections) {
            output.removeAll(keepingCapacity: true)
            endSubscription(to: topic, .server, session, on: id)
            sendOutput(session, on: id)
        }
    }

    func disconnect(_ request: ServerAPIRequest.Disconnect) {
        for (id, session) in clients(request.connections)
        where !request.spared.contains(session.id) {
            disconnect(session, request.code, on: id)
        }
        for (id, session) in streams(request.connections)
        where !request.spared.contains(session.id) {
            endStream(session, request.code, on: id)
        }
        for (id, session) in cloudEventsReaders(request.connections)
        where !request.spared.contains(session.id) {
            disconnect(session, request.code, on: id)
        }
    }

    func refresh(_ request: ServerAPIRequest.Refresh) {
        if request.expiry == .now {
            for (id, session) in streams(request.connections) {
                endStream(session, .expired, on: id)
            }
            for (id, session) in cloudEventsReaders(request.connections) {
                disconnect(session, .expired, on: id)
            }
        }
        for (id, session) in clients(request.connections) {
            if let info = request.info {
                session.info = ClientInfo(
                    user: session.identity.user,
                    client: session.id,
                    connectionInfo: info
                )
            }
            let timeToLive: UInt32?
            switch request.expiry {
            case .now:
                disconnect(session, .expired, on: id)
                continue
            case .at(let end): timeToLive = Shard.secondsUntil(end)
            case .never: timeToLive = nil
            }
            output.removeAll(keepingCapacity: true)
            append(
                session.centrifuge.refresh(timeToLiveSeconds: timeToLive, now: milliseconds),
                to: session
            )
            sendOutput(session, on: id)
        }
    }

    /// The topics with subscribers that match, and how many they have here.
    func subscribedTopics(matching pattern: TopicGlob) -> [Topic: Int] {
        var counts: [Topic: Int] = [:]
        for (topic, count) in hub.subscribedTopics where pattern.matches(topic) {
            counts[topic] = count
        }
        return counts
    }

    func page(
        of topic: Topic,
        _ range: HistoryRange,
        countMax: Int
    ) -> Result<HistoryPage, ProtocolError> {
        hub.page(of: topic, range, countMax: countMax)
    }
}

extension ServerAPIRequest.Connections {
    /// Whether the request is about a connection: a client and its session have one name here.
    fileprivate func mean(_ name: String, of user: String) -> Bool {
        hasSameBytes(user, self.user) && (client ?? name) == name && (session ?? name) == name
    }
}
