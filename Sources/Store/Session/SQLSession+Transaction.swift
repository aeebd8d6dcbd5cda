import GRDB
import GRDBSQLite

/// The transactions of the writing connection.
extension SQLSession {
    func begin() throws {
        switch engine {
        case .sqlite(let database): try database.runUnobserved(SQL.begin)
        case .postgres(let session): try session.begin()
        }
    }

    func commit() throws {
        switch engine {
        case .sqlite(let database): try database.runUnobserved(SQL.commit)
        case .postgres(let session): try session.commit()
        }
    }

    /// Identifies the last transaction, whose commit failed in a way that leaves the outcome open.
    /// Nil for SQLite, which has no such number.
    func question(_ evidence: CommitEvidence?) -> CommitQuestion? {
        guard case .postgres(let session) = engine else { return nil }
        return session.question(evidence)
    }

    /// Whether the server has not answered in time.
    var isSilent: Bool {
        guard case .postgres(let session) = engine else { return false }
        return session.connection.isSilent
    }

    /// The outcome of a transaction. Blocks, for about `patience` if a server does not answer.
    func fate(of question: CommitQuestion?, within patience: Duration) -> CommitFate {
        guard case .postgres(let session) = engine else { return .undone }
        guard let question else { return .never("the number of a transaction is unknown") }
        return session.fate(of: question, within: patience)
    }

    /// Begins what `rollBackToSavepoint` can take back.
    func setSavepoint() throws { try run(SQL.savepoint) }

    func rollBackToSavepoint() throws {
        if case .postgres(let session) = engine { session.dropBacklog() }
        try run(SQL.rollBackToSavepoint)
    }

    func releaseSavepoint() throws { try run(SQL.release) }

    /// Lets statements without a result wait for the next one that has one, to the end of the
    /// transaction: over a network, each would cost a round trip.
    func deferStatements() {
        if case .postgres(let session) = engine { session.deferStatements() }
    }

    /// Executes the statements that wait.
    func flush() throws {
        if case .postgres(let session) = engine { try session.flush() }
    }

    func rollback() throws {
        switch engine {
        case .sqlite(let database): try database.rollback()
        case .postgres(let session): try session.rollback()
        }
    }

    /// Whether a transaction has begun and not ended. SQLite ends one itself after a grave error.
    var isInTransaction: Bool {
        switch engine {
        case .sqlite(let database): database.isInsideTransaction
        case .postgres(let session): session.isInTransaction
        }
    }

    /// The number of rows that the connection has changed since it was opened.
    var changedRows: Int {
        switch engine {
        // GRDB's property asks first for the queue that the thread works on.
        case .sqlite(let database): Int(sqlite3_total_changes(database.sqliteConnection))
        case .postgres(let session): session.changedRows
        }
    }

    /// Moves SQLite's write-ahead log into the file as far as readers allow it. PostgreSQL does so
    /// by itself.
    func checkpoint() throws {
        guard case .sqlite(let database) = engine else { return }
        _ = try database.checkpoint(.passive)
    }
}

extension Database {
    /// Begins or commits a transaction without GRDB's preparations for observers: the store has
    /// none, and each publication would pay for them twice, more than for BEGIN itself.
    fileprivate func runUnobserved(_ sql: String) throws {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        let code = sqlite3_step(statement)
        let error = code == SQLITE_DONE ? nil : failure(code, of: sql)
        sqlite3_reset(statement)
        if let error { throw error }
    }

    /// The error of a statement that SQLite has just carried out.
    func failure(_ code: Int32, of sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqliteConnection.map { String(cString: sqlite3_errmsg($0)) },
            sql: sql
        )
    }
}
