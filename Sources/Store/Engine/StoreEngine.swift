/// The database of a store: an SQLite file, or a schema in PostgreSQL.
///
/// The store decides what is written and in which order; an engine has the connections, the
/// transactions and the means to detect lost commits. Its connection for writing is used by one
/// body at a time, in the order of the calls.
protocol StoreEngine: AnyObject, Sendable {
    /// Names the database in errors.
    var path: String { get }
    /// The identity at the start.
    var identity: StoreIdentity { get }
    /// The numbers of webhook messages at the start.
    var deliveriesAtStart: DeliveryCounts { get }
    /// The names of the steps of the schema that the database has not had, because no domain uses
    /// their tables.
    var missingSteps: Set<String> { get }
    /// The bytes on the disk of the database, and of its write-ahead log.
    var fileLengths: (database: Int, log: Int) { get }

    /// Runs `body` with the writing connection, outside a transaction. Does not wait.
    func write(_ body: @escaping @Sendable (SQLSession) -> Void)

    /// Runs `body` with a connection that reads a snapshot, concurrently with the writer. Does not
    /// wait.
    func read(_ body: @escaping @Sendable (Result<SQLSession, any Error>) -> Void)

    /// Why this process cannot use the database any longer, but another one can; nil while it can.
    var restartReason: String? { get }

    /// Called before each transaction.
    ///
    /// - Throws: why none may begin.
    func admitTransaction() throws

    /// Called after each commit, before it is acknowledged, with the highest numbers that it has
    /// assigned.
    func noteCommit(_ highWater: HighWater)

    /// The numbers of webhook messages by status, without the time of the oldest.
    func deliveryCounts(_ session: SQLSession) throws -> DeliveryCounts

    /// A listener to publications from SQL, which has not begun; nil for an engine that takes none.
    func inboxListener(retryAfter: Duration) -> NotificationListener?

    /// The log of the cluster at the start; nil if this is the only writer.
    var sharedLog: SharedLog? { get }

    /// Whether `checkpoint` has something to do.
    var isCheckpointDue: Bool { get }

    /// Does what may take long after commits were acknowledged.
    func checkpoint(_ session: SQLSession)

    /// Moves all commits to where they stay, and empties the log of the database.
    func emptyLog() async throws

    /// Notes that every commit has reached the disk, and closes all connections. The database is
    /// free afterwards, also if this throws.
    func close() async throws
}
