/// The log of a cluster, in table `batch`: every transaction of a node is one row, and the rows are
/// numbered without a hole.
///
/// **Order.** A node begins each transaction by taking the commit lock, and reads the batches that
/// it has not applied yet. So its counters are those of all earlier commits when it assigns
/// offsets and cursors, and the next number is its own: there is one writer at a time in the
/// cluster, as there is in a file. The lock ends with the transaction, after its commit has become
/// visible.
///
/// **Following.** Between its transactions, a node reads the batches without the lock. A batch that
/// is visible has all earlier ones before it.
///
/// **Unknown outcome.** The row is the evidence that a transaction was committed. The node looks it
/// up before it reads or commits anything else (`CommitGate`).
struct SharedLog: Sendable {
    /// A random name of this process.
    let process: String
    /// The last batch that this node has applied, also for a connection that is made again.
    let newest: Locked<LogPlace>
    /// The term of this node's lease while it leads; its commits are refused in any other term.
    var term: Int64?
    /// The number of the current transaction, of all that this process has begun.
    private var attempt: Int64 = 0

    init(process: String, _ newest: Locked<LogPlace>) {
        self.process = process
        self.newest = newest
    }

    /// The place of this node.
    var place: LogPlace { newest.withLock { $0 } }

    /// The number of the last batch that this node has applied.
    var applied: Int64 { place.number }

    /// A row of table `batch`.
    struct Batch: Sendable, Equatable {
        var number: Int64
        var lastCursor: UInt64
        var writer: BatchWriter
        var records: [LogRecord]
    }

    /// The state of the log when a transaction begins.
    struct Entry {
        /// The first batches that it has not applied.
        var batches: [Batch]
        /// The time by the server's clock, which is the same for all nodes.
        var time: Timestamp
    }

    /// The number of batches that are read at once.
    static let batchesMax = 256

    // MARK: Statements

    /// Takes the commit lock of the schema.
    static let lock = """
        SELECT pg_advisory_xact_lock(\(Schema.applicationID + 1),
            current_schema()::regnamespace::integer)
        """
    private static let read = """
        SELECT number, last_cursor, process, attempt, records FROM batch
        WHERE number > $1 ORDER BY number LIMIT \(batchesMax)
        """
    /// The epoch, which is over if nothing vouches for the timeline.
    private static let epoch = "CASE WHEN timeline IS NULL THEN '' ELSE epoch END"
    private static let readEpoch = "SELECT \(epoch) FROM hub"
    /// The epoch; whether a commit waits until a standby has it on its disk; whether the mark that
    /// one did not is set; and the server's time in milliseconds.
    private static let readHub = """
        SELECT \(epoch), current_setting('synchronous_standby_names') <> ''
                AND current_setting('synchronous_commit') IN ('on', 'remote_apply'),
            unreplicated_timeline IS NOT DISTINCT FROM timeline,
            (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM hub
        """
    private static func statement(_ change: ReplicationMark.Change) -> String {
        switch change {
        case .set: "UPDATE hub SET unreplicated_timeline = timeline"
        case .takeBack: "UPDATE hub SET unreplicated_timeline = NULL"
        }
    }
    private static let readSnapshot = """
        SELECT \(epoch), (SELECT min(number) FROM batch), last_cursor, process, attempt
        FROM hub LEFT JOIN batch ON number = $1
        """
    private static let readTerm = "SELECT term FROM lease WHERE name = $1"
    private static let insert = """
        INSERT INTO batch (number, process, attempt, last_cursor, records)
        VALUES ($1, $2, $3, $4, $5)
        """

    // MARK: Transactions

    /// This process and its current transaction.
    private var writer: BatchWriter { BatchWriter(process: process, attempt: attempt) }

