import Reactor

/// The unfinished input that the connections of one loop hold, by connection: inflated pieces of
/// messages and requests whose end has not arrived, or whose turn has not come. Belongs to its
/// loop.
///
/// The caller reports with `set` the bytes of a connection after each read, adds the change that
/// `set` returns to the memory budget, and takes with `takeOverdue` the connections whose message
/// takes too long.
///
/// Complexity: a report is O(1) on average, and nothing is kept for connections that hold nothing.
package struct UnfinishedInput {
    private struct Entry {
        var bytes: Int
        var rank: MemoryBudget.Rank
        /// The deadline of the current message; nil if there is none.
        var deadline: MonotonicInstant?
    }

    private struct Deadline {
        let id: ConnectionID
        let instant: MonotonicInstant
    }

    private var entries: [ConnectionID: Entry] = [:]
    /// In the order in which messages began; those before `firstDeadline` are gone. The first one
    /// belongs to a message that has not ended, so that no deadline outlives its message. Behind it,
    /// those of ended messages stay until they come first, or until `compact` removes them.
    private var deadlines: [Deadline] = []
    private var firstDeadline = 0
    /// The bytes of all connections.
    package private(set) var bytes = 0

    /// The number of deadlines of ended messages, in addition to the number of entries, that are
    /// kept before they are removed.
    private static let staleDeadlinesMax = 1024

    package var isEmpty: Bool { entries.isEmpty }

    /// Includes deadlines of ended messages; for tests.
    package var storedDeadlineCount: Int { deadlines.count }

    /// The time to call `takeOverdue`: the deadline of a message that has not ended; nil if there is
    /// none.
    package var nextDeadline: MonotonicInstant? {
        firstDeadline < deadlines.count ? deadlines[firstDeadline].instant : nil
    }

    /// Records the bytes that a connection holds; not for a connection that holds nothing.
    ///
    /// - Parameters:
    ///   - isMidMessage: whether a message has begun and not ended. Its deadline stays until
    ///     `noteMessage`.
    ///   - deadline: the deadline of a message that begins.
    /// - Returns: the change of the bytes that it holds; negative for a decrease.
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
        dropEnded()
        return change
    }

    /// Records that a message of the connection has ended: the next one has a separate deadline.
    package mutating func noteMessage(of id: ConnectionID) {
        entries[id]?.deadline = nil
        dropEnded()
    }

    /// Removes a connection; returns the bytes that it held.
    package mutating func remove(_ id: ConnectionID) -> Int {
        guard let entry = entries.removeValue(forKey: id) else { return 0 }
        bytes -= entry.bytes
        dropEnded()
        return entry.bytes
    }

    /// Returns the next connection whose message should have ended by `now`; nil if there is none.
    /// Its message gets the deadline `extended`, in case the hub itself did not read on.
    package mutating func takeOverdue(now: MonotonicInstant, extended: MonotonicInstant)
        -> ConnectionID?
    {
        guard let next = nextDeadline, next <= now else { return nil }
        let id = deadlines[firstDeadline].id
        entries[id]?.deadline = extended
        deadlines.append(Deadline(id: id, instant: extended))
        dropEnded()
        return id
    }

    /// Returns connections that together hold at least `excess` bytes, or all connections: those
    /// that hold the most first.
    ///
    /// - Parameter anonymousOnly: excludes connections with credentials.
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

    private func hasEnded(_ deadline: Deadline) -> Bool {
        entries[deadline.id]?.deadline != deadline.instant
    }

    private mutating func dropEnded() {
        while firstDeadline < deadlines.count, hasEnded(deadlines[firstDeadline]) {
            firstDeadline += 1
        }
        compact()
    }

    private mutating func compact() {
        let staleMax = entries.count + UnfinishedInput.staleDeadlinesMax
        guard deadlines.count > entries.count + staleMax else { return }
        deadlines = deadlines[firstDeadline...].filter { !hasEnded($0) }
        firstDeadline = 0
    }
}
