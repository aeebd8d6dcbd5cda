import Reactor

/// The queues of connections that do not read: counted once a turn, and dropped if all peers
/// together hold more than `limits.memory` allows.
///
/// This adds no cost for connections that read: `Connections` counts only where a socket accepts
/// less than all bytes.
extension Loop {
    /// Counts the bytes that the flush of a turn has left, and ends the connections with the
    /// longest queues while there is no room: first those of anonymous peers.
    package func accountForQueues() {
        let bytes = connections.backlogBytes
        memory.report(queues: bytes)
        guard bytes > 0 else { return }
        giveUpQueues(over: .anonymous)
        giveUpQueues(over: .user)
    }

    /// - Parameter exceeded: whose part of the budget is exceeded. For theirs, only anonymous peers pay.
    private func giveUpQueues(over exceeded: MemoryBudget.Rank) {
        let before = connections.backlogBytes
        guard
            var missing = memory.bytesToFree(
                for: .queues,
                holding: before,
                over: exceeded,
                loopCount: shared.loopCount
            )
        else { return }
        var count = 0
        for (id, bytes) in connections.backlogs().sorted(by: { $0.bytes > $1.bytes }) {
            guard missing > 0 else { break }
            guard exceeded != .anonymous || rank(of: id) == .anonymous else { continue }
            connections.giveUp(id)
            missing -= bytes
            count += 1
        }
        guard count > 0 else { return }
        turn.counters.bounds[.memory] += UInt64(count)
        let left = connections.backlogBytes
        memory.report(queues: left)
        guard let lost = memory.add(.queues, count: count, bytes: before - left, now: now)
        else { return }
        logger.warning(
            "memory limit reached, slow connections ended",
            metadata: [
                "limit": .stringConvertible(shared.budget.limit),
                "held": .stringConvertible(shared.budget.held),
                "connections": .stringConvertible(lost.count),
                "bytes": .stringConvertible(lost.bytes),
            ]
        )
    }

    /// The rank of the peer for which a connection holds memory.
    private func rank(of id: ConnectionID) -> MemoryBudget.Rank {
        switch session(of: id) {
        case .none, .echo: .anonymous
        case .http(let session): session.rank
        case .client(let session): session.rank
        case .eventStream(let session): session.reader.rank
        case .socketReader(let session): session.reader.rank
        }
    }
}

extension StreamReader {
    package var rank: MemoryBudget.Rank { user.isEmpty ? .anonymous : .user }
}
