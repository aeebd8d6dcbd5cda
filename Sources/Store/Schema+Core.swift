/// The tables of the hub itself: the log, states, the outbox, and its own row.
extension Schema {
    /// `publication` only ever grows at its end: its rowid is the global cursor. Its one index
    /// makes reading a topic's newest rows cost only the rows returned, and makes an offset that is
    /// assigned twice an error. A topic's highest offset is not stored: it is the index's last
    /// entry, or `evicted_offset` when all was evicted. So a `topic` row is written when the topic
    /// is first used and when it is trimmed, never by a publication.
    ///
    /// `delivery.status` is 0 for pending, 1 for delivered, 2 for failed; `status_at` is the time
    /// at which the next attempt is due, or at which the delivery ended.
    ///
    /// `hub.unsynced_boot` names the run of the machine in which commits may not have reached the
    /// disk; it is NULL when all have. See `StoreIdentity`.
    static let core1 = """
        CREATE TABLE hub (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL CHECK (epoch <> ''),
            cursor_base INTEGER NOT NULL CHECK (cursor_base >= 0),
            clock INTEGER,
            unsynced_boot TEXT
        ) STRICT;

        CREATE TABLE topic (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            evicted_offset INTEGER NOT NULL DEFAULT 0,
            evicted_cursor INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE publication (
            cursor INTEGER PRIMARY KEY,
            topic_id INTEGER NOT NULL REFERENCES topic (id),
            topic_offset INTEGER NOT NULL CHECK (topic_offset > 0),
            time INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX publication_by_topic ON publication (topic_id, topic_offset);

        CREATE TABLE state (
            domain TEXT NOT NULL CHECK (length(domain) BETWEEN 1 AND 512),
            key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 512),
            value BLOB NOT NULL,
            PRIMARY KEY (domain, key)
        ) STRICT;

        CREATE TABLE feed (
            name TEXT PRIMARY KEY NOT NULL CHECK (length(name) BETWEEN 1 AND 512),
            validators BLOB NOT NULL
        ) STRICT;

        CREATE TABLE alert (
            rule TEXT NOT NULL CHECK (length(rule) BETWEEN 1 AND 512),
            subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 512),
            state BLOB NOT NULL,
            PRIMARY KEY (rule, subject)
        ) STRICT;

        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            endpoint TEXT NOT NULL CHECK (length(endpoint) BETWEEN 1 AND 512),
            message_id TEXT NOT NULL CHECK (length(message_id) BETWEEN 1 AND 512),
            event_type TEXT NOT NULL,
            subject TEXT,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2),
            status_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            status_code INTEGER,
            state BLOB NOT NULL DEFAULT x'',
            UNIQUE (endpoint, message_id)
        ) STRICT;
        CREATE INDEX delivery_by_status ON delivery (status, status_at);
        CREATE INDEX delivery_by_endpoint ON delivery (endpoint);
        CREATE INDEX delivery_pending ON delivery (endpoint) WHERE status = 0;
        """

    /// `tags` and `info` are lists of texts (`TextList`), NULL if empty, so older rows are valid.
    /// `idempotency.id` grows with every key, so that the oldest are the first ones. `version` has
    /// the last version of a topic, its number as a signed integer of the same bits. Cursors up to
    /// `hub.cursors_reserved` may have been assigned to events without rows.
    static let core2 = """
        ALTER TABLE hub ADD COLUMN cursors_reserved INTEGER NOT NULL DEFAULT 0;

        ALTER TABLE publication ADD COLUMN tags BLOB;
        ALTER TABLE publication ADD COLUMN info BLOB;
        ALTER TABLE publication ADD COLUMN allows_delta INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE idempotency (
            id INTEGER PRIMARY KEY,
            topic_id INTEGER NOT NULL REFERENCES topic (id),
            key TEXT NOT NULL,
            topic_offset INTEGER NOT NULL CHECK (topic_offset >= 0),
            time INTEGER NOT NULL,
            UNIQUE (topic_id, key)
        ) STRICT;

        CREATE TABLE version (
            topic_id INTEGER PRIMARY KEY REFERENCES topic (id),
            number INTEGER NOT NULL,
            epoch TEXT NOT NULL
        ) STRICT;

        CREATE TABLE probe (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            filler BLOB NOT NULL
        ) STRICT;
        """

