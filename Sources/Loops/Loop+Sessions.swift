import Reactor

/// The table of sessions, by the connection's place in the loop's table.
extension Loop {
    /// The session of an open connection; `none` after its end, when its place may belong to
    /// another one.
    package func session(of id: ConnectionID) -> Session {
        let index = Int(id.index)
        return index < sessions.count && connections.isOpen(id) ? sessions[index] : .none
    }

    /// The session at a place of the table; the hub names subscribers by place.
    package func session(at place: UInt32) -> Session {
        Int(place) < sessions.count ? sessions[Int(place)] : .none
    }

    /// The client at a place, if it is open.
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
