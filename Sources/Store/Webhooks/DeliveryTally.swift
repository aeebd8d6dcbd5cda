import GRDB

/// The number of deliveries of each status, maintained instead of counted.
///
/// Triggers on the writing connection update a table in its memory with every row, inside the same
/// transaction: rows that are rolled back are not counted, and no statement on deliveries is left
/// out. The outbox is counted once, when the store opens.
enum DeliveryTally {
    /// Creates the table and the triggers. Call it on the writing connection, after the schema is
    /// up to date.
    ///
    /// - Complexity: O(deliveries), by an index.
    static func begin(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TEMP TABLE delivery_tally (status INTEGER PRIMARY KEY, number INTEGER NOT NULL);
                INSERT INTO delivery_tally
                    SELECT status, (SELECT count(*) FROM main.delivery WHERE status = statuses.status)
                    FROM (SELECT 0 AS status UNION ALL SELECT 1 UNION ALL SELECT 2) AS statuses;
                CREATE TEMP TRIGGER delivery_added AFTER INSERT ON main.delivery BEGIN
                    UPDATE delivery_tally SET number = number + 1 WHERE status = NEW.status;
                END;
                CREATE TEMP TRIGGER delivery_deleted AFTER DELETE ON main.delivery BEGIN
                    UPDATE delivery_tally SET number = number - 1 WHERE status = OLD.status;
                END;
                CREATE TEMP TRIGGER delivery_moved AFTER UPDATE OF status ON main.delivery
                WHEN OLD.status <> NEW.status BEGIN
                    UPDATE delivery_tally SET number = number - 1 WHERE status = OLD.status;
                    UPDATE delivery_tally SET number = number + 1 WHERE status = NEW.status;
                END;
                """
        )
    }

    /// Reads the counts of the triggers, without the time of the oldest.
    static func read(_ session: SQLSession) throws -> DeliveryCounts {
        var counts = DeliveryCounts()
        try session.forEach("SELECT status, number FROM delivery_tally") { row in
            switch try row[0] as Int {
            case 0: counts.pending = try row[1]
            case 1: counts.delivered = try row[1]
            default: counts.failed = try row[1]
            }
            return true
        }
        return counts
    }
}

extension Write {
    /// Whether deliveries may begin, end or be deleted with it. Most writes contain only
    /// publications and have none.
    var mayTouchDeliveries: Bool {
        switch self {
        case .change(let change): !(change.deliveries.isEmpty && change.erasures.isEmpty)
        case .statements: true
        // Decided by its result.
        case .composed: false
        case .historyRemoval, .forgetting, .keyExpiry, .cursorReservation, .note: false
        }
    }
}

extension Written {
    /// The same for a completed write.
    var touchesDeliveries: Bool { !(queued.isEmpty && erasures.isEmpty) }
}
