import Foundation
import GRDB
import Timekeeping

extension HubStore {
    /// Notes where a delivery stands after an attempt, or after a person's command.
    ///
    /// - Returns: false when the delivery is no longer there.
    @discardableResult
    package func record(_ record: DeliveryRecord) async throws -> Bool {
        let written = try await write(length: Change.rowBytes + record.state.count) { database in
            Written(rowCount: try database.update(record))
        }
        return written.rowCount == 1
    }

    /// The oldest pending deliveries of each endpoint, together in the order of their ids. One endpoint
    /// with a long queue does not hide those of another.
    ///
    /// - Parameter endpoints: nil for all that have any.
    /// - Complexity: O(endpoints + rows returned), however many wait.
    package func pendingDeliveries(
        perEndpoint count: Int,
        of endpoints: [String]? = nil
    ) async throws -> [StoredDelivery] {
        try await reading { database in
            let names = try endpoints ?? database.waitingEndpoints()
            let select = try database.cachedStatement(sql: SQL.selectPendingOfEndpoint)
            return try names.flatMap { name in
                try Row.fetchAll(select, arguments: [name, count]).map(StoredDelivery.init)
            }.sorted { $0.id < $1.id }
        }
    }

    /// Endpoints that have pending deliveries, in the order of their names.
    package func waitingEndpoints() async throws -> [String] {
        try await reading { try $0.waitingEndpoints() }
    }

    /// How many deliveries of an endpoint are pending.
    package func pendingCount(of endpoint: String) async throws -> Int {
        try await reading { database in
            try Int.fetchOne(database, sql: SQL.countPendingOfEndpoint, arguments: [endpoint]) ?? 0
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

    package func deliveryCounts() async throws -> DeliveryCounts {
        try await reading { database in
            var counts = DeliveryCounts()
            for row in try Row.fetchAll(database, sql: SQL.countDeliveries) {
                switch row[0] as Int {
                case 0: counts.pending = row[1]
                case 1: counts.delivered = row[1]
                default: counts.failed = row[1]
                }
            }
            counts.oldestPending = try Int64.fetchOne(
                database,
                sql: SQL.selectOldestPendingTime
            ).map { Timestamp(milliseconds: $0) }
            return counts
        }
    }

    /// Deletes an endpoint's deliveries in any state, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func removeDeliveries(of endpoint: String) async throws -> Int {
        growth.withLock { $0.forget(endpoint) }
        return try await deletingInBatches(SQL.deleteDeliveriesOfEndpoint, [endpoint])
    }

    /// Deletes the deliveries that ended before `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimDeliveries(finishedBefore time: Timestamp) async throws -> Int {
        try await deletingInBatches(SQL.deleteFinishedDeliveries, [time.milliseconds])
    }

    func deliveries(
        _ select: String,
        _ arguments: StatementArguments
    ) async throws -> [StoredDelivery] {
        try await reading { database in
            try Row.fetchAll(database, sql: select, arguments: arguments).map(StoredDelivery.init)
        }
    }
}

extension Database {
    /// One step of the index for each endpoint.
    fileprivate func waitingEndpoints() throws -> [String] {
        let select = try cachedStatement(sql: SQL.selectNextWaitingEndpoint)
        var names: [String] = []
        while let name = try String.fetchOne(select, arguments: [names.last ?? ""]) {
            names.append(name)
        }
        return names
    }

    func insert(_ delivery: NewDelivery) throws {
        let (status, statusAt) = DeliveryStatus.pending(nextAttempt: delivery.createdAt).columns
        try run(
            SQL.insertDelivery,
            [
                delivery.endpoint, delivery.messageID, delivery.eventType, delivery.subject,
                Data(delivery.body), delivery.createdAt.milliseconds, status, statusAt,
            ]
        )
        try insertTags(of: delivery, id: lastInsertedRowID)
    }

    /// Notes where a delivery stands; answers whether it is there, as a number of rows.
    func update(_ record: DeliveryRecord) throws -> Int {
        let (status, statusAt) = record.status.columns
        try run(
            SQL.updateDelivery,
            [
                status, statusAt, record.attempts, record.statusCode, Data(record.state),
                record.deliveryID,
            ]
        )
        return changesCount
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

    fileprivate init(status: Int, statusAt: Timestamp) {
        switch status {
        case 0: self = .pending(nextAttempt: statusAt)
        case 1: self = .delivered(at: statusAt)
        default: self = .failed(at: statusAt)
        }
    }
}

extension StoredDelivery {
    /// In the order that `init(_:)` reads them.
    static let columns = [
        "id", "endpoint", "message_id", "event_type", "subject", "body", "created_at", "status",
        "status_at", "attempts", "status_code", "state",
    ].map { "delivery." + $0 }.joined(separator: ", ")

    fileprivate init(_ row: Row) {
        id = row[0]
        endpoint = row[1]
        messageID = row[2]
        eventType = row[3]
        subject = row[4]
        body = row.bytes(5)
        createdAt = Timestamp(milliseconds: row[6])
        status = DeliveryStatus(status: row[7], statusAt: Timestamp(milliseconds: row[8]))
        attempts = row[9]
        statusCode = row[10]
        state = row.bytes(11)
    }
}
