/// A connection to PostgreSQL that takes statements in SQLite's dialect.
///
/// A connection that was lost is made again by the next `begin`. Statements of the transaction that
/// it was lost in fail, and nothing of that transaction is committed, unless it was lost in the
/// COMMIT.
final class PostgresSession {
    private(set) var connection: PostgresConnection
    private let connect: () throws -> PostgresConnection
    private var isClosed = false
    private var outage: Outage?
    /// Statements as PostgreSQL has them, by their text in SQLite's dialect.
    private var rewritten: [String: String] = [:]
    /// The number of rows that the statements have changed or returned.
    private(set) var changedRows = 0
    /// The statements that are sent before the next one with a result.
    private var backlog = PostgresBacklog()
    /// Whether statements without a result wait in the backlog.
    private var isDeferring = false
    /// The number of the transaction under way or of the last one.
    private(set) var transaction: Int64?
    /// The server's process that has the connection.
    private(set) var process: Int64?
    /// The channel that is notified of each commit; nil for none.
    var notifiesAfterCommit: String?

    /// Connects.
    ///
    /// - Parameter connect: makes the connection, now and whenever it was lost.
    init(_ connect: @escaping () throws -> PostgresConnection) throws {
        self.connect = connect
        connection = try connect()
    }

    // MARK: Transactions

    /// Begins a transaction, and notes its number and the server's process.
    ///
    /// - Parameter begin: the statement.
    func begin(_ begin: String = "BEGIN") throws {
        dropBacklog()
        if !connection.isOpen { try reconnect() }
        do {
            try start(begin)
        } catch let error as PostgresError where error.code == .noConnection {
            guard !connection.isSilent else {
                outage = Outage(error: error)
                throw error
            }
            // The server may have ended it long ago. Nothing was done in it since.
            try reconnect()
            try start(begin)
        }
    }

    /// A server that did not answer in time. The writes that have waited for it fail with its error,
    /// and not one after the other, each at its own deadline.
    private struct Outage {
        let error: any Error
        let end = ContinuousClock.now + .seconds(1)
        /// An attempt that fails sooner delays no write.
        static let shortest = Duration.seconds(1)
    }

    private func start(_ begin: String) throws {
        guard begin == "BEGIN" else {
            try connection.run(begin)
            return
        }
        let found = try connection.run([PostgresCommand(begin), PostgresCommand(Self.selectNumber)])
        transaction = try found[1].integer(0, 0)
        process = try found[1].integer(0, 1)
    }

    private static let selectNumber =
        "SELECT pg_current_xact_id()::text::bigint, pg_backend_pid()"

    /// - Throws: also if a statement had failed whose error was not thrown on: PostgreSQL then
    ///   takes the whole transaction back.
    func commit() throws(PostgresError) {
        isDeferring = false
        let result: PostgresResult
        if let channel = notifiesAfterCommit {
            // Outside the transaction: a COMMIT with notifications has a lock of the whole server
            // while it is flushed and replicated.
            try flush()
            let notify = "NOTIFY \(channel)"
            do throws(PostgresError) {
                result = try connection.run([PostgresCommand(SQL.commit), PostgresCommand(notify)])[
                    0
                ]
            } catch {
                // The commit is there, and other nodes find it at their next look.
                guard error.statement == notify, error.state != nil else { throw error }
                return
            }
        } else {
            result = try run(SQL.commit, [])
        }
        guard result.commandTag == SQL.commit else {
            throw PostgresError(
                .refused("25P02"),
                "the transaction was taken back, because one of its statements had failed",
                statement: SQL.commit
            )
        }
    }

    func rollback() throws(PostgresError) {
        dropBacklog()
        try connection.run("ROLLBACK")
    }

    /// Whether a transaction has begun and not ended. With the connection, the server has ended it.
    var isInTransaction: Bool { connection.isOpen && connection.isInTransaction }

    func reconnect() throws {
        guard !isClosed else { throw PostgresError(.noConnection, "the store was closed") }
        connection.close()
        let began = ContinuousClock.now
        if let outage, began < outage.end { throw outage.error }
        do {
            connection = try connect()
            outage = nil
        } catch {
            if began + Outage.shortest < .now { outage = Outage(error: error) }
            throw error
        }
    }

    /// Ends the connection; the next statement needs another one.
    func drop() { connection.close() }

    /// Asks the server for nothing. A lost connection is made again first.
    func ask() throws {
        if !connection.isOpen { try reconnect() }
        try connection.run("SELECT 1")
    }

    /// Ends the connection for good.
    func close() {
        isClosed = true
        connection.close()
    }

    // MARK: Statements

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(PostgresError) -> PostgresResult {
        try execute(PostgresCommand(text(of: sql), PostgresArguments(arguments)))
    }

    /// Executes a statement that is in PostgreSQL's own dialect.
    @discardableResult
    func runNative(
        _ sql: String,
        _ arguments: PostgresArguments
    ) throws(PostgresError) -> PostgresResult {
        try execute(PostgresCommand(sql, arguments))
    }

    /// Executes statements in SQLite's dialect whose arguments only PostgreSQL has, with one round trip.
    func run(
        _ statements: [(sql: String, arguments: PostgresArguments)]
    ) throws(PostgresError) -> [PostgresResult] {
        try flush()
        return try connection.run(
            statements.map { PostgresCommand(text(of: $0.sql), $0.arguments) }
        )
    }

    /// Sends the statements that wait and this one, and waits once.
    private func execute(_ command: PostgresCommand) throws(PostgresError) -> PostgresResult {
        var result: PostgresResult?
        for each in try connection.run(backlog.take() + [command]) {
            changedRows += each.changedRows
            result = each
        }
        guard let result else { preconditionFailure("a statement without a result") }
        return result
    }

    private func text(of sql: String) -> String {
        if let known = rewritten[sql] { return known }
        let text = PostgresDialect.statement(sql)
        rewritten[sql] = text
        return text
    }

    // MARK: The backlog

    /// From here to the end of the transaction, a statement without a result waits for the next one
    /// that has one. So does its error.
    func deferStatements() { isDeferring = true }

    /// Executes a statement that returns no rows, now or with the next one.
    func perform(_ sql: String, _ arguments: SQLArguments) throws(PostgresError) {
        try perform(PostgresCommand(text(of: sql), PostgresArguments(arguments)))
    }

    /// The same for a statement in PostgreSQL's own dialect.
    func perform(_ command: PostgresCommand) throws(PostgresError) {
        guard isDeferring else {
            _ = try execute(command)
            return
        }
        try add { $0.append(command) }
    }

    /// Adds what is written in order with the statements around it. An error is thrown by the
    /// statement that follows.
    func add(_ write: (inout PostgresBacklog) -> Void) throws(PostgresError) {
        write(&backlog)
        if backlog.isFull { try flush() }
    }

    /// Sends the backlog.
    func flush() throws(PostgresError) {
        guard !backlog.isEmpty else { return }
        for result in try connection.run(backlog.take()) { changedRows += result.changedRows }
    }

    /// Forgets the statements that were not sent yet.
    func dropBacklog() {
        backlog.removeAll()
        isDeferring = false
    }
}

extension PostgresArguments {
    init(_ arguments: SQLArguments) {
        self.init()
        for value in arguments.values {
            switch value {
            case .null: appendNull()
            case .integer(let value): append(value)
            case .real(let value): append(value)
            case .text(let value): append(value)
            case .blob(let value): append(value)
            }
        }
    }
}
