/// Groups writes into transactions and assigns offsets and cursors.
///
/// A write that throws leaves no changes and does not affect the others. Savepoints would ensure
/// that, but two more statements for each of a hundred small writes cost more than the writes: so
/// the writes of a batch are first tried without, and only when one of them throws, all are rolled
/// back and repeated, each in its savepoint.
///
/// When SQLite aborts the transaction (disk full, I/O error), all its writes fail, as they do when
/// the commit itself fails. Writes that need no file still succeed: also while a transaction waits
/// for the disk, on the lane.
///
/// If the outcome of a commit is unknown, the counters stay as they are behind it, and `settle` asks
/// for the outcome before the next transaction: see `CommitGate`.
///
/// `@unchecked Sendable`: `counters` is used only by methods that take a `Database`, which this
/// store passes only on the serial queue of its one writing connection; and by `commitBeside`,
/// while the lane is open, when no other method uses them.
final class Writer: @unchecked Sendable {
    /// The properties of the store that a writer needs.
    struct Settings: Sendable {
        var path: String
        var epoch: String
        var memoryEpoch: String
        var limits: StoreLimits
        /// Nil in a test that has only the connection.
        var engine: (any StoreEngine)?
        /// Nil if memory topics wait for the current transaction.
        var lane: MemoryLane?
        /// Ends a transaction; a test makes it fail.
        var commit: @Sendable (SQLSession) throws -> Void = { try $0.commit() }
        /// Finds the outcome of a transaction whose commit was not answered.
        var fate: @Sendable (SQLSession, CommitQuestion?, Duration) -> CommitFate = {
            $0.fate(of: $1, within: $2)
        }
        /// The limits of a topic's namespace.
        var memoryLimits: @Sendable (Topic) -> MemoryTopicLimits = { _ in MemoryTopicLimits() }
        var watchedState: Set<String> = []
        var isPostgres = false
        /// Called for each batch of the log that another node has committed, with its number.
        var tell: @Sendable (Int64, [LogRecord]) -> Void = { _, _ in }
    }

    var counters: TopicCounters
    /// Admits the transactions.
    var gate = CommitGate<OpenCommit>()
    let settings: Settings
    let epochFingerprint: UInt64
    var allowance = CursorAllowance()
    /// The lane of the current transaction.
    var lane: MemoryLane?
    /// The log of the cluster; nil if this is the only writer.
    var sharedLog: SharedLog?
    /// The time of the current transaction by the clock of the cluster's server; nil if this is the
    /// only writer.
    var sharedTime: Timestamp?
    /// Of the current transaction.
    var conditions = EventConditions(isReadAhead: false)
    /// The state to which a failed transaction returns.
    var start: TopicCounters.Mark

    init(counters: TopicCounters, sharedLog: SharedLog? = nil, settings: Settings) {
        self.counters = counters
        self.sharedLog = sharedLog
        self.settings = settings
        start = counters.mark
        epochFingerprint = HighWater.fingerprint(of: settings.epoch)
    }

    /// Commits the writes in order, all those that need the file in one transaction. The gate has to
    /// admit it.
    ///
    /// - Parameters:
    ///   - isDurable: whether a topic's publications get rows.
    ///   - isBeside: whether they are writes for the lane, which no other write may overtake.
    func commit(
        _ writes: [Write],
        isDurable: (Topic) -> Bool,
        isBeside: Bool = false,
        in session: SQLSession
    ) -> WrittenBatch {
        counters.beginTransaction()
        let needs = writes.map { $0.need(isDurable) }
        start = counters.mark
        let changesBefore = session.changedRows
        do {
            let cursors = needs.reduce(0) { $0 + ($1.cursorsWithoutFile ?? 0) }
            guard sharedLog != nil || needs.contains(.file) || !counters.hasReserved(cursors) else {
                let results = writes.map { attempt($0, isDurable, in: session) }
                return WrittenBatch(results: results, hasTransaction: false)
            }
            chooseLane(for: writes, isBeside: isBeside)
            let (results, told) = try inOneTransaction(writes, isDurable, in: session)
            return WrittenBatch(
                results: results,
                hasTransaction: true,
                hasWritten: session.changedRows > changesBefore,
                told: told
            )
        } catch let unanswered as UnansweredCommit {
            return hold(unanswered, hasWritten: session.changedRows > changesBefore)
        } catch {
            let given = counters.lastCursor
            counters.rollBack(to: start)
            let error = rollBack(session, after: error)
            // The file may contain changes that the counters have rolled back.
            if error is CommitFailure { counters.rereadRows(behind: given) }
            let results = zip(writes, needs).map { write, need in
                guard sharedLog == nil, case .cursors(let count) = need,
                    counters.hasReserved(count)
                else {
                    return Result<Written, any Error>.failure(error)
                }
                return attempt(write, isDurable, in: session)
            }
            return WrittenBatch(results: results, hasTransaction: true)
        }
    }

