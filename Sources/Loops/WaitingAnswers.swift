import Reactor

/// Responses that peers have not read whole, by connection. Belongs to its loop.
package struct WaitingAnswers {
    private struct Entry {
        var bytes: Int
        var rank: MemoryBudget.Rank
    }

    private var entries: [ConnectionID: Entry] = [:]
    /// The bytes of all responses.
    package private(set) var bytes = 0

    package var isEmpty: Bool { entries.isEmpty }

    /// Records the response of a connection. Returns false, and changes nothing, if it is already
    /// recorded.
    package mutating func add(_ bytes: Int, of id: ConnectionID, rank: MemoryBudget.Rank) -> Bool {
        guard entries[id] == nil else { return false }
        entries[id] = Entry(bytes: bytes, rank: rank)
        self.bytes += bytes
        return true
    }

    /// Removes a connection's response; returns its bytes.
    package mutating func remove(_ id: ConnectionID) -> Int {
        guard let entry = entries.removeValue(forKey: id) else { return 0 }
        bytes -= entry.bytes
        return entry.bytes
    }

    /// Returns connections whose responses together have at least `excess` bytes, or all
    /// connections: the longest responses first.
    ///
    /// - Parameter anonymousOnly: excludes connections with credentials.
    package func largest(holding excess: Int, anonymousOnly: Bool) -> [ConnectionID] {
        var missing = excess
        return entries.filter { !anonymousOnly || $0.value.rank == .anonymous }
            .sorted { $0.value.bytes > $1.value.bytes }
            .prefix { entry in
                defer { missing -= entry.value.bytes }
                return missing > 0
            }
            .map(\.key)
    }
}
