import GRDB
import Locking
import PubSub
import Timekeeping

/// The hub's memory on disk: event log, domain state, alert states, feed validators, webhook outbox.
///
/// **The rule.** A publication is shown to nobody before its transaction is committed, and a change is
/// one transaction. The commit handler is the only door through which publications leave.
///
/// **Writing.** All writes go through one queue to one connection. When the writer gets free it takes
/// what waits, up to `StoreLimits.batchWritesMax`, as one transaction with a savepoint for each write:
/// the cost of a sync is shared, and a write that fails, fails alone. Offsets, cursors and commits have
/// one order. A write that was accepted is carried out even if its caller was cancelled.
///
/// **Reading.** At most two further connections read snapshots beside the writer. The functions without
/// `async` are for the start of the hub: they block.
///
/// **Threads.** Everything may be called from anywhere but the event loops, where waiting is not allowed.
/// The writer runs on the queue of its connection.
package final class HubStore: Sendable {
    /// Begins with the store; changes when offsets that subscribers hold may be given out again.
    package let epoch: String
    /// Every cursor of this epoch is above it.
    package let cursorBase: UInt64
    package let limits: StoreLimits

    let pool: DatabasePool
    private let file: StoreFile
    private let writer: Writer
    let queue: Locked<WriteQueue>
    private let listener = Locked(Listener())
    private let counts = Locked(StoreStatistics())

    package typealias CommitHandler = @Sendable ([Publication]) -> Void

    /// Opens the file, makes it when there is none, and brings its schema up to date. Blocks.
    ///
    /// - Parameters:
    ///   - wall: the wall clock, for the cursor base of a new epoch.
    ///   - newEpoch: a random text; it is used only when an epoch begins.
    /// - Throws: `StoreError`. A file that is not ours is left as it was.
    package init(_ options: StoreOptions, wall: Timestamp, newEpoch: String) throws {
        file = try StoreFile(path: options.path)
        let path = file.path
        do {
            pool = try Self.open(options, path: path)
            let identity = try pool.writeWithoutTransaction { database in
                try Schema.migrate(database)
                let identity = try StoreIdentity.establish(
                    database,
                    options: options,
                    wall: wall,
                    newEpoch: newEpoch
                )
                try Self.setUpWriter(database, options: options)
                return identity
            }
            epoch = identity.epoch
            cursorBase = identity.cursorBase
            writer = Writer(
                counters: TopicCounters(
                    lastCursor: identity.lastCursor,
                    topicsCachedMax: options.limits.topicsCachedMax
                )
            )
        } catch {
            throw StoreError.translating(error, path: path)
        }
        limits = options.limits
        queue = Locked(WriteQueue(limits: options.limits))
    }

    /// Sets who is told of every transaction's publications, in the order of commits, on the writer's
    /// queue and before the callers of `commit` go on. Set it once, before the first commit. It must
    /// be quick: no commit is made while it runs.
    package func setCommitHandler(_ handler: @escaping CommitHandler) {
        listener.withLock { listener in
            precondition(listener.handler == nil, "commit handler set twice")
            listener.handler = handler
        }
    }

    /// Commits a change as a whole, and returns when it is as safe as `StoreOptions.synchronous` says.
    ///
    /// - Throws: `StoreError`; nothing of the change is in the store then.
    package func commit(_ change: Change) async throws -> Committed {
        try await withCheckedThrowingContinuation { continuation in
            commit(change) { continuation.resume(with: $0) }
        }
    }

    /// Commits a change as a whole, and tells when it is as safe as `StoreOptions.synchronous` says. Does
    /// not wait, so an event loop may call it.
    ///
    /// - Parameter completion: called once, after the commit handler, on the writer's queue; when the
    ///   change is refused at once, on this thread before the call returns. It must be quick.
    package func commit(
        _ change: Change,
        completion: @escaping @Sendable (Result<Committed, any Error>) -> Void
    ) {
        let length = change.length
        guard length <= limits.changeBytesMax else {
            return completion(.failure(tooBig(length)))
        }
        enqueue(length: length) { writer, database in
            try writer.apply(change, in: database)
        } completion: { result in
            completion(result.map { Committed(publications: $0.publications) })
        }
    }

    private func tooBig(_ length: Int) -> StoreError {
        StoreError(
            .changeTooBig,
            "change length \(length) over limit \(limits.changeBytesMax)",
            path: path
        )
    }

    /// Writes a page and commits, to see whether the store would take a change.
    ///
    /// - Throws: `StoreError` with the reason why it would not.
    package func checkWritable() async throws {
        _ = try await write { _, database in
            try database.run(SQL.touch)
            return Written()
        }
    }

    /// Moves what the write-ahead log holds into the database file and empties the log. Needs no call in
    /// daily life: the log is emptied as it grows.
    package func checkpoint() async throws {
        try await onWriterQueue { database in
            _ = try database.checkpoint(.truncate)
        }
    }

    /// Refuses further writes, carries out those that wait, and closes the file. The first call does it;
    /// later ones return at once.
    ///
    /// - Throws: `StoreError` when the end could not be written properly. What was committed stays
    ///   committed, and the file is closed and free all the same.
    package func close() async throws {
        guard queue.withLock({ $0.close() }) else { return }
        defer { file.release() }
        do {
            try await onWriterQueue { database in
                try StoreIdentity.noteSynced(database)
                _ = try database.checkpoint(.truncate)
            }
        } catch {
            try closeConnections()
            throw error
        }
        try closeConnections()
    }

    /// What the writer has done since the store was opened.
    package var statistics: StoreStatistics {
        var statistics = counts.withLock { $0 }
        (statistics.writesWaiting, statistics.bytesWaiting) = queue.withLock {
            ($0.count, $0.lengthSum)
        }
        return statistics
    }

    /// Bytes on the disk: of the database, and of the write-ahead log beside it.
    package var fileLengths: (database: Int, log: Int) {
        (StoreFile.length(path), StoreFile.length(path + "-wal"))
    }

    /// The database file, absolute and without symbolic links.
    package var path: String { file.path }

    private func closeConnections() throws {
        do {
            try pool.close()
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    // MARK: The way of a write

    /// Queues a write and waits for its commit.
    func write(length: Int = Change.rowBytes, _ body: @escaping WriteBody) async throws -> Written {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(length: length, body) { continuation.resume(with: $0) }
        }
    }

    private func enqueue(
        length: Int,
        _ body: @escaping WriteBody,
        completion: @escaping @Sendable (Result<Written, any Error>) -> Void
    ) {
        let write = WaitingWrite(length: length, body: body, completion: completion)
        switch queue.withLock({ $0.append(write) }) {
        case .accepted:
            break
        case .wakesWriter:
            pool.asyncWriteWithoutTransaction { self.drain($0) }
        case .refused(let code, let message):
            counts.withLock { $0.writesRefused += 1 }
            completion(.failure(StoreError(code, message, path: path)))
        }
    }

    /// On the writer's queue: one transaction after the other, until nothing waits.
    private func drain(_ database: Database) {
        while true {
            let batch = queue.withLock { $0.takeBatch() }
            guard !batch.isEmpty else { return }
            let results = writer.commit(batch.map(\.body), in: database)
            count(results)
            announce(results)
            for (write, result) in zip(batch, results) {
                write.completion(result.mapError { StoreError.translating($0, path: path) })
            }
        }
    }

    private func announce(_ results: [Result<Written, any Error>]) {
        var publications: [Publication] = []
        for case .success(let written) in results { publications += written.publications }
        guard !publications.isEmpty else { return }
        let handler = listener.withLock { $0.handler }
        handler?(publications)
    }

    private func count(_ results: [Result<Written, any Error>]) {
        counts.withLock { counts in
            counts.transactions += 1
            counts.batchLengthMax = max(counts.batchLengthMax, results.count)
            for result in results {
                switch result {
                case .success(let written):
                    counts.writesCommitted += 1
                    counts.publications += UInt64(written.publications.count)
                case .failure:
                    counts.writesFailed += 1
                }
            }
        }
    }

    /// Runs `body` outside of a transaction, behind all writes accepted so far.
    private func onWriterQueue(
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                let result = Result { try body(database) }
                continuation.resume(
                    with: result.mapError { StoreError.translating($0, path: self.path) }
                )
            }
        }
    }
}

/// Who is told of commits.
///
/// A struct of its own, because a function that is the `Value` of a generic type is wrapped once more
/// each time it passes an `inout` parameter: the chain would grow with every commit.
private struct Listener: Sendable {
    var handler: HubStore.CommitHandler?
}

/// What a store's writer has done, for the metrics.
package struct StoreStatistics: Sendable, Equatable {
    package var transactions: UInt64 = 0
    package var writesCommitted: UInt64 = 0
    package var writesFailed: UInt64 = 0
    /// Never tried, because the queue was full or the store closed.
    package var writesRefused: UInt64 = 0
    package var publications: UInt64 = 0
    /// The most writes that shared one transaction.
    package var batchLengthMax = 0
    package var writesWaiting = 0
    package var bytesWaiting = 0
}
