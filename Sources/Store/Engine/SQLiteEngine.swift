import GRDB

/// A store in an SQLite file: one connection that writes, and at most two that read snapshots, each
/// with a queue of its own.
final class SQLiteEngine: StoreEngine {
    let identity: StoreIdentity
    let deliveriesAtStart: DeliveryCounts
    let pool: DatabasePool
    let watch: StoreWatch
    private let file: StoreFile
    private let mark: HighWaterFile
    private let notices: StoreNotices
    private let logPages = LogPages()

    /// Opens the file, creates it if there is none, and brings its schema up to date. Blocks.
    ///
    /// - Parameter onFault: called if the file is removed or replaced.
    /// - Throws: `StoreError`. A file that is not ours is left as it was.
    init(
        _ options: StoreOptions,
        wall: Timestamp,
        newEpoch: String,
        notices: StoreNotices,
        onFault: @escaping @Sendable (StoreError) -> Void
    ) throws {
        file = try StoreFile(path: options.path)
        mark = HighWaterFile(of: file.path, options.synchronous, notices)
        self.notices = notices
        watch = StoreWatch(file, notices: notices, onFault: onFault)
        (pool, identity, deliveriesAtStart) = try Self.open(
            options,
            file,
            wall: wall,
            newEpoch: newEpoch,
            mark: mark.found,
            logPages: logPages
        )
        mark.begin(identity.highWater)
        notices.report(identity, path: file.path)
        file.noteLog()
        watch.start(every: options.watchInterval)
    }

    /// The database file, absolute and without symbolic links.
    var path: String { file.path }

    var fileLengths: (database: Int, log: Int) {
        (StoreFile.length(path), StoreFile.length(path + "-wal"))
    }

    func write(_ body: @escaping @Sendable (SQLSession) -> Void) {
        pool.asyncWriteWithoutTransaction { body(SQLSession($0)) }
    }

    /// GRDB's `async` form of `read` returns its connection only when a thread of the cooperative
    /// pool resumes the caller. Two callers that wait for such a thread would keep both readers.
    /// `asyncRead` returns the connection on the reader's queue.
    func read(_ body: @escaping @Sendable (Result<SQLSession, any Error>) -> Void) {
        pool.asyncRead { body($0.map { SQLSession($0) }) }
    }

    var missingSteps: Set<String> { [] }
    var restartReason: String? { nil }

    func admitTransaction() throws { try watch.refuse() }

    func noteCommit(_ highWater: HighWater) { mark.write(highWater) }

    func deliveryCounts(_ session: SQLSession) throws -> DeliveryCounts {
        try DeliveryTally.read(session)
    }

    var sharedLog: SharedLog? { nil }

    func inboxListener(retryAfter _: Duration) -> NotificationListener? { nil }

    var isCheckpointDue: Bool { logPages.isLong }

    func checkpoint(_ session: SQLSession) {
        logPages.reset()
        try? session.checkpoint()
    }

    func emptyLog() async throws {
        try await onWriterAlone { database in
            _ = try database.checkpoint(.truncate)
        }
    }

    func close() async throws {
        defer { file.release() }
        do {
            try await onWriterAlone { [mark] database in
                try StoreIdentity.noteSynced(database)
                _ = try database.checkpoint(.truncate)
                mark.sync()
            }
        } catch {
            try await closeConnections()
            throw error
        }
        try await closeConnections()
    }

    private func closeConnections() async throws {
        watch.stop()
        notices.removeHandler()
        mark.close()
        do {
            // Waits for the readers.
            try await onOwnThread { [pool] in try pool.close() }
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    /// Runs `body` outside a transaction, after all writes so far, while nothing is read. A reader
    /// that has answered may still have its snapshot open, and a log that a snapshot needs cannot
    /// be emptied (`SQLITE_BUSY`).
    private func onWriterAlone(
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncBarrierWriteWithoutTransaction { database in
                let result = Result { try body(database.get()) }
                continuation.resume(
                    with: result.mapError { StoreError.translating($0, path: self.path) }
                )
            }
        }
    }
}