    // MARK: Transactions

    private struct NeedsSavepoints: Error {}

    private func inOneTransaction(
        _ writes: [Write],
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> (results: [Result<Written, any Error>], told: [LogRecord]?) {
        do {
            return try transaction(session, isReadAhead: settings.isPostgres) {
                do {
                    session.deferStatements()
                    try readAhead(writes.lazy.flatMap(\.events), isDurable, in: session)
                    let results = try writes.map { write in
                        Result<Written, any Error>.success(
                            try perform(write, isDurable, in: session)
                        )
                    }
                    try session.flush()
                    return results
                } catch {
                    // SQLite may respond to a severe error by rolling back everything.
                    guard writes.count > 1, session.isInTransaction else { throw error }
                    throw NeedsSavepoints()
                }
            }
        } catch is NeedsSavepoints {
            counters.rollBack(to: start)
            try session.rollback()
            return try transaction(session, isReadAhead: false) {
                try writes.map { try savepoint($0, isDurable, in: session) }
            }
        }
    }

    private func transaction(
        _ session: SQLSession,
        isReadAhead: Bool,
        _ body: () throws -> [Result<Written, any Error>]
    ) throws -> (results: [Result<Written, any Error>], told: [LogRecord]?) {
        try settings.engine?.admitTransaction()
        try withLaneLent { try session.begin() }
        try enter(session)
        try leaveOutCursors(in: session)
        conditions = EventConditions(isReadAhead: isReadAhead)
        let results = try body()
        try forgetKeysForNew(in: session)
        let told = try appendBatch(results, in: session)
        let highWater = highWater
        let evidence = evidence(for: results)
        try withLane {
            do {
                try settings.commit(session)
            } catch {
                guard let failure = CommitFailure(error) else { throw error }
                // For a server that did not answer, publishers have waited long enough: later looks ask it.
                let patience = session.isSilent ? .zero : PostgresSession.fateWaitMax
                let question = session.question(evidence)
                switch settings.fate(session, question, patience) {
                case .committed: break
                case .lost: throw error
                case .undone: throw failure
                case let fate:
                    throw UnansweredCommit(
                        fate: fate,
                        question: question,
                        results: results,
                        told: told,
                        highWater: highWater,
                        error: error,
                        failure: failure
                    )
                }
            }
            settings.engine?.noteCommit(highWater)
        }
        if told != nil { sharedLog?.advance(lastCursor: counters.lastCursor) }
        return (results, told)
    }

    private func savepoint(
        _ write: Write,
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> Result<Written, any Error> {
        try session.setSavepoint()
        let result = attempt(write, isDurable, in: session)
        if case .failure(let error) = result {
            guard session.isInTransaction else { throw error }
            try session.rollBackToSavepoint()
        }
        try session.releaseSavepoint()
        return result
    }

    /// Restores the counters, but no rows, when the write throws.
    private func attempt(
        _ write: Write,
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) -> Result<Written, any Error> {
        let mark = counters.mark
        let result = Result {
            let written = try perform(write, isDurable, in: session)
            try session.flush()
            return written
        }
        if case .failure = result { counters.rollBack(to: mark) }
        return result
    }

    /// Ends a failed transaction and returns the error to report: the first one, unless the
    /// rollback also failed, which leaves the connection unusable and is more severe.
    private func rollBack(_ session: SQLSession, after error: any Error) -> any Error {
        guard session.isInTransaction else { return error }
        do {
            try session.rollback()
            return error
        } catch let graver {
            // A commit that may be there after a crash is the most severe error.
            return error is CommitFailure ? error : graver
        }
    }

    // MARK: One write

    private func perform(
        _ write: Write,
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> Written {
        switch write {
        case .change(let change): try apply(change, isDurable, in: session)
        case .historyRemoval(let topic):
            Written(removals: try removeHistories(of: [topic], isDurable, in: session))
        case .forgetting(let quiet):
            Written(forgotten: try forget(quiet, isDurable, in: session))
        case .keyExpiry(let now, let rowsMax):
            Written(rowCount: try forgetKeys(now: now, rowsMax: rowsMax, in: session))
        case .cursorReservation: try reserveCursors(in: session)
        case .note(let note): Written(notes: [note])
        case .statements(let body): try body(session)
        case .composed(let body): try apply(try body(session), isDurable, in: session)
        }
    }

    private func reserveCursors(in session: SQLSession) throws -> Written {
        try counters.reserve(in: session)
        return Written()
    }

    /// A queued change was checked before; this one is created only now.
    private func checked(_ change: Change) throws -> Change {
        guard change.length <= settings.limits.changeBytesMax else {
            throw StoreError(
                .changeTooBig,
                "change length \(change.length) over limit \(settings.limits.changeBytesMax)",
                path: settings.path
            )
        }
        return change
    }

    private func apply(
        _ composed: ComposedChange,
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> Written {
        let written = try apply(try checked(composed.change), isDurable, in: session)
        try composed.settle?(session, written.outcomes)
        return written
    }

    /// Carries out one change: its events, its rows, then its removals and erasures, which also
    /// apply to its events.
    private func apply(
        _ change: Change,
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> Written {
        let outcomes = try publish(change.events, isDurable, in: session)
        let deliveries = change.deliveries.filter {
            $0.eventIndex.map { outcomes[$0].isPublished } ?? true
        }
        if change.hasRows { try writeRows(of: change, in: session) }
        for delivery in deliveries { try session.insert(delivery) }
        var written = Written(outcomes: outcomes, queued: deliveries.map(\.endpoint))
        if !change.removedHistories.isEmpty {
            written.removals = try removeHistories(
                of: change.removedHistories,
                isDurable,
                in: session
            )
        }
        for topic in change.removedHistories { try session.deleteAlertRecords(of: topic) }
        written.notes = change.notes
        if !settings.watchedState.isEmpty {
            written.changedState = settings.watchedState.intersection(change.state.map(\.domain))
        }
        for erasure in change.erasures {
            if isDurable(erasure.topic) { written.erasedCount += try erase(erasure, in: session) }
            written.erasedDeliveries += try session.eraseDeliveries(erasure)
        }
        // All of them: a hub may keep publications for a while that are no longer in the file.
        written.erasures = change.erasures
        return written
    }

    /// Writes all rows except those of webhooks.
    private func writeRows(of change: Change, in session: SQLSession) throws {
        for row in change.state {
            try session.upsert(
                SQL.upsertState,
                orDelete: SQL.deleteState,
                key: [row.domain, row.key],
                row.value
            )
        }
        for row in change.feeds {
            try session.upsert(
                SQL.upsertFeed,
                orDelete: SQL.deleteFeed,
                key: [row.name],
                row.validators
            )
        }
        for row in change.alerts {
            try session.upsert(
                SQL.upsertAlert,
                orDelete: SQL.deleteAlert,
                key: [row.rule, row.subject],
                row.state
            )
        }
        for record in change.alertRecords { try session.upsert(record) }
        if let clock = change.clock?.milliseconds {
            try session.run(SQL.updateClock, [clock, clock])
        }
    }
}

extension SQLSession {
    /// Writes the row of `key`, or deletes it if there is no value.
    fileprivate func upsert(
        _ upsert: String,
        orDelete delete: String,
        key: SQLArguments,
        _ value: [UInt8]?
    ) throws {
        guard let value else { return try run(delete, key) }
        try run(upsert, key + [value])
    }
}
