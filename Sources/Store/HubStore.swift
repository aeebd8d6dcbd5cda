import GRDB
import Locking
import PubSub
import Timekeeping

/// The hub's memory on disk: event log, domain state, alert states, feed validators, radars and their
/// opinions, the film app's tables, webhook outbox.
///
/// **The rule.** A publication is shown to nobody before its transaction is committed, and a change is
/// one transaction. The commit handler is the only door through which publications leave.
///
/// **Writing.** All writes go through one queue to one connection. When the writer gets free it takes
/// what waits, up to `StoreLimits.batchWritesMax`, as one transaction: the cost of a sync is shared, and a
/// write that fails, fails alone (`Writer`). Offsets, cursors and commits have one order. A write that
/// was accepted is carried out even if its caller was cancelled.
///
/// Events of topics that are kept in memory alone, and those outside of a history, take their numbers and
/// their place in this order, but leave no row: a batch that has nothing else makes no transaction.
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
    /// Of the positions in topics that are kept in memory alone: another one in every process.
    package let memoryEpoch: String
    /// Every cursor that this process gives out is above it, and none that a former one gave out is.
    package let memoryCursorBase: UInt64
    /// Of topics that were forgotten before the store was opened. Of those forgotten since, the forgetting
    /// handler is told.
    package let forgotten: ForgottenCursors
    package let limits: StoreLimits

    let pool: DatabasePool
    private let file: StoreFile
    private let writer: Writer
    let queue: Locked<WriteQueue>
    let growth = Locked(OutboxGrowth())
    private let listeners = Locked(Listeners())
    private let durableTopics: Locked<DurableTopics>
    private let counts = Locked(StoreStatistics())
    private let lastHealth = Locked(StoreHealth.ok)
    private let wallClock: @Sendable () -> Timestamp

    package typealias CommitHandler = @Sendable ([Publication]) -> Void
    package typealias RemovalHandler = @Sendable (HistoryRemoval) -> Void
    package typealias ErasureHandler = @Sendable ([Erasure]) -> Void
    package typealias ForgettingHandler = @Sendable ([ForgottenTopic]) -> Void
    package typealias TransactionHandler = @Sendable (Duration) -> Void

    /// Opens the file, makes it when there is none, and brings its schema up to date. Blocks.
    ///
    /// - Parameters:
    ///   - wall: the wall clock, for the cursor base of a new epoch.
    ///   - newEpoch: a random text, of which `memoryEpoch` is made, and `epoch` when one begins.
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
            memoryCursorBase = identity.lastCursor
            forgotten = identity.forgotten
            // Not the store's own: were a topic's namespace made durable, its offsets would begin again.
            memoryEpoch = newEpoch + "-memory"
            writer = Writer(
                counters: TopicCounters(
                    lastCursor: identity.lastCursor,
                    forgotten: identity.forgotten,
                    limits: options.limits
                ),
                settings: Writer.Settings(
                    path: path,
                    epoch: identity.epoch,
                    memoryEpoch: memoryEpoch,
                    limits: options.limits
                )
            )
        } catch {
            throw StoreError.translating(error, path: path)
        }
        limits = options.limits
        queue = Locked(WriteQueue(limits: options.limits))
        durableTopics = Locked(DurableTopics(contains: options.isDurable))
        wallClock = options.wallClock
    }

    /// Sets who is told of every transaction's publications, in the order of commits, on the writer's
    /// queue and before the callers of `commit` go on. Set it once, before the first commit. It must
    /// be quick: no commit is made while it runs.
    package func setCommitHandler(_ handler: @escaping CommitHandler) {
        listeners.withLock { listeners in
            precondition(listeners.commit == nil, "commit handler set twice")
            listeners.commit = handler
        }
    }

    /// Sets who is told that a topic's history was removed: like the commit handler, and in one order with
    /// it. Publications that it was told of before are gone, those that come after are not.
    package func setRemovalHandler(_ handler: @escaping RemovalHandler) {
        listeners.withLock { listeners in
            precondition(listeners.removal == nil, "removal handler set twice")
            listeners.removal = handler
        }
    }

    /// Sets who is told what is erased: like the commit handler, and in one order with it. Publications that
    /// it was told of before are erased where they are covered, those that come after are not.
    package func setErasureHandler(_ handler: @escaping ErasureHandler) {
        listeners.withLock { listeners in
            precondition(listeners.erasure == nil, "erasure handler set twice")
            listeners.erasure = handler
        }
    }

    /// Sets who is told of topics that were forgotten: like the commit handler, and in one order with it.
    /// Publications of them that come after begin at offset 1.
    package func setForgettingHandler(_ handler: @escaping ForgettingHandler) {
        listeners.withLock { listeners in
            precondition(listeners.forgetting == nil, "forgetting handler set twice")
            listeners.forgetting = handler
        }
    }

    /// Sets who is told how long each transaction took, on the writer's queue; for the metrics.
    package func setTransactionHandler(_ handler: @escaping TransactionHandler) {
        listeners.withLock { listeners in
            precondition(listeners.transaction == nil, "transaction handler set twice")
            listeners.transaction = handler
        }
    }

    /// Sets which topics outlive the process; the others' publications get offsets and cursors, in one
    /// order with all others, but no rows. Holds for the transactions that begin from now on.
    ///
    /// A topic that changes sides counts on where it was when it was last on that side, so offsets change
    /// with it: the hubs' histories of the topic have to begin anew.
    ///
    /// - Parameter isDurable: asked for every event, on the writer's queue and the readers' threads.
    package func setDurability(_ isDurable: @escaping @Sendable (Topic) -> Bool) {
        durableTopics.withLock { $0 = DurableTopics(contains: isDurable) }
    }

    var durability: @Sendable (Topic) -> Bool { durableTopics.withLock { $0 }.contains }

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
        enqueue(.change(change), length: length) { result in
            completion(result.map { Committed(outcomes: $0.outcomes) })
        }
    }

    private func tooBig(_ length: Int) -> StoreError {
        StoreError(
            .changeTooBig,
            "change length \(length) over limit \(limits.changeBytesMax)",
            path: path
        )
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
        let oldest: ContinuousClock.Instant?
        (statistics.writesWaiting, statistics.bytesWaiting, oldest) = queue.withLock {
            ($0.count, $0.lengthSum, $0.oldest)
        }
        statistics.oldestWaiting = oldest.map { .now - $0 }
        return statistics
    }

    /// Bytes on the disk: of the database, and of the write-ahead log beside it.
    package var fileLengths: (database: Int, log: Int) {
        (StoreFile.length(path), StoreFile.length(path + "-wal"))
    }

    /// The database file, absolute and without symbolic links.
    package var path: String { file.path }

    private func closeConnections() throws {
        // Who is told of commits may know the store in turn.
        listeners.withLock { $0 = Listeners() }
        do {
            try pool.close()
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    // MARK: The way of a write

    /// Queues a write and waits for its commit.
    func write(_ write: Write, length: Int = Change.rowBytes) async throws -> Written {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(write, length: length) { continuation.resume(with: $0) }
        }
    }

    func write(
        length: Int = Change.rowBytes,
        _ body: @escaping WriteBody
    ) async throws -> Written {
        try await write(.statements(body), length: length)
    }

    private func enqueue(
        _ write: Write,
        length: Int,
        completion: @escaping @Sendable (Result<Written, any Error>) -> Void
    ) {
        let waiting = WaitingWrite(length: length, write: write, completion: completion)
        switch queue.withLock({ $0.append(waiting) }) {
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
            let waiting = queue.withLock { $0.takeBatch() }
            guard !waiting.isEmpty else { return }
            let start = ContinuousClock.now
            var batch = writer.commit(
                waiting.map(\.write),
                isDurable: durability,
                in: database
            )
            batch.results = batch.results.map { result in
                result.mapError { StoreError.translating($0, path: path) }
            }
            counts.withLock { $0.count(batch) }
            if batch.hasTransaction {
                listeners.withLock { $0 }.transaction?(.now - start)
            }
            note(batch)
            announce(batch.results)
            for (write, result) in zip(waiting, batch.results) { write.completion(result) }
        }
    }

    /// Tells the handlers, in the order of the writes.
    private func announce(_ results: [Result<Written, any Error>]) {
        let listeners = listeners.withLock { $0 }
        var publications: [Publication] = []
        func tell() {
            guard !publications.isEmpty else { return }
            listeners.commit?(publications)
            publications.removeAll()
        }
        for case .success(let written) in results {
            publications += written.outcomes.publications
            if !(written.queued.isEmpty && written.erasedDeliveries.isEmpty) {
                growth.withLock { $0.note(written) }
            }
            guard written.tellsMoreThanPublications else { continue }
            tell()
            for removal in written.removals { listeners.removal?(removal) }
            if !written.erasures.isEmpty { listeners.erasure?(written.erasures) }
            if !written.forgotten.isEmpty { listeners.forgetting?(written.forgotten) }
        }
        tell()
    }

    // MARK: Health

    /// Whether the store takes changes. Events without rows are taken all the same.
    package var health: StoreHealth { lastHealth.withLock { $0 } }

    private func note(_ batch: WrittenBatch) {
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

    /// Asks the writer for what it counts in memory.
    func onWriter<Value: Sendable>(
        _ body: @escaping @Sendable (Writer, Database) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [writer] database in
                continuation.resume(returning: body(writer, database))
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

extension Written {
    fileprivate var tellsMoreThanPublications: Bool {
        !(removals.isEmpty && erasures.isEmpty && forgotten.isEmpty)
    }
}

/// Who is told of commits, removals, erasures and forgotten topics.
///
/// A struct of its own, because a function that is the `Value` of a generic type is wrapped once more
/// each time it passes an `inout` parameter: the chain would grow with every commit.
private struct Listeners: Sendable {
    var commit: HubStore.CommitHandler?
    var removal: HubStore.RemovalHandler?
    var erasure: HubStore.ErasureHandler?
    var forgetting: HubStore.ForgettingHandler?
    var transaction: HubStore.TransactionHandler?
}

/// The same for the question which topics are durable.
private struct DurableTopics: Sendable {
    let contains: @Sendable (Topic) -> Bool
}
