import Reactor

/// The table of sessions, by the connection's place in the loop's table.
extension Shard {
    /// The session of an open connection. One that has ended has none: its place may be another's.
    package func session(of id: ConnectionID) -> Session {
        let index = Int(id.index)
        return index < sessions.count && connections.isOpen(id) ? sessions[index] : .none
    }

    /// The session of a place in the table, as the hub names subscribers.
    package func session(at place: UInt32) -> Session {
        Int(place) < sessions.count ? sessions[Int(place)] : .none
    }

    /// The client at a place, while it is open.
    package func client(at place: UInt32) -> (id: ConnectionID, session: ClientSession)? {
        guard case .client(let session) = session(at: place), let id = connections.id(at: place)
        else { return nil }
        return (id, session)
    }

    package func setSession(_ session: Session, of id: ConnectionID) {
        while sessions.count <= Int(id.index) { sessions.append(.none) }
        sessions[Int(id.index)] = session
    }
}
