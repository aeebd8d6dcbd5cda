/// The statements that run often. Each is prepared once per connection and found again by its text.
enum SQL {
    static let begin = "BEGIN IMMEDIATE"
    static let commit = "COMMIT"
    static let savepoint = "SAVEPOINT one_write"
    static let release = "RELEASE one_write"
    static let rollBackToSavepoint = "ROLLBACK TO one_write"

    /// The topic's id and its highest offset, whether or not that publication was evicted.
    static let selectTopic = """
        SELECT id, coalesce(
            (SELECT max(topic_offset) FROM publication WHERE topic_id = topic.id), evicted_offset)
        FROM topic WHERE name = ?
        """
    static let insertTopic = "INSERT INTO topic (name) VALUES (?)"
    static let insertPublication = """
        INSERT INTO publication (cursor, topic_id, topic_offset, time, payload)
        VALUES (?, ?, ?, ?, ?)
        """

    static let upsertState = """
        INSERT INTO state (domain, key, value) VALUES (?, ?, ?)
        ON CONFLICT (domain, key) DO UPDATE SET value = excluded.value
        """
    static let deleteState = "DELETE FROM state WHERE domain = ? AND key = ?"
    static let upsertFeed = """
        INSERT INTO feed (name, validators) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET validators = excluded.validators
        """
    static let deleteFeed = "DELETE FROM feed WHERE name = ?"
    static let upsertAlert = """
        INSERT INTO alert (rule, subject, state) VALUES (?, ?, ?)
        ON CONFLICT (rule, subject) DO UPDATE SET state = excluded.state
        """
    static let deleteAlert = "DELETE FROM alert WHERE rule = ? AND subject = ?"
    static let updateClock = "UPDATE hub SET clock = ?"

    static let insertDelivery = """
        INSERT INTO delivery
            (endpoint, message_id, event_type, subject, body, created_at, status, status_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let updateDelivery = """
        UPDATE delivery SET status = ?, status_at = ?, attempts = ?, status_code = ?, state = ?
        WHERE id = ?
        """
    static let deleteFinishedDeliveries = """
        DELETE FROM delivery WHERE id IN (
            SELECT id FROM delivery WHERE status IN (1, 2) AND status_at < ? LIMIT ?)
        """
    static let deleteDeliveriesOfEndpoint = """
        DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE endpoint = ? LIMIT ?)
        """

    static let deletePublications =
        "DELETE FROM publication WHERE topic_id = ? AND topic_offset <= ?"
    static let updateEvicted =
        "UPDATE topic SET evicted_offset = ?, evicted_cursor = ? WHERE id = ?"

    /// Writes a page though nothing changes: SQLite does not compare the values.
    static let touch = "UPDATE hub SET id = id"

    /// A topic's publications from the newest backward. Reads no more rows than are asked for.
    static let selectNewest = """
        SELECT topic_offset, cursor, time, payload FROM publication
        WHERE topic_id = ? ORDER BY topic_offset DESC LIMIT ?
        """
    static let selectOldest = """
        SELECT topic_offset, cursor, time FROM publication
        WHERE topic_id = ? ORDER BY topic_offset LIMIT ?
        """
    static let selectTopOffset = "SELECT max(topic_offset) FROM publication WHERE topic_id = ?"

    /// The oldest pending deliveries of each endpoint; see `StoredDelivery.columns`.
    static func selectPending(exceptEndpoints count: Int) -> String {
        """
        WITH waiting AS (
            SELECT DISTINCT endpoint FROM delivery INDEXED BY delivery_pending
            WHERE status = 0 AND endpoint NOT IN (\(marks(count))))
        SELECT \(StoredDelivery.columns)
        FROM waiting JOIN delivery ON delivery.id IN (
            SELECT oldest.id FROM delivery AS oldest
            WHERE oldest.status = 0 AND oldest.endpoint = waiting.endpoint
            ORDER BY oldest.id LIMIT ?)
        ORDER BY delivery.id
        """
    }
    static let selectDeliveriesOfEndpoint = """
        SELECT \(StoredDelivery.columns) FROM delivery
        WHERE endpoint = ? AND id < ? ORDER BY id DESC LIMIT ?
        """

    private static func marks(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }
}
