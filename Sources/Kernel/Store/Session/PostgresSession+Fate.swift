import Glibc
import Postgres

/// The outcome of a transaction whose COMMIT was not answered.
enum CommitFate: Equatable {
    case committed
    /// Nothing of it is in the database.
    case lost
    /// The server could not be asked in time, or is not the one that the transaction began on.
    case unknown
}

/// A row that exists if and only if a transaction was committed.
struct CommitEvidence {
    /// Waits for the end of the transaction; nil if the claim of the schema does.
    var lock: String?
    var select: String
    var arguments: PostgresArguments
}

extension PostgresSession {
    /// The time for which a server that does not answer is asked again. Publishers wait for so
    /// long.
    static let fateWaitMax = Duration.seconds(30)

    /// Asks the server, on a new connection, for the outcome of the last transaction. Blocks, for
    /// at most `fateWaitMax`.
    ///
    /// A process of the server that still waits for our COMMIT, which may never arrive, is ended.
    /// One that waits for a standby is not: ended, it would leave a commit that the standby may
    /// lack.
    ///
    /// - Parameter evidence: decides whether the transaction is committed. Without it, the server is
    ///   asked for its number: after a crash that has lost the transaction, another one may have the
    ///   number.
    func fateOfLastTransaction(_ evidence: CommitEvidence? = nil) -> CommitFate {
        guard let transaction, let process else { return .unknown }
        let end = ContinuousClock.now + Self.fateWaitMax
        // The connection of the COMMIT is of no use any more.
        drop()
        while ContinuousClock.now < end {
            do {
                if !connection.isOpen { try reconnect() }
                if let evidence { return try fate(by: evidence) }
                if let fate = try fate(of: transaction, process) { return fate }
            } catch let error as StoreError where error.code == .gone {
                return .unknown
            } catch {
                // The server is away, and may come back.
            }
            usleep(50_000)
        }
        return .unknown
    }

    /// The lock, or the claim of a schema, is free only when the process of the transaction has ended.
    private func fate(by evidence: CommitEvidence) throws(PostgresError) -> CommitFate {
        try connection.run("BEGIN")
        do throws(PostgresError) {
            if let lock = evidence.lock { try connection.run(lock) }
            let isThere = try connection.run(evidence.select, evidence.arguments).rowCount > 0
            try connection.run("ROLLBACK")
            return isThere ? .committed : .lost
        } catch {
            if connection.isOpen { try connection.run("ROLLBACK") }
            throw error
        }
    }

    /// - Returns: nil while the transaction is in progress.
    private func fate(of transaction: Int64, _ process: Int64) throws(PostgresError) -> CommitFate?
    {
        var number = PostgresArguments()
        number.append(String(transaction))
        // NULL for a transaction that is too old; SQLSTATE 22023 for one that this server has not
        // had.
        let status: PostgresResult
        do throws(PostgresError) {
            status = try connection.run("SELECT pg_xact_status($1::xid8)", number)
        } catch {
            guard error.state == "22023" else { throw error }
            return .lost
        }
        switch try status.text(0, 0) {
        case "committed": return .committed
        case "aborted": return .lost
        case "in progress": break
        default: return .unknown
        }
        var arguments = PostgresArguments()
        arguments.append(process)
        try connection.run(Self.endIdleProcess, arguments)
        return nil
    }

    private static let endIdleProcess = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid = $1::integer AND state = 'idle in transaction'
        """
}
