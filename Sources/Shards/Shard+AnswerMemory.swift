import Base
import Reactor

/// Memory of responses that are longer than the queue of a connection: each is kept whole until its
/// peer has read it. So they are counted, and dropped if all peers together hold more than
/// `limits.memory` allows.
extension Shard {
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
        giveUpAnswers(excess: shared.budget.excess(over: .anonymous), anonymousOnly: true)
        giveUpAnswers(excess: shared.budget.excess(over: .user), anonymousOnly: false)
    }

    private func giveUpAnswers(excess: Int, anonymousOnly: Bool) {
        let budget = shared.budget
        guard excess > 0, losesFirst(.answers), isFairShareTaken(waitingAnswers.bytes, of: .answers)
        else { return }
        let share = Double(waitingAnswers.bytes) / Double(max(1, budget.held(for: .answers)))
        let slack = budget.limit / Shard.slackDivisor
        let missing = max(1, Int(Double(excess + slack) * min(1, share)))
        let before = waitingAnswers.bytes
        let ids = waitingAnswers.largest(holding: missing, anonymousOnly: anonymousOnly)
        for id in ids {
            forgetAnswer(of: id)
            connections.abort(id)
        }
        guard !ids.isEmpty else { return }
        counters.bounds[.memory] += UInt64(ids.count)
        guard let told = answersToTell.take(ids.count, before - waitingAnswers.bytes, now: now)
        else { return }
        logger.warning(
            "memory limit reached, long responses given up",
            metadata: [
                "limit": .stringConvertible(budget.limit), "held": .stringConvertible(budget.held),
                "connections": .stringConvertible(told.count),
                "bytes": .stringConvertible(told.bytes),
            ]
        )
    }

    /// Whether the memory of a purpose is freed first. The largest purpose loses first, so peers
    /// that read and send little do not pay for others.
    package func losesFirst(_ purpose: MemoryBudget.Purpose) -> Bool {
        let bytes = shared.budget.held(for: purpose)
        return [.messages, .queues, .answers].allSatisfy { bytes >= shared.budget.held(for: $0) }
    }
}
