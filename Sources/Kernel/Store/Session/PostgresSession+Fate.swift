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
    func fateOfLastTransaction() -> CommitFate {
        guard let transaction, let process else { return .unknown }
        let end = ContinuousClock.now + Self.fateWaitMax
        // The connection of the COMMIT is of no use any more.
        drop()
        while ContinuousClock.now < end {
            do {
                if !connection.isOpen { try reconnect() }
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

    /// - Returns: nil while the transaction is in progress.
    private func fate(of transaction: Int64, _ process: Int64) throws(PostgresError) -> CommitFate?
    {
        var number = PostgresArguments()
        number.append(String(transaction))
        // NULL for a transaction that is too old; SQLSTATE 22023 for one that this server has not
        // had.
        let status = try connection.run("SELECT pg_xact_status($1::xid8)", number)
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
