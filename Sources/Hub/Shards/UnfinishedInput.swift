import Bounds
import Reactor

/// What the connections of one loop make it hold of input whose end has not come, or whose turn has not:
/// pieces of messages and requests, inflated, by connection. Belongs to its loop.
///
/// The caller reports with `set` what a connection holds after each read, adds the change that `set` returns
/// to the memory budget, and takes with `takeOverdue` those whose message takes too long.
///
/// Complexity: a report is O(1) on average, and nothing is kept for connections that hold nothing.
package struct UnfinishedInput {
    private struct Entry {
        var bytes: Int
        var rank: MemoryBudget.Rank
        /// When the message under way must have ended; nil where none is.
        var deadline: MonotonicInstant?
    }

    private struct Deadline {
        let id: ConnectionID
        let instant: MonotonicInstant
    }

    private var entries: [ConnectionID: Entry] = [:]
    /// In the order in which messages began. One whose message has ended meanwhile stays until it comes up, or
    /// until `compact` removes it.
    private var deadlines: [Deadline] = []
    private var firstDeadline = 0
    /// The bytes of all connections.
    package private(set) var bytes = 0

    /// Ended messages may leave so many deadlines, and as many as there are entries, before they are removed.
    private static let staleDeadlinesMax = 1024

    package var isEmpty: Bool { entries.isEmpty }

    /// With those of messages that have ended; for tests.
    package var storedDeadlineCount: Int { deadlines.count }

    /// When `takeOverdue` has to be called at the latest; the message may have ended by then.
    package var nextDeadline: MonotonicInstant? {
        firstDeadline < deadlines.count ? deadlines[firstDeadline].instant : nil
    }

    /// Notes what a connection holds that holds something.
    ///
    /// - Parameters:
    ///   - isMidMessage: whether a message has begun and not ended. Its deadline stays until `noteMessage`.
    ///   - deadline: that of a message which begins.
    /// - Returns: how many bytes more it holds than before; negative for fewer.
    package mutating func set(
        _ bytes: Int,
        of id: ConnectionID,
        rank: MemoryBudget.Rank,
        isMidMessage: Bool,
        deadline: MonotonicInstant
    ) -> Int {
        assert(bytes > 0 || isMidMessage)
        let former = entries[id]
        var entry = Entry(bytes: bytes, rank: rank, deadline: former?.deadline)
        if !isMidMessage {
            entry.deadline = nil
        } else if entry.deadline == nil {
            entry.deadline = deadline
            deadlines.append(Deadline(id: id, instant: deadline))
        }
        entries[id] = entry
        let change = bytes - (former?.bytes ?? 0)
        self.bytes += change
        compact()
        return change
    }

    /// A message of the connection has ended: the next one has a deadline of its own.
    package mutating func noteMessage(of id: ConnectionID) {
        entries[id]?.deadline = nil
    }

    /// Forgets a connection; returns the bytes that it held.
    package mutating func remove(_ id: ConnectionID) -> Int {
        guard let entry = entries.removeValue(forKey: id) else { return 0 }
        bytes -= entry.bytes
        return entry.bytes
    }

    /// The next connection whose message should have ended by `now`; nil when there is none. Its message gets
    /// `extended` as another deadline, for the case that it was the hub who did not read on.
    package mutating func takeOverdue(now: MonotonicInstant, extended: MonotonicInstant)
        -> ConnectionID?
    {
        while firstDeadline < deadlines.count, deadlines[firstDeadline].instant <= now {
            let deadline = deadlines[firstDeadline]
            firstDeadline += 1
            guard entries[deadline.id]?.deadline == deadline.instant else { continue }
            entries[deadline.id]?.deadline = extended
            deadlines.append(Deadline(id: deadline.id, instant: extended))
            return deadline.id
        }
        compact()
        return nil
    }

    /// Connections that together hold at least `excess` bytes, or all there are: those that hold the most
    /// first.
    ///
    /// - Parameter anonymousOnly: leaves out connections with credentials.
    package func largest(holding excess: Int, anonymousOnly: Bool) -> [ConnectionID] {
        var missing = excess
        guard missing > 0 else { return [] }
        return entries.filter { !anonymousOnly || $0.value.rank == .anonymous }
            .sorted { $0.value.bytes > $1.value.bytes }
            .prefix { entry in
                defer { missing -= entry.value.bytes }
                return missing > 0
            }
            .map(\.key)
    }

    private mutating func compact() {
        let staleMax = entries.count + UnfinishedInput.staleDeadlinesMax
        guard deadlines.count > entries.count + staleMax else { return }
        deadlines = deadlines[firstDeadline...].filter {
            entries[$0.id]?.deadline == $0.instant
        }
        firstDeadline = 0
    }
}
