import Glibc

/// Identifies a transaction whose COMMIT was not answered.
struct CommitQuestion: Sendable {
    /// The transaction's number, and the server's process that had the connection.
    var transaction: Int64
    var process: Int64
    /// Nil if the server has to be asked for the number: after a crash that has lost the transaction,
    /// another one may have it.
    var evidence: CommitEvidence?
}

/// A query about a row that exists if and only if a transaction was committed.
struct CommitEvidence: Sendable {
    /// Waits for the end of the transaction; nil if the claim of the schema does.
    var lock: String?
    /// Returns one row: 1 if the transaction was committed, 0 if not, NULL if the row may have been
    /// deleted since.
    var select: String
    var arguments: PostgresArguments
}

extension PostgresSession {
    /// The time for which a server that does not answer is asked at once. Publishers wait for so long.
    static let fateWaitMax = Duration.seconds(30)

    private static let fatePause: UInt32 = 50_000

    /// Identifies the last transaction, and drops its connection, which is of no use any more.
    ///
    /// - Returns: nil if no transaction has begun.
    func question(_ evidence: CommitEvidence?) -> CommitQuestion? {
        drop()
        guard let transaction, let process else { return nil }
        return CommitQuestion(transaction: transaction, process: process, evidence: evidence)
    }

    /// Asks the server, on another connection, for the outcome of a transaction. Blocks, for about
    /// `patience` and at least for one attempt.
    ///
    /// A process of the server that still waits for our COMMIT, which may never arrive, is ended.
    /// One that waits for a standby is not: ended, it would leave a commit that the standby may
    /// lack.
    func fate(of question: CommitQuestion, within patience: Duration) -> CommitFate {
        let end = ContinuousClock.now + patience
        while true {
            do {
                if !connection.isOpen { try reconnect() }
                if let fate = try fate(of: question) { return fate }
            } catch let error as StoreError where error.code == .gone {
                return .never(error.message)
            } catch {
                // The server is away, and may come back.
            }
            guard ContinuousClock.now < end else { return .open }
            usleep(Self.fatePause)
        }
    }

    /// - Returns: nil while the transaction is in progress.
    private func fate(of question: CommitQuestion) throws(PostgresError) -> CommitFate? {
        guard let evidence = question.evidence else {
            return try fate(of: question.transaction, question.process)
        }
        return try fate(by: evidence)
    }

    /// The lock, or the claim of a schema, is free only when the process of the transaction has ended.
    private func fate(by evidence: CommitEvidence) throws(PostgresError) -> CommitFate {
        try connection.run("BEGIN")
        do throws(PostgresError) {
            if let lock = evidence.lock { try connection.run(lock) }
            let found = try connection.run(evidence.select, evidence.arguments).integer(0, 0)
            try connection.run("ROLLBACK")
            return switch found {
            case 1: .committed
            case 0: .lost
            default: .never("the evidence of a commit whose outcome is unknown was deleted")
            }
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
        default: return .never("the server has no outcome of transaction \(transaction)")
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
