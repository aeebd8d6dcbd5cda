/// The commits of other nodes.
extension Writer {
    /// Takes the commit lock, and applies what other nodes have committed before.
    ///
    /// These commits stay when the transaction is rolled back.
    func enter(_ session: SQLSession) throws {
        guard case .postgres(let postgres) = session.engine,
            let entry = try sharedLog?.enter(postgres, epoch: settings.epoch, path: settings.path)
        else { return }
        sharedTime = entry.time
        var batches = entry.batches
        try apply(batches)
        while batches.count == SharedLog.batchesMax, let log = sharedLog {
            batches = try next(log, postgres)
            try apply(batches)
        }
    }

    /// Applies what other nodes have committed, outside a transaction.
    func catchUp(in session: SQLSession) throws {
        guard case .postgres(let postgres) = session.engine else { return }
        if !postgres.connection.isOpen { try postgres.reconnect() }
        while let log = sharedLog {
            let batches = try next(log, postgres)
            try apply(batches)
            guard batches.count == SharedLog.batchesMax else { return }
        }
    }

    private func next(
        _ log: SharedLog,
        _ session: PostgresSession
    ) throws -> [SharedLog.Batch] {
        try log.next(session, epoch: settings.epoch, path: settings.path)
    }

    /// Adds the records of the transaction to the log. A batch without records is the evidence that
    /// the transaction was committed.
    ///
    /// - Returns: nil if this is the only writer.
    func appendBatch(
        _ results: [Result<Written, any Error>],
        in session: SQLSession
    ) throws -> [LogRecord]? {
        guard let log = sharedLog, case .postgres(let postgres) = session.engine else { return nil }
        let records = results.flatMap { (try? $0.get().records) ?? [] }
        try log.append(records, lastCursor: counters.lastCursor, in: postgres)
        return records
    }

    /// The row that exists if and only if the current transaction is committed; nil if it has none.
    func evidence(for results: [Result<Written, any Error>]) -> CommitEvidence? {
        if let sharedLog { return sharedLog.evidence(lastCursor: counters.lastCursor) }
        // A publication that the same transaction has erased has no row.
        let hasErased = results.contains { ((try? $0.get().erasedCount) ?? 0) > 0 }
        guard settings.isPostgres, !hasErased, counters.rowCursor > start.rowCursor else {
            return nil
        }
        var arguments = PostgresArguments()
        arguments.append(Int64(counters.rowCursor))
        return CommitEvidence(
            select: "SELECT count(*) FROM publication WHERE cursor = $1",
            arguments: arguments
        )
    }

    private func apply(_ batches: [SharedLog.Batch]) throws {
        for batch in batches {
            let place = sharedLog?.place ?? LogPlace()
            guard place.isFollowed(by: batch.number) else {
                throw StoreError(
                    .gone,
                    "batch \(place.number + 1) of the log was deleted before this node has read it: "
                        + "restart the hub",
                    path: settings.path
                )
            }
            counters.adopt(batch)
            start = counters.mark
            sharedLog?.advance(behind: batch)
            settings.tell(batch.number, batch.records)
        }
    }
}

extension TopicCounters {
    /// Continues behind a commit of another node.
    mutating func adopt(_ batch: SharedLog.Batch) {
        for record in batch.records {
            switch record {
            case .publication(let publication): adopt(publication)
            case .forgotten(let topic): forget(topic)
            case .removal, .erasure, .deliveries, .note, .state: break
            }
        }
        noteLast(batch.lastCursor)
    }
}
