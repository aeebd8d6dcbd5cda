extension HubStore {
    /// Returns an endpoint's last attempts, the newest first. Damaged rows are skipped and reported.
    package func attempts(of endpoint: String, limit: Int) async throws -> [StoredAttempt] {
        let (attempts, damaged) = try await reading { session in
            var attempts: [StoredAttempt] = []
            var damaged: [Int64] = []
            let count = min(limit, StoredAttempt.keptMax)
            try session.forEach(SQL.selectAttempts, [endpoint, count]) { row in
                if let attempt = try? StoredAttempt(row, of: endpoint) {
                    attempts.append(attempt)
                } else {
                    damaged.append((try? row[0]) ?? 0)
                }
                return true
            }
            return (attempts, damaged)
        }
        for id in damaged { notices.report(.damaged(.delivery(id: id))) }
        return attempts
    }

    /// Deletes the attempts that began before `time`, in small transactions.
    ///
    /// - Returns: their number.
    @discardableResult
    package func trimAttempts(before time: Timestamp) async throws -> Int {
        try await deletingInBatches(SQL.deleteOldAttempts, [time.milliseconds])
    }
}

extension SQLSession {
    /// Inserts an attempt, and deletes some of the endpoint's oldest ones if there are too many.
    func insert(_ attempt: NewAttempt, _ record: DeliveryRecord) throws {
        var next: Int64?
        if case .pending(let time) = record.status { next = time.milliseconds }
        try run(
            SQL.insertAttempt,
            [
                record.deliveryID, attempt.endpoint, record.attempts, attempt.time.milliseconds,
                attempt.duration.microseconds, attempt.outcome.rawValue, record.statusCode,
                attempt.error, attempt.content, next,
            ]
        )
        try run(
            SQL.deleteSurplusAttempts,
            [attempt.endpoint, SQL.surplusAttemptsMax, StoredAttempt.keptMax]
        )
    }
}

extension SQL {
    /// More than one: after the limit has become lower, the surplus shrinks with every attempt.
    fileprivate static let surplusAttemptsMax = 4

    fileprivate static let insertAttempt = """
        INSERT INTO attempt
            (delivery_id, endpoint, number, time, duration, outcome, status_code, error, content,
            next_attempt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    /// Reads the entries of an index for one endpoint.
    fileprivate static let deleteSurplusAttempts = """
        DELETE FROM attempt WHERE id IN (
            SELECT id FROM attempt INDEXED BY attempt_by_endpoint
            WHERE endpoint = ? ORDER BY id DESC LIMIT ? OFFSET ?)
        """
    fileprivate static let deleteOldAttempts = """
        DELETE FROM attempt WHERE id IN (SELECT id FROM attempt WHERE time < ? LIMIT ?)
        """
    /// In the order in which `StoredAttempt` reads them.
    fileprivate static let selectAttempts = """
        SELECT attempt.delivery_id, attempt.number, attempt.time, attempt.duration, attempt.outcome,
            attempt.status_code, attempt.error, attempt.content, attempt.next_attempt,
            delivery.message_id, delivery.event_type, delivery.topic
        FROM attempt INDEXED BY attempt_by_endpoint
        JOIN delivery ON delivery.id = attempt.delivery_id
        WHERE attempt.endpoint = ? ORDER BY attempt.id DESC LIMIT ?
        """
}

extension StoredAttempt {
    /// - Throws: if the row is damaged.
    fileprivate init(_ row: SQLRow, of endpoint: String) throws {
        let word: String = try row[4]
        guard let outcome = NewAttempt.Outcome(rawValue: word) else {
            throw DamagedValue("outcome of an attempt is \(word)")
        }
        attempt = NewAttempt(
            endpoint: endpoint,
            time: Timestamp(milliseconds: try row[2]),
            duration: .microseconds(try row[3] as Int64),
            outcome: outcome,
            error: try row[6],
            content: try row[7]
        )
        number = try row[1]
        statusCode = try row[5]
        next = (try row[8] as Int64?).map { Timestamp(milliseconds: $0) }
        messageID = try row[9]
        eventType = try row[10]
        topic = try row[11]
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
