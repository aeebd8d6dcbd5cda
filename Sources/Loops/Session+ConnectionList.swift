import ClientWire
import Core
import Reactor

/// A session in the list of connections.
extension Session {
    /// Describes a connection; nil if it receives no publications.
    ///
    /// - Parameter queueBytesMax: the maximum length of its queue.
    func described(
        _ id: ConnectionID,
        _ connections: borrowing Connections,
        topicCount: Int,
        queueBytesMax: Int,
        now: MonotonicInstant
    ) -> ServerAPIResult.Connection? {
        guard name != nil, let logged, let transport else { return nil }
        return ServerAPIResult.Connection(
            id: logged.id,
            user: logged.user,
            key: logged.key,
            address: logged.address,
            transport: transport,
            wireProtocol: logged.wireProtocol,
            connectedAt: HubClock.wall - (now - logged.start),
            topicCount: topicCount,
            queuedBytes: connections.queuedBytes(id),
            sentBytes: connections.sentBytes(id),
            roundTrip: roundTrip,
            isSlow: isSlow(id, connections, queueBytesMax: queueBytesMax),
            droppedCount: droppedCount
        )
    }

    /// Whether a connection reads more slowly than it receives: it is held, or its queue has
    /// reached the length at which a namespace that holds slow readers would hold it.
    func isSlow(
        _ id: ConnectionID,
        _ connections: borrowing Connections,
        queueBytesMax: Int
    ) -> Bool {
        if connections.queuedBytes(id) > queueBytesMax / 2 { return true }
        return switch self {
        case .none, .http, .echo: false
        case .client(let session): session.subscriptions.values.contains { $0.held != nil }
        case .eventStream(let session): session.machine.isHeld
        case .socketReader(let session): session.machine.heldCursor != nil
        }
    }

    var logged: LoggedClient? {
        switch self {
        case .none, .http, .echo: nil
        case .client(let session): session.logged
        case .eventStream(let session): session.logged
        case .socketReader(let session): session.logged
        }
    }

    var transport: ServerAPIResult.Transport? {
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

    var roundTrip: Duration? {
        switch self {
        case .none, .http, .echo, .eventStream: nil
        case .client(let session): session.roundTrip
        case .socketReader(let session): session.roundTrip
        }
    }

    var droppedCount: UInt64? {
        if case .client(let session) = self { session.droppedCount } else { nil }
    }
}
