import GRDB

extension HubStore {
    /// Whether the store takes changes. Events without rows are taken all the same.
    package var health: StoreHealth { lastHealth.withLock { $0 } }

    func note(_ batch: WrittenBatch) {
        guard batch.hasTransaction else { return }
        let failure = batch.results.lazy.compactMap { result -> StoreError? in
            guard case .failure(let error) = result else { return nil }
            let storeError =
                error as? StoreError ?? StoreError(.other, "\(error)", path: self.path)
            return storeError.isOfTheFile ? storeError : nil
        }.first
        guard failure != nil || batch.hasWritten else { return }
        let now = wallClock()
        lastHealth.withLock { $0.note(failure, at: now) }
    }

    /// What a probe writes: about as much as a batch of publications, because a full disk may have room
    /// for a page and none for them.
    private static let probeBytes = 64 << 10

    /// Writes as much as a batch of publications, and deletes it, to see whether the store would take one.
    ///
    /// - Throws: `StoreError` with the reason why it would not.
    package func checkWritable() async throws {
        _ = try await write { database in
            try database.run(SQL.writeProbe, [Self.probeBytes])
            return Written()
        }
        _ = try await write { database in
            try database.run(SQL.deleteProbe)
            return Written()
        }
    }

    /// Looks whether a store that failed takes changes again, so that `health` does not wait for the next
    /// publisher. To be called every few seconds; does nothing while all is well.
    package func probeIfFailing() async {
        guard health != .ok else { return }
        // What comes of it stands in `health`.
        try? await checkWritable()
    }
}
