/// Frequent statements. Each is prepared once per connection and found again by its text.
enum SQL {
    static let begin = "BEGIN IMMEDIATE"
    static let commit = "COMMIT"
    static let savepoint = "SAVEPOINT one_write"
    static let release = "RELEASE one_write"
    static let rollBackToSavepoint = "ROLLBACK TO one_write"

    static let selectTopic = "SELECT \(TopicCounters.Row.columns) FROM topic WHERE name = ?"
    static let insertTopic =
        "INSERT INTO topic (name, evicted_cursor) VALUES (?, ?) RETURNING id"
    static let updateBeginning = "UPDATE topic SET beginning = ? WHERE id = ?"
    static let insertPublication = """
        INSERT INTO publication
            (cursor, topic_id, topic_offset, time, payload, tags, info, allows_delta, checksum)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
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
    /// A change that was computed before a jump of the clock may be committed after it.
    static let updateClock = "UPDATE hub SET clock = ? WHERE clock IS NULL OR clock < ?"

    static let insertDelivery = """
        INSERT INTO delivery
            (endpoint, message_id, event_type, subject, body, created_at, status, status_at, checksum,
            topic)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """
    static let updateDelivery = """
        UPDATE delivery SET status = ?, status_at = ?, attempts = ?, status_code = ?, state = ?
        WHERE id = ?
        """
    static let insertDeliveryTag = """
        INSERT INTO delivery_tag (topic, tag, value, delivery_id) VALUES (?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """
    static let selectDeliveriesWithTag =
        "SELECT delivery_id FROM delivery_tag WHERE topic = ? AND tag = ? AND value = ?"
    /// A delivery is there once for each of its tags.
    static let selectDeliveriesOfTopic =
        "SELECT delivery_id FROM delivery_tag WHERE topic = ? LIMIT ?"
    static let deleteDeliveryTags = """
        DELETE FROM delivery_tag INDEXED BY delivery_tag_by_delivery
        WHERE delivery_id = ? AND topic = ?
        """
    /// The status of a delivery that has no other topic.
    static let selectUnlessTagged = """
        SELECT status FROM delivery WHERE id = ?
        AND NOT EXISTS (SELECT 1 FROM delivery_tag WHERE delivery_id = delivery.id)
        """
    /// A delivery that stays gets another one of its topics, if it has any.
    static let updateDeliveryTopic = """
        UPDATE delivery SET topic = (
            SELECT min(delivery_tag.topic) FROM delivery_tag
            WHERE delivery_tag.delivery_id = delivery.id)
        WHERE id = ? AND topic = ?
        """
    static let deleteDelivery = "DELETE FROM delivery WHERE id = ?"
    static let deleteFinishedDeliveries = """
        DELETE FROM delivery WHERE id IN (
            SELECT id FROM delivery WHERE status IN (1, 2) AND status_at < ? LIMIT ?)
        """
    static let deleteDeliveriesOfEndpoint = """
        DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE endpoint = ? LIMIT ?)
        """

    /// Conditional, because the history may have been removed since it was read.
    static let updateEvicted = """
        UPDATE topic
        SET evicted_offset = ?, evicted_cursor = ?, past_time = max(coalesce(past_time, 0), ?)
        WHERE id = ? AND evicted_offset < ?
        """
    static let deletePublications =
        "DELETE FROM publication WHERE topic_id = ? AND topic_offset <= ?"

    static let selectTagged = """
        SELECT topic_offset, cursor, tags, time FROM publication
        WHERE topic_id = ? AND instr(tags, ?) > 0 ORDER BY topic_offset
        """
    static let deletePublication = "DELETE FROM publication WHERE cursor = ?"
    static let updateErased = """
        UPDATE topic
        SET erased_offset = ?, erased_cursor = ?, past_time = max(coalesce(past_time, 0), ?)
        WHERE id = ? AND erased_offset < ?
        """
    /// For an event without a row, but with a version or a key.
    static let updatePastTime =
        "UPDATE topic SET past_time = max(coalesce(past_time, 0), ?) WHERE id = ?"
    static let setUnknownPastTime =
        "UPDATE topic SET past_time = ? WHERE id = ? AND past_time IS NULL"

    static let deleteKeysOfTopic = "DELETE FROM idempotency WHERE topic_id = ?"
    static let deleteVersionOfTopic = "DELETE FROM version WHERE topic_id = ?"
    static let deleteTopic = "DELETE FROM topic WHERE id = ?"
    static let upsertForgotten = """
        INSERT INTO forgotten AS kept (namespace, cursor) VALUES (?, ?)
        ON CONFLICT (namespace) DO UPDATE SET cursor = max(kept.cursor, excluded.cursor)
        """

    static let reserveCursors = "UPDATE hub SET cursors_reserved = ?"
    static let writeProbe = """
        INSERT INTO probe (id, filler) VALUES (1, ?)
        ON CONFLICT (id) DO UPDATE SET filler = excluded.filler
        """
    static let deleteProbe = "DELETE FROM probe WHERE id = 1"

    static let selectTopicRow = "SELECT \(TopicRow.columns) FROM topic WHERE name = ?"
    static let selectTopicPage =
        "SELECT \(TopicRow.columns) FROM topic WHERE id > ? ORDER BY id LIMIT ?"
    /// With the highest offset of a publication's row.
    static let selectTopicPositions = """
        SELECT \(TopicRow.columns), coalesce(
            (SELECT max(topic_offset) FROM publication WHERE topic_id = topic.id), 0)
        FROM topic WHERE id > ? ORDER BY id LIMIT ?
        """
    /// The topics of publications after a cursor.
    static let selectTopicsPublishedTo = """
        SELECT \(TopicRow.columns) FROM topic
        WHERE id IN (SELECT topic_id FROM publication WHERE cursor > ?)
        """
    /// Topics that have lost publications after a cursor.
    static let selectTopicsTrimmed =
        "SELECT \(TopicRow.columns) FROM topic WHERE evicted_cursor > ?"
    static let selectForgottenCursor = "SELECT cursor FROM forgotten WHERE namespace = ?"
    static let selectNewestCursor = "SELECT max(cursor) FROM publication"
    /// A topic's publications from the newest backward, without evicted ones. Reads no more rows
    /// than requested.
    static let selectNewest = """
        SELECT topic_offset, cursor, time, payload, tags, info, allows_delta, checksum,
            (SELECT unchecked_cursor FROM hub WHERE id = 1)
        FROM publication
        WHERE topic_id = ? AND topic_offset > ? ORDER BY topic_offset DESC LIMIT ?
        """
    static let selectNewestPlace = """
        SELECT topic_offset, cursor, time FROM publication
        WHERE topic_id = ? AND topic_offset > ? ORDER BY topic_offset DESC LIMIT 1
        """
    static let selectOldest = """
        SELECT topic_offset, cursor, time FROM publication
        WHERE topic_id = ? ORDER BY topic_offset LIMIT ?
        """
    static let selectTopOffset = "SELECT max(topic_offset) FROM publication WHERE topic_id = ?"

    static let selectIdempotencyKey =
        "SELECT topic_offset, time FROM idempotency WHERE topic_id = ? AND key = ?"
    /// A key that is known but too old becomes the newest one.
    static let insertIdempotencyKey = """
        INSERT INTO idempotency (id, topic_id, key, topic_offset, time)
        VALUES ((SELECT coalesce(max(id), 0) + 1 FROM idempotency), ?, ?, ?, ?)
        ON CONFLICT (topic_id, key) DO UPDATE
        SET id = excluded.id, topic_offset = excluded.topic_offset, time = excluded.time
        """
    static let selectNewestIdempotencyKey = "SELECT max(id) FROM idempotency"
    static let deleteIdempotencyKeys = "DELETE FROM idempotency WHERE id <= ?"
    static let selectVersion = "SELECT number, epoch FROM version WHERE topic_id = ?"
    static let upsertVersion = """
        INSERT INTO version (topic_id, number, epoch) VALUES (?, ?, ?)
        ON CONFLICT (topic_id) DO UPDATE SET number = excluded.number, epoch = excluded.epoch
        """

    /// See `StoredDelivery.columns`.
    static let selectPendingOfEndpoint = """
        SELECT \(StoredDelivery.columns) FROM delivery INDEXED BY delivery_pending
        WHERE status = 0 AND endpoint = ? ORDER BY id LIMIT ?
        """
    static let selectNextWaitingEndpoint = """
        SELECT endpoint FROM delivery INDEXED BY delivery_pending
        WHERE status = 0 AND endpoint > ? ORDER BY endpoint LIMIT 1
        """
    static let selectNextFirstWaiting = """
        SELECT endpoint, id, created_at FROM delivery INDEXED BY delivery_pending
        WHERE status = 0 AND endpoint > ? ORDER BY endpoint, id LIMIT 1
        """
    static let countPendingOfEndpoint = """
        SELECT count(*) FROM delivery INDEXED BY delivery_pending WHERE status = 0 AND endpoint = ?
        """
    static let selectDeliveriesOfEndpoint = """
        SELECT \(StoredDelivery.columns) FROM delivery
        WHERE endpoint = ? AND id < ? ORDER BY id DESC LIMIT ?
        """

    // The following statements return or count all rows of a kind, in the order of an index.

    static let selectForgotten = "SELECT namespace, cursor FROM forgotten"
    /// Reads from the first one, no further than the limit.
    static let selectOldestIdempotencyKeys = "SELECT id, time FROM idempotency ORDER BY id LIMIT ?"
    static let selectOldestPublicationTime = "SELECT time FROM publication ORDER BY cursor LIMIT 1"
    static let selectState = "SELECT key, value FROM state WHERE domain = ? ORDER BY key"
    static let selectFirstState =
        "SELECT key, value FROM state WHERE domain = ? ORDER BY key LIMIT ?"
    static let selectFeeds = "SELECT name, validators FROM feed ORDER BY name"
    static let selectAlerts = "SELECT rule, subject, state FROM alert ORDER BY rule, subject"
    static let selectClock = "SELECT clock FROM hub"
}