    /// `topic.erased_offset` and `erased_cursor` are the highest position whose row an erasure has
    /// deleted, between others: the topic's end is at least that, even if the rows of `publication`
    /// end lower.
    static let core3 = """
        ALTER TABLE topic ADD COLUMN erased_offset INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE topic ADD COLUMN erased_cursor INTEGER NOT NULL DEFAULT 0;
        """

    /// `delivery_tag` has the topics and tags by which a delivery can be erased: a row for each
    /// topic and each of its tags, which are blobs because SQLite ends a text at a zero. Older
    /// deliveries have none, and cannot be erased.
    static let core4 = """
        CREATE TABLE delivery_tag (
            topic TEXT NOT NULL,
            tag BLOB NOT NULL,
            value BLOB NOT NULL,
            delivery_id INTEGER NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            PRIMARY KEY (topic, tag, value, delivery_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_tag_by_delivery ON delivery_tag (delivery_id);
        """

    /// `beginning` is that of the topic's epoch. `past_time` is the time of the newest publication
    /// without a row, NULL if unknown: when no row is left it is the time of the last one.
    /// `forgotten` has for each namespace the greatest cursor of its deleted topics
    /// (`ForgottenCursors`).
    static let core5 = """
        ALTER TABLE topic ADD COLUMN beginning INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE topic ADD COLUMN past_time INTEGER;

        CREATE TABLE forgotten (
            namespace TEXT PRIMARY KEY NOT NULL,
            cursor INTEGER NOT NULL CHECK (cursor > 0)
        ) STRICT, WITHOUT ROWID;
        """

    /// `checksum` covers the columns of a row that never change (`Checksum`). Older rows have none,
    /// and `hub` has the last of these: a later row without one was damaged.
    static let core6 = """
        ALTER TABLE publication ADD COLUMN checksum INTEGER;
        ALTER TABLE delivery ADD COLUMN checksum INTEGER;

        ALTER TABLE hub ADD COLUMN unchecked_cursor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE hub ADD COLUMN unchecked_delivery INTEGER NOT NULL DEFAULT 0;
        UPDATE hub SET
            unchecked_cursor = coalesce((SELECT max(cursor) FROM publication), 0),
            unchecked_delivery = coalesce((SELECT max(id) FROM delivery), 0);
        """

    /// `attempt` has the last attempts of each endpoint; they are deleted with their delivery.
    /// `duration` is in microseconds. `delivery.topic` is the topic of the message's event, NULL if
    /// there is none, and in older rows.
    static let core7 = """
        ALTER TABLE delivery ADD COLUMN topic TEXT;

        CREATE TABLE attempt (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delivery_id INTEGER NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            endpoint TEXT NOT NULL,
            number INTEGER NOT NULL CHECK (number > 0),
            time INTEGER NOT NULL,
            duration INTEGER NOT NULL CHECK (duration >= 0),
            outcome TEXT NOT NULL,
            status_code INTEGER,
            error TEXT,
            content BLOB,
            next_attempt INTEGER
        ) STRICT;
        CREATE INDEX attempt_by_endpoint ON attempt (endpoint, id);
        CREATE INDEX attempt_by_delivery ON attempt (delivery_id);
        CREATE INDEX attempt_by_time ON attempt (time);
        """

    /// `alert_record` has the alerts of the operators' rules, as the list of alerts shows them. Texts
    /// that publications can choose are blobs, because PostgreSQL stores no U+0000 in a text.
    static let core8 = """
        CREATE TABLE alert_record (
            id TEXT PRIMARY KEY NOT NULL,
            rule TEXT NOT NULL,
            subject TEXT NOT NULL,
            topic TEXT NOT NULL,
            severity TEXT NOT NULL,
            raised INTEGER NOT NULL,
            ended INTEGER,
            reason TEXT,
            headline BLOB,
            field_values BLOB,
            silenced INTEGER NOT NULL,
            acknowledged INTEGER,
            acknowledged_by TEXT,
            acknowledged_note TEXT
        ) STRICT;
        CREATE INDEX alert_record_by_end ON alert_record (ended, raised);
        CREATE INDEX alert_record_by_raise ON alert_record (raised);
        CREATE INDEX alert_record_by_topic ON alert_record (topic);
        """
}
