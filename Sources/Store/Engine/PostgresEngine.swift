import Dispatch

/// A store in PostgreSQL: one connection that writes, and two that read snapshots, each with a
/// queue of its own.
///
/// `@unchecked Sendable`: after `init`, `writer` is only used on the writer's queue.
final class PostgresEngine: StoreEngine, @unchecked Sendable {
    let identity: StoreIdentity
    let deliveriesAtStart: DeliveryCounts
    let missingSteps: Set<String>
    let path: String
    let target: PostgresTarget
    private let watchdog: PostgresWatchdog
    private let queue = DispatchQueue(label: "store.writer")
    private let readers: [PostgresReader]
    private let nextReader = Locked(0)
    private let size = Locked(Size())
    /// See `restartReason`.
    private let restart = Locked<String?>(nil)
    private let writer: PostgresSession
    private let watch: PostgresWatch
    /// The roles that may disturb the hub, found at the start: `strangers`.
    let strangers: String?
    /// The log of the cluster at the start; nil if this is the only writer.
    let sharedLog: SharedLog?
    /// This node's place in the cluster; nil if this is the only writer.
    let keeper: NodeKeeper?

    /// Connects, and brings the schema up to date. Blocks.
    ///
    /// - Parameter onFault: called if the server is away, until a write succeeds again.
    /// - Throws: `StoreError`. A schema that is not ours is left as it was.
    init(
        _ options: StoreOptions,
        _ target: PostgresTarget,
        wall: Timestamp,
        newEpoch: String,
        onFault: @escaping @Sendable (StoreError) -> Void
    ) throws {
        self.target = target
        path = target.name
        let start = Locked<Start?>(nil)
        let isShared = options.cluster != nil
        let applied = Locked(LogPlace())
        let watchdog = Self.watchdog(target, options.cluster)
        self.watchdog = watchdog
        let connect = { () throws(PostgresError) in
            try Self.connect(target, watchedBy: watchdog)
        }
        do {
            writer = try Self.writer(target, options, start, applied, restart, connect)
            try Self.check(writer.connection, target)
            let schema = try PostgresSchema(
                target,
                adding: options.migrations,
                unused: options.unusedMigrations
            )
            missingSteps = try Self.prepare(
                writer.connection,
                target,
                schema,
                isShared: isShared,
                within: options.busyTimeout
            )
            keeper = try options.cluster.map {
                try NodeKeeper(
                    $0,
                    process: newEpoch,
                    contracts: schema.contracts,
                    within: options.busyTimeout,
                    connect
                )
            }
            let began = try Self.begin(writer, options, applied, wall: wall, newEpoch: newEpoch)
            (identity, sharedLog) = (began.identity, began.log)
            start.withLock { $0 = began.start }
            if isShared { writer.notifiesAfterCommit = Self.logChannel(target) }
            deliveriesAtStart = try DeliveryTally.read(SQLSession(writer))
            strangers = try Self.strangers(writer.connection, target)
            readers = try (0..<Self.readerCount).map { number in
                try PostgresReader(number) {
                    try Self.reader(target, isShared ? nil : start, connect)
                }
            }
        } catch {
            throw StoreError.translating(error, path: target.name)
        }
        watch = PostgresWatch(writer, on: queue, every: options.watchInterval) { error in
            let error = StoreError.translating(error, path: target.name)
            if let error = error as? StoreError { onFault(error) }
        }
    }

    private static let readerCount = 2

    /// Establishes the identity, and joins the log of a cluster, in one transaction.
    private static func begin(
        _ writer: PostgresSession,
        _ options: StoreOptions,
        _ applied: Locked<LogPlace>,
        wall: Timestamp,
        newEpoch: String
    ) throws -> (start: Start, identity: StoreIdentity, log: SharedLog?) {
        let session = SQLSession(writer)
        try session.begin()
        // Nodes that start together do so one after the other.
        try writer.connection.run(SharedLog.lock)
        let place = try PostgresPlace.current(writer.connection)
        var identity = try StoreIdentity.establish(
            session,
            at: place,
            options: options,
            wall: wall,
            newEpoch: newEpoch
        )
        let log =
            options.cluster == nil
            ? try SharedLog.end(in: session)
            : try SharedLog.begin(newEpoch, &identity, applied, in: session)
        try session.commit()
        let claims = try claims(writer.connection)
        return (Start(place: place, claims: claims, epoch: identity.epoch), identity, log)
    }

    /// The writing connection. If it is made again, the schema is claimed again, and has to be the
    /// one that it was.
    ///
    /// - Parameter start: set at the end of the start.
    private static func writer(
        _ target: PostgresTarget,
        _ options: StoreOptions,
        _ start: Locked<Start?>,
        _ applied: Locked<LogPlace>,
        _ restart: Locked<String?>,
        _ connect: @escaping () throws -> PostgresConnection
    ) throws -> PostgresSession {
        let isShared = options.cluster != nil
        return try PostgresSession {
            let connection = try connect()
            if let silenceMax = options.cluster?.transactionSilenceMax {
                try connection.execute(
                    "SET idle_in_transaction_session_timeout = \(silenceMax.wholeMilliseconds)"
                )
            }
            guard let found = start.withLock({ $0 }) else { return connection }
            try claim(connection, target, isShared: isShared, within: options.busyTimeout)
            do {
                let place = try check(
                    connection,
                    target,
                    against: found,
                    isShared ? applied.withLock { $0 } : nil
                )
                start.withLock { $0?.place = place }
            } catch let error as StoreError where error.code == .gone {
                restart.withLock { $0 = error.message }
                throw error
            }
            return connection
        }
    }

