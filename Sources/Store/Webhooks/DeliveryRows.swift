/// Rows of table `delivery`, split into intact and damaged ones.
struct DeliveryRows: Sendable {
    private(set) var intact: [StoredDelivery] = []
    /// The ids of damaged rows.
    private(set) var damaged: [Int64] = []

    init() {}

    init(_ session: SQLSession, _ select: String, _ arguments: SQLArguments) throws {
        try session.forEach(select, arguments) { row in
            append(row)
            return true
        }
    }

    mutating func append(_ row: SQLRow) {
        if let delivery = try? StoredDelivery(row) {
            intact.append(delivery)
        } else {
            damaged.append((try? row[0]) ?? 0)
        }
    }
}

extension HubStore {
    /// Ends deliveries whose rows are damaged as failed: if sent, their content would be arbitrary,
    /// and if pending, they would be read again and again.
    func endDamaged(_ ids: [Int64]) async {
        guard !ids.isEmpty else { return }
        for id in ids { notices.report(.damaged(.delivery(id: id))) }
        let now = wallClock().milliseconds
        // If the store refuses it, that is reported elsewhere; the next reading tries again.
        _ = try? await write(length: Change.rowBytes * ids.count) { session in
            for id in ids { try session.run(SQL.endDamagedDelivery, [now, id]) }
            return Written(rowCount: ids.count)
        }
    }
}

extension SQL {
    fileprivate static let endDamagedDelivery =
        "UPDATE delivery SET status = 2, status_at = ? WHERE id = ?"
}

extension StoredDelivery {
    /// In the order in which `init(_:)` reads them.
    static let columns =
        [
            "id", "endpoint", "message_id", "event_type", "subject", "body", "created_at", "status",
            "status_at", "attempts", "status_code", "state", "checksum",
        ].map { "delivery." + $0 }.joined(separator: ", ")
        + ", (SELECT unchecked_delivery FROM hub WHERE id = 1)"

    /// - Throws: if the row is damaged.
    fileprivate init(_ row: SQLRow) throws {
        id = try row[0]
        endpoint = try row[1]
        messageID = try row[2]
        eventType = try row[3]
        subject = row.isNull(4) ? nil : try row[4]
        body = try row[5]
        createdAt = Timestamp(milliseconds: try row[6])
        status = DeliveryStatus(
            status: try row[7],
            statusAt: Timestamp(milliseconds: try row[8])
        )
        attempts = try row.count(9)
        statusCode = row.isNull(10) ? nil : try row[10]
        state = try row[11]
        guard row.isNull(12) else {
            let checksum = Checksum(ofDelivery: asNew)
            guard try row[12] as Int64 == Int64(checksum.value) else { throw Damaged() }
            return
        }
        guard id <= (try row[13] as Int64) else { throw Damaged() }
    }

    private struct Damaged: Error {}

    /// The values that were written, as far as the checksum covers them.
    private var asNew: NewDelivery {
        NewDelivery(
            endpoint: endpoint,
            messageID: messageID,
            eventType: eventType,
            subject: subject,
            body: body,
            createdAt: createdAt
        )
    }
}
