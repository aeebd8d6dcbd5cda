import PubSub

extension HubStore {
    /// Removes a topic's history: whoever comes back with a position in it is told a gap. Offsets go on,
    /// and versions and idempotency keys stay.
    ///
    /// The removal handler is told of it in the order of commits. The rows are deleted, in small
    /// transactions, by the next `trimPublications`; nobody reads them until then.
    ///
    /// - Returns: what was removed; nil when there was nothing.
    /// - Throws: `StoreError`; the history is as it was then.
    @discardableResult
    package func removeHistory(of topic: Topic) async throws -> HistoryRemoval? {
        try await write(.historyRemoval(topic)).removals.first
    }
}
