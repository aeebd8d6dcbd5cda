extension HubStore {
    /// Removes a topic's history: a subscriber that returns with a position in it receives a gap
    /// notification. Offsets continue, and versions and idempotency keys stay.
    ///
    /// The removal handler is called in the order of commits. The rows are deleted, in small
    /// transactions, by the next `trimPublications`; they are not read until then.
    ///
    /// - Returns: the removal; nil when there was no history.
    /// - Throws: `StoreError`; the history is unchanged then.
    @discardableResult
    package func removeHistory(of topic: Topic) async throws -> HistoryRemoval? {
        try await write(.historyRemoval(topic), awaitsOutcome: false).removals.first
    }
}
