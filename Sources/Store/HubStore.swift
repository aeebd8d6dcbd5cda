/// The hub's storage on disk: event log, domain state, alert states, feed validators, the tables of
/// the domains, webhook outbox.
///
/// **The rule.** No client receives a publication before its transaction is committed, and a change
/// is one transaction. Publications leave the store only through the commit handler.
///
/// **Writing.** All writes go through one queue to one connection. When the writer is free it takes
/// the waiting writes, up to `StoreLimits.batchWritesMax`, as one transaction: the cost of a sync
/// is shared, and a failed write does not affect the others (`Writer`). Offsets, cursors and
/// commits have one order. An accepted write is carried out even if its caller was cancelled.
///
/// Events of topics that are kept only in memory, and those outside a history, get their numbers
/// and their place in this order, but no row: a batch of only such events makes no transaction.
/// Events of memory topics do not wait for a transaction either: while it waits for the disk, they
/// use cursors that it has left out, and are announced before it (`MemoryLane`).
///
/// **Reading.** At most two further connections read snapshots concurrently with the writer, each
/// on its own queue.
///
/// **Threads.** Everything may be called from anywhere except the event loops, where waiting is not
/// allowed. The writer runs on the queue of its connection. Only `init` blocks: call `opened` from
/// asynchronous code. No function waits on a thread of the cooperative pool, and none needs one to
/// finish its work.
package final class HubStore: Sendable {
    /// Begins with the store; changes when offsets that subscribers hold may be assigned again.
    package let epoch: String
    /// Every cursor of this epoch is above it.
    package let cursorBase: UInt64
    /// The epoch of positions in topics that are kept only in memory: a different one in every
    /// process.
    package let memoryEpoch: String
    /// Every cursor that this process assigns is above it, and none of an earlier process is.
    package let memoryCursorBase: UInt64
    private let forgottenAtStart: ForgottenCursors
    package let limits: StoreLimits

    let engine: any StoreEngine
    let notices: StoreNotices
    let writer: Writer
    let lane: MemoryLane
    let queue: Locked<WriteQueue>
    let growth = Locked(OutboxGrowth())
    let observer = Locked(StoreObserver())
    private let durableTopics: Locked<DurableTopics>
    private let memoryLimits: Locked<MemoryLimits>
    let counts = Locked(StoreStatistics())
    let inbox = Locked(InboxCounts())
    let following = Locked(Following())
    /// The writes of the commit whose outcome is unknown, by their place in the batch; nil for those
    /// that have completed.
    let unanswered = Locked<[WaitingWrite?]>([])
    let outcomePause: Duration
    /// Nil if this is the only writer.
    let cluster: ClusterOptions?
    /// Whether other nodes may commit to this store. Stored, because a comparison of the options
    /// with nil copies them, four times in a write.
    package let isShared: Bool
    let lastHealth: Locked<StoreHealth>
    let tally: Locked<DeliveryCounts>
    let wallClock: @Sendable () -> Timestamp

    /// Opens the file, creates it if it does not exist, and brings its schema up to date. Blocks;
    /// `opened` does not.
    ///
    /// - Parameters:
    ///   - wall: the wall clock, for the cursor base of a new epoch.
    ///   - newEpoch: a random text, from which `memoryEpoch` is derived, and `epoch` when one
    ///     begins.
    /// - Throws: `StoreError`. A file that is not ours is not changed.
    package init(_ options: StoreOptions, wall: Timestamp, newEpoch: String) throws {
        let memoryLimits = Locked(MemoryLimits(of: options.memoryLimits))
        self.memoryLimits = memoryLimits
        let notices = StoreNotices()
        self.notices = notices
        let lastHealth = Locked(StoreHealth.ok)
        self.lastHealth = lastHealth
        let engine = try Self.engine(options, wall: wall, newEpoch: newEpoch, notices) { error in
            lastHealth.withLock { $0.note(error, at: options.wallClock()) }
        }
        self.engine = engine
        let identity = engine.identity
        tally = Locked(engine.deliveriesAtStart)
        epoch = identity.epoch
        cursorBase = identity.cursorBase
        memoryCursorBase = identity.lastCursor
        forgottenAtStart = identity.forgotten
        cluster = options.cluster
        isShared = options.cluster != nil
        queue = Locked(WriteQueue(limits: options.limits))
        lane = MemoryLane(queue)
        // Not the store's own: if a topic's namespace became durable, its offsets would begin
        // again.
        memoryEpoch = newEpoch + "-memory"
        let told = Locked(Told())
        writer = Writer(
            counters: TopicCounters(identity, limits: options.limits),
            sharedLog: engine.sharedLog,
            settings: Writer.Settings(
                path: engine.path,
                epoch: identity.epoch,
                memoryEpoch: memoryEpoch,
                limits: options.limits,
                engine: engine,
                lane: options.cluster == nil ? lane : nil,
                commit: options.commit,
                fate: options.fate,
                memoryLimits: { topic in memoryLimits.withLock { $0 }.of(topic) },
                watchedState: options.cluster?.watchedState ?? [],
                isPostgres: engine is PostgresEngine,
                tell: { number, records in told.withLock { $0 }.receive(number, records) }
            )
        )
        limits = options.limits
        outcomePause = options.watchInterval
        durableTopics = Locked(DurableTopics(contains: options.isDurable))
        wallClock = options.wallClock
        // `unowned`, since this store waits for the lane before it ends.
        lane.setHandler { [unowned self] in publishBeside($0) }
        guard options.cluster != nil else { return }
        told.withLock { $0 = Told { [unowned self] in tell($0, $1) } }
        following.withLock { $0.applied = engine.sharedLog?.applied ?? 0 }
    }

    /// Topics that were deleted before the store was opened; of a node of a cluster, before
    /// `newestCursor`. The observer receives those deleted since.
    package var forgotten: ForgottenCursors {
        following.withLock { $0.forgotten } ?? forgottenAtStart
    }

    /// Sets who is called after commits. Set each function once, before the first commit that it should see.
    package func observe(_ change: (inout StoreObserver) -> Void) {
        observer.withLock { change(&$0) }
    }

    /// Sets which topics are durable; publications of the others have offsets and cursors, in one
    /// order with all others, but no rows. Applies to the transactions that begin after the call.
    ///
    /// A topic that changes its durability continues with the last offset that it had in that mode,
    /// so its offsets change: the hubs' histories of the topic must be reset.
    ///
    /// - Parameter isDurable: called for every event, on the writer's queue and the readers'
    ///   threads.
    package func setDurability(_ isDurable: @escaping @Sendable (Topic) -> Bool) {
        durableTopics.withLock { $0 = DurableTopics(contains: isDurable) }
    }

    /// Sets the maximum number of memory topics of each namespace. Existing topics stay. Applies to
    /// the events that are published after the call.
    ///
    /// - Parameter limits: called for the topic of an event, on the writer's queue.
    package func setMemoryLimits(_ limits: @escaping @Sendable (Topic) -> MemoryTopicLimits) {
        memoryLimits.withLock { $0 = MemoryLimits(of: limits) }
    }

    /// In a cluster, every topic has rows: a node that starts reads them.
    var durability: @Sendable (Topic) -> Bool {
        if isShared { return { _ in true } }
        return durableTopics.withLock { $0 }.contains
    }

    /// Commits a change as a whole, and returns when it is as safe as `StoreOptions.synchronous`
    /// requires.
    ///
    /// - Parameter awaitsOutcome: if the server does not answer a COMMIT, whether to wait until the
    ///   outcome is known, however long the server is away. So a caller with state in memory that
    ///   follows from the change always has the state of the store. False for a caller without such
    ///   state, who receives `fateUnknown` after 30 s; the change is announced if it is found later.
    /// - Throws: `StoreError`; nothing of the change is in the store then, unless its code is
    ///   `fateUnknown`. A caller that awaits the outcome receives this code only if the hub ends, and
    ///   nothing more is committed then; and of SQLite, where the process continues without the
    ///   change.
    package func commit(_ change: Change, awaitsOutcome: Bool = true) async throws -> Committed {
        try await withCheckedThrowingContinuation { continuation in
            commit(change, awaitsOutcome: awaitsOutcome) { continuation.resume(with: $0) }
        }
    }

    /// Commits a change as a whole, and calls `completion` when it is as safe as
    /// `StoreOptions.synchronous` requires. Does not wait, so an event loop may call it.
    ///
    /// - Parameter completion: called once, after the commit handler and on the same queue; if the
    ///   change is refused at once, on this thread before the call returns. It must be quick.
    package func commit(
        _ change: Change,
        awaitsOutcome: Bool = true,
        completion: @escaping @Sendable (Result<Committed, any Error>) -> Void
    ) {
        let length = change.length
        guard length <= limits.changeBytesMax else {
            return completion(.failure(tooBig(length)))
        }
        enqueue(.change(change), length: length, awaitsOutcome: awaitsOutcome) { result in
            completion(result.map { Committed(outcomes: $0.outcomes) })
        }
    }

    func tooBig(_ length: Int) -> StoreError {
        StoreError(
            .changeTooBig,
            "change length \(length) over limit \(limits.changeBytesMax)",
            path: path
        )
    }

    /// Moves the contents of the write-ahead log into the database file and empties the log.
    /// Usually unnecessary: the log is emptied as it grows.
    package func checkpoint() async throws {
        try await engine.emptyLog()
    }

    /// Refuses further writes, carries out those that wait, and closes the file. Only the first
    /// call does so; later ones return at once.
    ///
    /// - Throws: `StoreError` when the last writes failed. Committed changes stay committed, and
    ///   the file is closed and released in any case.
    package func close() async throws {
        guard queue.withLock({ $0.close() }) else { return }
        // The handlers may refer to the store.
        defer { observer.withLock { $0 = StoreObserver() } }
        await leaveCluster()
        await stopWaiting()
        try await engine.close()
    }

    /// The counters of the writer since the store was opened.
    package var statistics: StoreStatistics {
        var statistics = counts.withLock { $0 }
        let oldest: ContinuousClock.Instant?
        (statistics.writesWaiting, statistics.bytesWaiting, oldest) = queue.withLock {
            ($0.count, $0.lengthSum, $0.oldest)
        }
        statistics.oldestWaiting = oldest.map { .now - $0 }
        return statistics
    }

    /// The sizes on disk, in bytes, of the database and its write-ahead log.
    package var fileLengths: (database: Int, log: Int) { engine.fileLengths }

    /// Names the database in errors; of an SQLite file the path, absolute and without symbolic
    /// links.
    package var path: String { engine.path }

    /// Reads the values that the writer counts in memory.
    func onWriter<Value: Sendable>(
        _ body: @escaping @Sendable (Writer, SQLSession) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            engine.write { [writer] session in
                continuation.resume(returning: body(writer, session))
            }
        }
    }
}

/// A struct for the reason of `StoreObserver`: what receives the batches of other nodes.
private struct Told: Sendable {
    var receive: @Sendable (Int64, [LogRecord]) -> Void = { _, _ in }
}

/// A struct for the same reason: whether topics are durable.
private struct DurableTopics: Sendable {
    let contains: @Sendable (Topic) -> Bool
}

/// A struct for the same reason: the limits of memory topics.
private struct MemoryLimits: Sendable {
    let of: @Sendable (Topic) -> MemoryTopicLimits
}
