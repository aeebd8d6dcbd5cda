import Expectations
import GRDB
import StoreTesting

@testable import Store

/// The commit's frames are in the log, and the sync behind them has failed.
@Suite("A commit whose fate is not known", .needsFile, .timeLimit(.minutes(10)))
struct UnknownFateTests {
    private let syncFailed = DatabaseError(resultCode: .SQLITE_IOERR_FSYNC)

    private func keyed(_ text: String) -> TopicEvent {
        var event = event(radar, text)
        event.idempotencyKey = "key"
        return event
    }

    private func writer(
        of store: HubStore,
        commit: @escaping @Sendable (SQLSession) throws -> Void
    ) -> Writer {
        Writer(
            counters: TopicCounters(lastCursor: store.memoryCursorBase, limits: store.limits),
            settings: Writer.Settings(
                path: store.path,
                epoch: store.epoch,
                memoryEpoch: store.memoryEpoch,
                limits: store.limits,
                commit: commit
            )
        )
    }

    private func code(_ result: Result<Written, any Error>, _ store: HubStore) -> StoreError.Code? {
        guard case .failure(let error) = result else { return nil }
        return (StoreError.translating(error, path: store.path) as? StoreError)?.code
    }

    @Test func keySettlesACommitThatTheNextStartFindsInTheLog() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory, synchronous: .full)
            let writer = writer(of: store) { [syncFailed] session in
                try session.commit()
                throw syncFailed
            }
            let change = Change(events: [keyed("a")])
            let results = try await store.pool.writeWithoutTransaction { database in
                writer.commit([.change(change)], in: database)
            }
            expectEqual(code(results[0], store), .fateUnknown)
            // What `kill -9` leaves at this moment.
            try copyStore(directory, to: directory + "/copy")
            let next = try openStore(directory + "/copy", synchronous: .full)
            let retried = try await next.publish(keyed("a"))
            expectEqual(retried, .duplicate(Position(offset: 1, epoch: next.epoch)))
            try await expectEqual(next.loadAll()[0].publications.map(text), ["a"])
            try await next.close()
            try await store.close()
        }
    }

    @Test func retryOfACommitThatWasRolledBackIsPublishedOnceUnderAnotherCursor() async throws {
        try await withStore { store in
            let fails = Locked(true)
            let writer = writer(of: store) { [syncFailed] session in
                if fails.withLock({ $0 }) { throw syncFailed }
                try session.commit()
            }
            let change = Change(events: [keyed("a"), event(news, "b")])
            let first = try await store.pool.writeWithoutTransaction { database in
                writer.commit([.change(change)], in: database)
            }
            expectEqual(code(first[0], store), .fateUnknown)
            fails.withLock { $0 = false }
            let second = try await store.pool.writeWithoutTransaction { database in
                writer.commit([.change(change)], in: database)
            }
            let published = try second[0].get().outcomes.publications
            expectEqual(published.map(\.offset), [1, 1])
            expectEqual(published.map(\.cursor), [store.cursorBase + 3, store.cursorBase + 4])
        }
    }

    @Test(arguments: [
        ResultCode.SQLITE_BUSY, .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_IOERR_WRITE,
    ])
    func failureBeforeTheLastFrameIsCertain(_ code: ResultCode) {
        expectNil(CommitFailure(DatabaseError(resultCode: code)))
    }

    @Test(arguments: [
        ResultCode.SQLITE_IOERR, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_SHMMAP, .SQLITE_NOMEM,
        .SQLITE_CORRUPT,
    ])
    func failureBehindTheLastFrameIsNot(_ code: ResultCode) throws {
        let failure = try require(CommitFailure(DatabaseError(resultCode: code)))
        let error = StoreError(failure, path: "p")
        expectEqual(error.code, .fateUnknown)
        expect(error.isOfTheFile)
        expect(error.message.hasPrefix("commit failed, the change may be stored: "))
    }

    /// A statement that fails is no commit: nothing of it can be in the log as a whole.
    @Test func failureOfAStatementIsCertain() async throws {
        try await withStore { store in
            try await store.setQueryOnly(true)
            let error = await #expect(throws: StoreError.self) {
                try await store.publish(keyed("a"))
            }
            expectEqual(error?.code, .readOnly)
            try await store.setQueryOnly(false)
        }
    }
}