    /// A connection that reads.
    ///
    /// - Parameter start: that of the only hub of the schema, whose epoch holds only there. Nil for a node
    ///   of a cluster: each of its snapshots must have its place in the log (`SharedLog.check`).
    private static func reader(
        _ target: PostgresTarget,
        _ start: Locked<Start?>?,
        _ connect: () throws -> PostgresConnection
    ) throws -> PostgresConnection {
        let connection = try connect()
        guard let place = start?.withLock({ $0 })?.place else { return connection }
        let current = try PostgresPlace.current(connection)
        guard current == place else {
            throw StoreError(
                .gone,
                "the server that was read from is \(current) instead of \(place)",
                path: target.name
            )
        }
        return connection
    }

    /// Notified of each batch of the log.
    private static func logChannel(_ target: PostgresTarget) -> String { target.schema + "_log" }

    /// Claims the schema, and runs the steps that it has not had. For some of them, no other hub may
    /// use it.
    private static func prepare(
        _ connection: PostgresConnection,
        _ target: PostgresTarget,
        _ schema: PostgresSchema,
        isShared: Bool,
        within patience: Duration
    ) throws -> Set<String> {
        var wasAlone = false
        let missing = try schema.migrate(connection, isShared: isShared) { connection, step in
            wasAlone = isShared && step != nil
            do {
                try claim(
                    connection,
                    target,
                    isShared: isShared && !wasAlone,
                    within: patience
                )
            } catch let error as StoreError where error.code == .locked && wasAlone {
                throw StoreError(
                    .locked,
                    "no hub may run on schema \(target.schema) during the migration \(step?.name ?? ""): "
                        + "stop all of them first",
                    path: target.name
                )
            }
        }
        if wasAlone { try share(connection, target) }
        return missing
    }

    /// The size of the tables, as it was measured at most half a minute before the last call.
    var fileLengths: (database: Int, log: Int) {
        let now = ContinuousClock.now
        let (bytes, isDue) = size.withLock { size in
            let isDue = size.nextMeasurement <= now
            if isDue { size.nextMeasurement = now + Self.sizeInterval }
            return (size.bytes, isDue)
        }
        if isDue { measure() }
        return (bytes, 0)
    }

    private func measure() {
        read { [size] session in
            let found = try? session.get().integer(
                """
                SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
                WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
                """
            )
            if let found { size.withLock { $0.bytes = found } }
        }
    }

    private struct Size {
        var bytes = 0
        var nextMeasurement = ContinuousClock.now
    }

    private static let sizeInterval = Duration.seconds(30)

    func write(_ body: @escaping @Sendable (SQLSession) -> Void) {
        queue.async { [self] in body(SQLSession(writer)) }
    }

    func read(_ body: @escaping @Sendable (Result<SQLSession, any Error>) -> Void) {
        let number = nextReader.withLock { next in
            next = (next + 1) % readers.count
            return next
        }
        readers[number].read(body)
    }

    var restartReason: String? { restart.withLock { $0 } }

    func requireRestart(_ reason: String) { restart.withLock { $0 = $0 ?? reason } }

    // MARK: A cluster

    /// A listener to the batches of the log.
    func logListener(retryAfter: Duration) -> NotificationListener {
        listener(to: Self.logChannel(target), retryAfter)
    }

    /// Runs `body` with the writing connection at an interval, until the result is stopped.
    func timer(
        every interval: Duration,
        _ body: @escaping @Sendable (SQLSession) -> Void
    ) -> QueueTimer {
        QueueTimer(on: queue, every: interval) { [weak self] in
            guard let self else { return }
            body(SQLSession(writer))
        }
    }

    func admitTransaction() throws {}

    func noteCommit(_: HighWater) {}

    func deliveryCounts(_ session: SQLSession) throws -> DeliveryCounts {
        try DeliveryTally.read(session)
    }

    func inboxListener(retryAfter: Duration) -> NotificationListener? {
        listener(to: target.schema, retryAfter)
    }

    private func listener(to channel: String, _ retryAfter: Duration) -> NotificationListener {
        NotificationListener(channel: channel, retryAfter: retryAfter) { [target, watchdog] in
            try Self.connect(target, watchedBy: watchdog)
        }
    }

    var isCheckpointDue: Bool { false }

    func checkpoint(_: SQLSession) {}

    func emptyLog() async throws {}

    func close() async throws {
        watch.stop()
        for reader in readers { await reader.close() }
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                Self.release(writer.connection)
                writer.close()
                continuation.resume()
            }
        }
    }
}
