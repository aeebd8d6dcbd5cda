import ClientWire
import Reactor

/// The connections of a loop that wait until their positions are reached, and the questions to the
/// `PositionBarrier` that they share.
///
/// **Function.** One question is under way at a time. All connections that begin to wait meanwhile
/// share the next one, because an earlier question does not cover their positions. Each connection
/// waits for one answer, and only up to its deadline.
///
/// **Inputs.** `add` when a connection begins to wait, `answered` when the barrier calls back,
/// `takeOverdue` at `nextDeadline`. After each of them the caller asks the `nextQuestion`, if there
/// is one, at the end of the turn at the latest.
///
/// **Not done here:** the input that waits (`Waiting`), and whether its positions are
/// reached afterwards. A connection that has ended stays until its question is answered.
package struct PositionWaits {
    private struct Waiter {
        let id: ConnectionID
        let deadline: MonotonicInstant
    }

    /// The number of the last question.
    private var question: UInt64 = 0
    /// Those of the question under way, the longest waiting first; empty if there is none.
    private var asking: [Waiter] = []
    /// Those of the next question, all of which have begun to wait later.
    private var next: [Waiter] = []

    package init() {}

    /// The first deadline of a connection; nil if none waits.
    package var nextDeadline: MonotonicInstant? { asking.first?.deadline ?? next.first?.deadline }

    /// Adds a connection.
    ///
    /// - Parameter deadline: not before that of any other connection.
    package mutating func add(_ id: ConnectionID, until deadline: MonotonicInstant) {
        assert(next.last.map { $0.deadline <= deadline } ?? true)
        next.append(Waiter(id: id, deadline: deadline))
    }

    /// Returns the number of a question to ask; nil if one is under way, or no connection waits.
    package mutating func nextQuestion() -> UInt64? {
        guard asking.isEmpty, !next.isEmpty else { return nil }
        swap(&asking, &next)
        question += 1
        return question
    }

    /// Returns the connections for which a question was asked, the longest waiting first; none if
    /// the question was given up.
    package mutating func answered(_ question: UInt64) -> [ConnectionID] {
        guard question == self.question else { return [] }
        defer { asking = [] }
        return asking.map(\.id)
    }

    /// Returns the connections whose deadline has passed, the longest waiting first. A question for
    /// which no connection is left is given up.
    package mutating func takeOverdue(now: MonotonicInstant) -> [ConnectionID] {
        PositionWaits.takeOverdue(&asking, now) + PositionWaits.takeOverdue(&next, now)
    }

    private static func takeOverdue(
        _ waiters: inout [Waiter],
        _ now: MonotonicInstant
    ) -> [ConnectionID] {
        let overdue = waiters.prefix { $0.deadline <= now }.map(\.id)
        waiters.removeFirst(overdue.count)
        return overdue
    }
}

extension ClientWire.HistoryRequest {
    /// The newest place that the answer must know; nil for any.
    var needed: Position? {
        guard var since, reverse, since.offset > 0 else { return since }
        // In reverse, the page begins before the place.
        since.offset -= 1
        return since
    }
}
