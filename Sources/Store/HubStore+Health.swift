extension HubStore {
    /// Whether the store accepts changes. Events without rows are accepted in any case.
    package var health: StoreHealth { lastHealth.withLock { $0 } }

    /// Why every change is refused until the hub starts again: the database has another state than
    /// this hub. Nil if a restart is not needed.
    package var restartReason: String? { engine.restartReason }

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

    /// The size of a probe's write: about that of a batch of publications, because a full disk may
    /// have room for a page and not for a batch.
    private static let probeBytes = 64 << 10

    /// Writes as much as a batch of publications, and deletes it, to check whether the store would
    /// accept one.
    ///
    /// - Throws: `StoreError` with the reason why it would not.
    package func checkWritable() async throws {
        _ = try await write(awaitsOutcome: false) { session in
            try session.run(SQL.writeProbe, [[UInt8](repeating: 0, count: Self.probeBytes)])
            return Written()
        }
        _ = try await write(awaitsOutcome: false) { session in
            try session.run(SQL.deleteProbe)
            return Written()
        }
    }

    /// Checks whether a store that failed accepts changes again, so that `health` does not wait for
    /// the next publisher. Call it every few seconds; it does nothing while `health` is `ok`.
    package func probeIfFailing() async {
        guard health != .ok else { return }
        // The result is in `health`.
        try? await checkWritable()
    }
}
