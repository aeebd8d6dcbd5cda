import Reactor

/// Memory of responses that are longer than the queue of a connection: each is kept whole until its
/// peer has read it. So they are counted, and dropped if all peers together hold more than
/// `limits.memory` allows.
extension Loop {
    /// Counts a response that has not been sent whole at once.
    package func accountForAnswer(_ session: HTTPSession, of id: ConnectionID) {
        guard let length = session.machine.answerLength,
            waitingAnswers.add(length, of: id, rank: session.rank)
        else { return }
        shared.budget.add(length, to: .answers)
        giveUpAnswers()
    }

    /// Subtracts a response after it was read whole, or its connection has ended.
    package func forgetAnswer(of id: ConnectionID) {
        guard !waitingAnswers.isEmpty else { return }
        shared.budget.add(-waitingAnswers.remove(id), to: .answers)
    }

    /// Ends connections while their peers hold more than their ranks allow: first those of
    /// anonymous peers, and of these the ones with the longest responses.
    package func giveUpAnswers() {
        guard !waitingAnswers.isEmpty else { return }
        giveUpAnswers(over: .anonymous)
        giveUpAnswers(over: .user)
    }

    /// - Parameter rank: whose part of the budget is exceeded. For theirs, only anonymous peers pay.
    private func giveUpAnswers(over rank: MemoryBudget.Rank) {
        let before = waitingAnswers.bytes
        guard
            let missing = memory.bytesToFree(
                for: .answers,
                holding: before,
                over: rank,
                loopCount: shared.loopCount
            )
        else { return }
        let ids = waitingAnswers.largest(holding: missing, anonymousOnly: rank == .anonymous)
        for id in ids {
            forgetAnswer(of: id)
            connections.abort(id)
        }
        guard !ids.isEmpty else { return }
        turn.counters.bounds[.memory] += UInt64(ids.count)
        let freed = before - waitingAnswers.bytes
        guard let lost = memory.add(.answers, count: ids.count, bytes: freed, now: now)
        else { return }
        logger.warning(
            "memory limit reached, long responses given up",
            metadata: [
                "limit": .stringConvertible(shared.budget.limit),
                "held": .stringConvertible(shared.budget.held),
                "connections": .stringConvertible(lost.count),
                "bytes": .stringConvertible(lost.bytes),
            ]
        )
    }
}