    /// Begins a transaction: takes the commit lock until its end.
    ///
    /// - Throws: `StoreError` if this node's term as the leader is over, or the epoch.
    mutating func enter(
        _ session: PostgresSession,
        epoch: String,
        path: String
    ) throws -> Entry {
        attempt += 1
        var commands = [
            PostgresCommand(Self.lock), PostgresCommand(Self.read, arguments(applied)),
            PostgresCommand(Self.readHub),
        ]
        if term != nil {
            var name = PostgresArguments()
            name.append(Lease.leader)
            commands.append(PostgresCommand(Self.readTerm, name))
        }
        let results = try session.connection.run(commands)
        let current = try term == nil || results[3].rowCount == 0 ? nil : results[3].integer(0, 0)
        let entry = LogEntry(epoch: epoch, term: term)
        if let refusal = entry.refusal(epoch: try results[2].text(0, 0) ?? "", term: current) {
            throw StoreError(refusal, path: path)
        }
        let mark = ReplicationMark(isSet: try results[2].integer(0, 2) == 1)
        if let change = mark.change(waitsForStandby: try results[2].integer(0, 1) == 1) {
            try session.runNative(Self.statement(change), PostgresArguments())
        }
        guard let milliseconds = try results[2].integer(0, 3) else {
            throw DamagedValue("NULL for the server's time")
        }
        return Entry(
            batches: try Self.batches(results[1]),
            time: Timestamp(milliseconds: milliseconds)
        )
    }

    /// Reads the next batches that this node has not applied, at most `batchesMax`.
    ///
    /// - Throws: `StoreError` if the epoch is over, also for a node that commits nothing.
    func next(_ session: PostgresSession, epoch: String, path: String) throws -> [Batch] {
        // The epoch last: no batch is of another one that has begun in between.
        let results = try session.connection.run([
            PostgresCommand(Self.read, arguments(applied)), PostgresCommand(Self.readEpoch),
        ])
        let entry = LogEntry(epoch: epoch, term: nil)
        if let refusal = entry.refusal(epoch: try results[1].text(0, 0) ?? "", term: nil) {
            throw StoreError(refusal, path: path)
        }
        return try Self.batches(results[0])
    }

    /// Adds the batch of the current transaction, which holds the commit lock.
    func append(
        _ records: [LogRecord],
        lastCursor: UInt64,
        in session: PostgresSession
    ) throws {
        var arguments = arguments(applied + 1)
        arguments.append(process)
        arguments.append(attempt)
        arguments.append(Int64(lastCursor))
        arguments.append(LogCoding.encode(records))
        try session.runNative(Self.insert, arguments)
    }

    /// The row of the next batch, which has to be that of the current transaction.
    func evidence(lastCursor: UInt64) -> CommitEvidence {
        var arguments = arguments(applied + 1)
        arguments.append(process)
        arguments.append(attempt)
        arguments.append(Int64(lastCursor))
        return CommitEvidence(
            lock: Self.lock,
            select: Self.findOwn,
            arguments: arguments
        )
    }

    /// NULL if the batch and those behind it were deleted, because this node counted as dead.
    private static let findOwn = """
        SELECT CASE
            WHEN EXISTS (SELECT FROM batch WHERE number = $1)
                THEN (SELECT count(*) FROM batch
                    WHERE number = $1 AND process = $2 AND attempt = $3 AND last_cursor = $4)
            WHEN EXISTS (SELECT FROM batch WHERE number > $1) THEN NULL
            ELSE 0
        END
        """

    /// Notes that the current transaction is committed.
    func advance(lastCursor: UInt64) {
        newest.withLock { $0.advance(lastCursor: lastCursor, writer: writer) }
    }

    /// Notes that the next batch is applied, which is another node's.
    func advance(behind batch: Batch) {
        newest.withLock { $0.advance(lastCursor: batch.lastCursor, writer: batch.writer) }
    }

    /// Reads what a snapshot has of the log.
    static func snapshotCommand(at place: LogPlace) -> PostgresCommand {
        PostgresCommand(readSnapshot, arguments(place.number))
    }

    /// - Parameter result: that of `snapshotCommand`.
    /// - Throws: `StoreError` if the snapshot does not have everything up to the place.
    static func check(_ result: PostgresResult, _ needed: NeededPlace) throws {
        let snapshot = try snapshot(result, at: needed.place)
        guard !snapshot.has(needed.place, of: needed.epoch) else { return }
        let problem =
            snapshot.epoch == needed.epoch
            ? "does not have batch \(needed.place.number) of the log"
            : "has another epoch, \(snapshot.epoch)"
        throw StoreError(.gone, "the server that was read from \(problem)", path: needed.path)
    }

