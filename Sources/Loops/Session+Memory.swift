import Reactor
import Service

/// The memory that a session holds for its peer, and the peer's rank.
extension Session {
    /// The input that a connection holds.
    ///
    /// - Parameter waiting: the bytes that wait for a later turn.
    func heldInput(
        waiting: Int
    ) -> (bytes: Int, isMidMessage: Bool, rank: MemoryBudget.Rank) {
        switch self {
        case .none, .eventStream: return (0, false, .anonymous)
        case .http(let session):
            return (session.machine.heldInputBytes + waiting, false, session.rank)
        case .client(let session):
            let bytes = session.machine.heldInputBytes + waiting
            return (bytes, session.machine.isMidMessage, session.rank)
        case .echo(let session):
            let bytes = session.machine.heldInputBytes + waiting
            return (bytes, session.machine.isMidMessage, .anonymous)
        case .socketReader(let session):
            let bytes = session.machine.heldInputBytes
            return (bytes, session.machine.isMidMessage, session.reader.rank)
        }
    }

    /// The rank of the peer for which a connection holds memory.
    var rank: MemoryBudget.Rank {
        switch self {
        case .none, .echo: .anonymous
        case .http(let session): session.rank
        case .client(let session): session.rank
        case .eventStream(let session): session.reader.rank
        case .socketReader(let session): session.reader.rank
        }
    }
}

extension HTTPSession {
    /// Credentials are verified where the request is answered; here only their presence counts. A
    /// peer with invented credentials competes with users, not with operators' own work, and has to
    /// send every byte.
    package var rank: MemoryBudget.Rank {
        guard let headers = machine.head?.headers else { return .anonymous }
        return headers.contains("Authorization") || headers.contains("X-API-Key")
            ? .user : .anonymous
    }
}

extension ClientSession {
    /// Before the connect command is answered, a client is anonymous.
    package var rank: MemoryBudget.Rank { identity.user.isEmpty ? .anonymous : .user }
}

extension StreamReader {
    package var rank: MemoryBudget.Rank { user.isEmpty ? .anonymous : .user }
}
