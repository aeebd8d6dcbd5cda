import ClientWire
import Core
import Reactor

/// The list of connections of the server API. It reads what the sessions have, and adds no work to
/// a delivery.
extension Loop {
    /// Ranks the matching connections at the places from `first` on.
    ///
    /// - Returns: the place to continue with; nil at the end of the table.
    /// - Complexity: O(`countMax`), and the subscriptions of the connections at these places.
    func ranks(
        of list: ServerAPIRequest.ConnectionList,
        from first: Int,
        countMax: Int
    ) -> (ranks: [ConnectionRank], next: Int?) {
        let end = min(sessions.count, first + countMax)
        guard first < end else { return ([], nil) }
        let ranks = (first..<end).compactMap { place -> ConnectionRank? in
            let session = sessions[place]
            guard let user = session.name?.user, let id = connections.id(at: UInt32(place)),
                list.user.map({ hasSameBytes($0, user) }) ?? true,
                list.topic.map({ hub.isSubscribed(Int32(place), to: $0) }) ?? true
            else { return nil }
            return ConnectionRank(
                loop: context.index,
                id: id,
                isSlow: isSlow(session, id),
                queuedBytes: connections.queuedBytes(id),
                roundTrip: session.roundTrip ?? .zero
            )
        }
        return (ranks, end < sessions.count ? end : nil)
    }

    /// Describes connections, in their order; nil for one that has ended.
    func described(_ ids: [ConnectionID]) -> [ServerAPIResult.Connection?] {
        ids.map { id in
            let session = session(of: id)
            guard session.name != nil, let logged = session.logged,
                let transport = session.transport
            else { return nil }
            return ServerAPIResult.Connection(
                id: logged.id,
                user: logged.user,
                key: logged.key,
                address: logged.address,
                transport: transport,
                wireProtocol: logged.wireProtocol,
                connectedAt: HubClock.wall - (now - logged.start),
                topicCount: hub.topics(of: Int32(id.index)).count,
                queuedBytes: connections.queuedBytes(id),
                sentBytes: connections.sentBytes(id),
                roundTrip: session.roundTrip,
                isSlow: isSlow(session, id),
                droppedCount: session.droppedCount
            )
        }
    }

    /// Whether a connection reads more slowly than it receives: it is held, or its queue has
    /// reached the length at which a namespace that holds slow readers would hold it.
    private func isSlow(_ session: Session, _ id: ConnectionID) -> Bool {
        if connections.queuedBytes(id) > settings.connections.queueBytesMax / 2 { return true }
        return switch session {
        case .none, .http, .echo: false
        case .client(let session): session.subscriptions.values.contains { $0.held != nil }
        case .eventStream(let session): session.machine.isHeld
        case .socketReader(let session): session.machine.heldCursor != nil
        }
    }
}

extension Session {
    fileprivate var logged: LoggedClient? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.logged
        case .eventStream(let session): session.logged
        case .socketReader(let session): session.logged
        }
    }

    fileprivate var transport: ServerAPIResult.Transport? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session):
            switch session.streamed?.framing {
            case nil: .webSocket
            case .lines: .httpStream
            case .events: .sse
            }
        case .eventStream: .eventStream
        case .socketReader(let session):
            switch session.content {
            case .cloudEvents: .cloudEvents
            case .topic: .topicSocket
            }
        }
    }

    fileprivate var roundTrip: Duration? {
        switch self {
        case .none, .http, .echo, .eventStream: nil
        case .client(let session): session.roundTrip
        case .socketReader(let session): session.roundTrip
        }
    }

    fileprivate var droppedCount: UInt64? {
        if case .client(let session) = self { session.droppedCount } else { nil }
    }
}
