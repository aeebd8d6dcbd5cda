import Base
import Reactor

/// The queues of connections that do not read: counted once a turn, and dropped if all peers
/// together hold more than `limits.memory` allows.
///
/// This adds no cost for connections that read: `Connections` counts only where a socket accepts
/// less than all bytes.
extension Shard {
    /// Counts the bytes that the flush of a turn has left, and ends the connections with the
    /// longest queues while there is no room: first those of anonymous peers.
    package func accountForQueues() {
        let bytes = connections.backlogBytes
        if bytes != accountedQueueBytes {
            shared.budget.add(bytes - accountedQueueBytes, to: .queues)
            accountedQueueBytes = bytes
        }
        guard bytes > 0 else { return }
        giveUpQueues(excess: shared.budget.excess(over: .anonymous), anonymousOnly: true)
        giveUpQueues(excess: shared.budget.excess(over: .user), anonymousOnly: false)
    }

    private func giveUpQueues(excess: Int, anonymousOnly: Bool) {
        let budget = shared.budget
        guard excess > 0, losesFirst(.queues),
            isFairShareTaken(connections.backlogBytes, of: .queues)
        else { return }
        let share = Double(connections.backlogBytes) / Double(max(1, budget.held(for: .queues)))
        let slack = budget.limit / Shard.slackDivisor
        var missing = max(1, Int(Double(excess + slack) * min(1, share)))
        let before = connections.backlogBytes
        var count = 0
        for (id, bytes) in connections.backlogs().sorted(by: { $0.bytes > $1.bytes }) {
            guard missing > 0 else { break }
            guard !anonymousOnly || rank(of: id) == .anonymous else { continue }
            connections.giveUp(id)
            missing -= bytes
            count += 1
        }
        guard count > 0 else { return }
        counters.bounds[.memory] += UInt64(count)
        let freed = before - connections.backlogBytes
        budget.add(-freed, to: .queues)
        accountedQueueBytes -= freed
        guard let told = queuesToTell.take(count, freed, now: now) else { return }
        logger.warning(
            "memory limit reached, slow connections ended",
            metadata: [
                "limit": .stringConvertible(budget.limit), "held": .stringConvertible(budget.held),
                "connections": .stringConvertible(told.count),
                "bytes": .stringConvertible(told.bytes),
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
