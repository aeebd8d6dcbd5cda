extension HubStore {
    /// Stores the status of a delivery after an attempt, or after an operator's command.
    ///
    /// - Parameter attempt: added to the list of attempts in the same transaction; nil for a
    ///   command.
    /// - Returns: false when the delivery no longer exists.
    @discardableResult
    package func record(
        _ record: DeliveryRecord,
        after attempt: NewAttempt? = nil
    ) async throws -> Bool {
        let length = Change.rowBytes + record.state.count + (attempt?.length ?? 0)
        let written = try await write(length: length) { session in
            let rowCount = try session.update(record)
            if rowCount == 1, let attempt { try session.insert(attempt, record) }
            return Written(rowCount: rowCount)
        }
        return written.rowCount == 1
    }

    /// Returns the oldest pending deliveries of each endpoint, together in the order of their ids.
    /// One endpoint with a long queue does not hide those of another.
    ///
    /// - Parameter endpoints: nil for all that have any.
    /// - Complexity: O(endpoints + rows returned), however many are pending.
    package func pendingDeliveries(
        perEndpoint count: Int,
        of endpoints: [String]? = nil
    ) async throws -> [StoredDelivery] {
        let found = try await reading { session in
            let names = try endpoints ?? session.waitingEndpoints()
            return try names.map { name in
                try DeliveryRows(session, SQL.selectPendingOfEndpoint, [name, count])
            }
        }
        await endDamaged(found.flatMap(\.damaged))
        return found.flatMap(\.intact).sorted { $0.id < $1.id }
    }

    /// Endpoints that have pending deliveries, in the order of their names.
    package func waitingEndpoints() async throws -> [String] {
        try await reading { try $0.waitingEndpoints() }
    }

    /// The number of pending deliveries of an endpoint.
    package func pendingCount(of endpoint: String) async throws -> Int {
        try await reading { session in
            try session.integer(SQL.countPendingOfEndpoint, [endpoint]) ?? 0
        }
    }

    /// An endpoint's deliveries in any state, newest first: its log.
    ///
    /// - Parameter id: continue below it; nil begins with the newest.
    package func deliveries(
        of endpoint: String,
        before id: Int64? = nil,
        limit: Int
    ) async throws -> [StoredDelivery] {
        try await deliveries(SQL.selectDeliveriesOfEndpoint, [endpoint, id ?? .max, limit])
    }

    /// Returns the number of deliveries of each status, from the tally, and the creation time of
    /// the oldest pending one.
    ///
    /// - Complexity: O(endpoints with pending deliveries), however many are pending or have ended.
    package func deliveryCounts() async throws -> DeliveryCounts {
        let isShared = isShared
        let (oldest, ofAll) = try await reading { session in
            // Other nodes also change deliveries.
            (try session.oldestWaiting(), isShared ? try DeliveryTally.read(session) : nil)
        }
        if let ofAll { tally.withLock { $0 = ofAll } }
        var counts = deliveryTally
        counts.oldestPending = oldest
        return counts
    }

    /// Deletes an endpoint's deliveries in any state, in small transactions.
    ///
    /// - Returns: their number.
    @discardableResult
    package func removeDeliveries(of endpoint: String) async throws -> Int {
        growth.withLock { $0.forget(endpoint) }
        return try await deletingInBatches(SQL.deleteDeliveriesOfEndpoint, [endpoint])
    }

    /// Deletes the deliveries that ended before `time`, in small transactions.
    ///
    /// - Returns: their number.
    @discardableResult
    package func trimDeliveries(finishedBefore time: Timestamp) async throws -> Int {
        try await deletingInBatches(SQL.deleteFinishedDeliveries, [time.milliseconds])
    }

    func deliveries(
        _ select: String,
        _ arguments: SQLArguments
    ) async throws -> [StoredDelivery] {
        let found = try await reading { session in
            try DeliveryRows(session, select, arguments)
        }
        for id in found.damaged { notices.report(.damaged(.delivery(id: id))) }
        return found.intact
    }
}

extension SQLSession {
    /// One step of the index for each endpoint.
    fileprivate func waitingEndpoints() throws -> [String] {
        var names: [String] = []
        while let name = try text(SQL.selectNextWaitingEndpoint, [names.last ?? ""]) {
            names.append(name)
        }
        return names
    }

    /// Returns the creation time of the oldest pending delivery.
    fileprivate func oldestWaiting() throws -> Timestamp? {
        var endpoint = ""
        var first: (id: Int64, time: Int64)?
        while let row = try row(SQL.selectNextFirstWaiting, [endpoint]) {
            endpoint = try row[0]
            let id: Int64 = try row[1]
            if first.map({ id < $0.id }) ?? true { first = (id, try row[2]) }
        }
        return first.map { Timestamp(milliseconds: $0.time) }
    }

    func insert(_ delivery: NewDelivery) throws {
        let (status, statusAt) = DeliveryStatus.pending(nextAttempt: delivery.createdAt).columns
        let row: SQLArguments = [
            delivery.endpoint, delivery.messageID, delivery.eventType, delivery.subject,
            delivery.body, delivery.createdAt.milliseconds, status, statusAt,
            Int64(Checksum(ofDelivery: delivery).value), delivery.topic?.name,
        ]
        switch engine {
        case .sqlite:
            let id = try insert(SQL.insertDelivery, row)
            for tag in delivery.tagRows {
                try run(SQL.insertDeliveryTag, [tag.topic.name, tag.name, tag.value, id])
            }
        case .postgres(let session): try session.insert(row, delivery.tagRows)
        }
    }

    /// Stores the status of a delivery; returns the number of rows changed, 0 if it does not exist.
    func update(_ record: DeliveryRecord) throws -> Int {
        let (status, statusAt) = record.status.columns
        return try changes(
            SQL.updateDelivery,
            [
                status, statusAt, record.attempts, record.statusCode, record.state,
                record.deliveryID,
            ]
        )
    }
}

extension DeliveryStatus {
    /// The columns `status` and `status_at`.
    fileprivate var columns: (status: Int, statusAt: Int64) {
        switch self {
        case .pending(let nextAttempt): (0, nextAttempt.milliseconds)
        case .delivered(let time): (1, time.milliseconds)
        case .failed(let time): (2, time.milliseconds)
        }
    }

    init(status: Int, statusAt: Timestamp) {
        switch status {
        case 0: self = .pending(nextAttempt: statusAt)
        case 1: self = .delivered(at: statusAt)
        default: self = .failed(at: statusAt)
        }
    }
}
