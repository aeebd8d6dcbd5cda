/// What a store keeps its rows in: an SQLite file, or a PostgreSQL database.
///
/// The store decides what is written and in which order; an engine has the connections, the transactions and
/// whatever tells whether commits were lost. Its connection for writing is used by one body at a time, in the
/// order of the calls.
protocol StoreEngine: AnyObject, Sendable {
    /// Names the database in errors.
    var path: String { get }
    /// The identity at the start.
    var identity: StoreIdentity { get }
    /// The numbers of webhook messages at the start.
    var deliveriesAtStart: DeliveryCounts { get }
    /// Bytes on the disk: of the database, and of the write-ahead log beside it.
    var fileLengths: (database: Int, log: Int) { get }

    /// Runs `body` with the writing connection, outside a transaction. Does not wait.
    func write(_ body: @escaping @Sendable (SQLSession) -> Void)

    /// Runs `body` in a snapshot of its own, beside the writer. Does not wait.
    func read(_ body: @escaping @Sendable (Result<SQLSession, any Error>) -> Void)

    /// Called before each transaction.
    ///
    /// - Throws: why none may begin.
    func admitTransaction() throws

    /// Called after each commit, before it is acknowledged, with what it has given out.
    func noteCommit(_ highWater: HighWater)

    /// How many webhook messages have each status, without the time of the oldest.
    func deliveryCounts(_ session: SQLSession) throws -> DeliveryCounts

    /// Whether `checkpoint` has something to do.
    var isCheckpointDue: Bool { get }

    /// Does what may take long after commits were acknowledged.
    func checkpoint(_ session: SQLSession)

    /// Moves all commits to where they stay, and empties the log of the database.
    func emptyLog() async throws

    /// Notes that every commit has reached the disk, and closes all connections. The database is free afterwards,
    /// also if this throws.
    func close() async throws
}
