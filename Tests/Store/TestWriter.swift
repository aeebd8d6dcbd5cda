import GRDB

@testable import Store

extension HubStore {
    /// What looks whether the files are still there.
    var watch: StoreWatch {
        guard let engine = engine as? SQLiteEngine else { preconditionFailure("no file") }
        return engine.watch
    }

    /// A writer that stands where the store's own one stood when it was opened.
    var testWriter: Writer {
        Writer(
            counters: TopicCounters(lastCursor: memoryCursorBase, limits: limits),
            settings: Writer.Settings(
                path: path,
                epoch: epoch,
                memoryEpoch: memoryEpoch,
                limits: limits,
                isPostgres: !(engine is SQLiteEngine)
            )
        )
    }
}

extension Writer {
    /// Commits where all topics are durable.
    func commit(_ writes: [Write], in session: SQLSession) -> [Result<Written, any Error>] {
        commit(writes, isDurable: { _ in true }, in: session).results
    }

    func commit(_ writes: [Write], in database: Database) -> [Result<Written, any Error>] {
        commit(writes, in: SQLSession(database))
    }
}