    /// - Parameter result: that of `snapshotCommand`.
    static func snapshot(_ result: PostgresResult, at place: LogPlace) throws -> LogSnapshot {
        let lastCursor = try result.integer(0, 2)
        return LogSnapshot(
            epoch: try result.text(0, 0) ?? "",
            batch: try lastCursor.map {
                LogPlace(
                    number: place.number,
                    lastCursor: UInt64(clamping: $0),
                    writer: try writer(result, 0, at: 3)
                )
            },
            oldest: try result.integer(0, 1)
        )
    }

    /// - Parameter column: that of the process; the next one is that of the attempt.
    private static func writer(
        _ result: PostgresResult,
        _ row: Int,
        at column: Int
    ) throws -> BatchWriter {
        guard let process = try result.text(row, column),
            let attempt = try result.integer(row, column + 1)
        else { throw DamagedValue("NULL in table batch") }
        return BatchWriter(process: process, attempt: attempt)
    }

    private static func arguments(_ number: Int64) -> PostgresArguments {
        var arguments = PostgresArguments()
        arguments.append(number)
        return arguments
    }

    private func arguments(_ number: Int64) -> PostgresArguments { Self.arguments(number) }

    private static func batches(_ result: PostgresResult) throws -> [Batch] {
        try (0..<result.rowCount).map { row in
            guard let number = try result.integer(row, 0),
                let lastCursor = try result.integer(row, 1), let bytes = try result.blob(row, 4)
            else { throw DamagedValue("NULL in table batch") }
            return Batch(
                number: number,
                lastCursor: UInt64(clamping: lastCursor),
                writer: try writer(result, row, at: 2),
                records: try LogCoding.decode(bytes)
            )
        }
    }
}

extension SharedLog {
    /// Begins to follow the log, in the transaction that establishes the identity.
    ///
    /// The first node begins a log, behind every cursor that a former hub may have assigned. The
    /// cursors of the others begin behind the newest batch, and not behind those that are only
    /// reserved: its loops take in cursors in order.
    ///
    /// - Parameter process: a random name of this process.
    static func begin(
        _ process: String,
        _ identity: inout StoreIdentity,
        _ applied: Locked<LogPlace>,
        in session: SQLSession
    ) throws -> SharedLog {
        let newest = try session.row(
            """
            SELECT number, last_cursor, get_byte(records, 0), process, attempt FROM batch
            ORDER BY number DESC LIMIT 1
            """
        )
        if let newest {
            let format: Int64 = try newest[2]
            guard format <= LogCoding.version else {
                throw StoreError(
                    .newerSchema,
                    "the log has format \(format), this hub reads \(LogCoding.version): "
                        + "start the newer release",
                    path: "cluster"
                )
            }
            identity.lastCursor = max(
                identity.cursorBase,
                try newest.place(1)
            )
            let place = LogPlace(
                number: try newest[0],
                lastCursor: try newest.place(1),
                writer: BatchWriter(process: try newest[3], attempt: try newest[4])
            )
            applied.withLock { $0 = place }
            return SharedLog(process: process, applied)
        }
        let lastCursor = identity.lastCursor
        try session.run(
            "INSERT INTO batch (number, process, last_cursor, records) VALUES (1, ?, ?, ?)",
            [process, Int64(lastCursor), LogCoding.encode([])]
        )
        applied.withLock {
            $0 = LogPlace(
                number: 1,
                lastCursor: lastCursor,
                writer: BatchWriter(process: process)
            )
        }
        return SharedLog(process: process, applied)
    }

    /// Deletes the log, for a hub that is the only writer: the nodes of the next cluster begin
    /// another one.
    static func end(in session: SQLSession) throws -> SharedLog? {
        try session.run("DELETE FROM batch")
        return nil
    }
}

extension StoreError {
    init(_ refusal: LogEntry.Refusal, path: String) {
        switch refusal {
        case .notLeading(let term, let current):
            self.init(
                .notLeading,
                "this node's term \(term) as the leader is over: it is \(current ?? 0) now",
                path: path
            )
        case .otherEpoch:
            self.init(
                .gone,
                "another node has ended the epoch: restart the hub",
                path: path
            )
        }
    }
}
