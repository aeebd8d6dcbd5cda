extension HubStore {
    /// Reserves cursors for events without rows, unless half a block of them is left.
    ///
    /// Such events need no file while reserved cursors last. Called at the start, and then every
    /// few seconds, it lets memory topics continue while the disk fails: for at least half a block,
    /// less the cursors used between two calls.
    ///
    /// - Throws: `StoreError`; cursors reserved earlier stay valid.
    package func reserveCursors() async throws {
        queue.withLock { $0.usesLane = true }
        let half = Int(TopicCounters.reservedBlock / 2)
        let hasHalf = await onWriter { writer, _ in writer.counters.hasReserved(half) }
        guard !hasHalf else { return }
        _ = try await write(.cursorReservation, awaitsOutcome: false)
    }
}
