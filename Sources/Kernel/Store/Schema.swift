import GRDB

/// The tables, their version, and the way from one version to the next.
///
/// The version stands in the file's header (`PRAGMA user_version`), beside the application's mark: a file
/// of another application or of a later version is refused before a byte of it is written.
enum Schema {
    /// "Vard" in ASCII.
    static let applicationID: Int32 = 0x5661_7264

    /// Version N is reached by running the first N steps. A released step is never edited.
    static let steps = [
        version1, version2, version3 + activityTables, version4 + endedLogins, version5, version6,
    ]

    static var version: Int { steps.count }

    /// Refuses what is not ours to open. Called for each connection, before anything is written.
    static func check(_ database: Database, path: String) throws {
        let found = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let foundVersion = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found != applicationID else {
            // The header says it, and so whoever damages it.
            guard foundVersion >= 0 else {
                throw StoreError(.corrupt, "schema version is \(foundVersion)", path: path)
            }
            guard foundVersion <= version else {
                throw StoreError(
                    .newerSchema,
                    "schema version \(foundVersion) is newer than \(version), which this hub knows",
                    path: path
                )
            }
            return
        }
        let tableCount = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard found == 0, foundVersion == 0, tableCount == 0 else {
            throw StoreError(
                .foreignDatabase,
                "database of another application (application_id \(found), \(tableCount) schema entries)",
                path: path
            )
        }
    }

    /// Brings the file to `version`, all steps in one transaction.
    static func migrate(_ database: Database) throws {
        let current = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard current < version else { return }
        try database.inTransaction(.immediate) {
            for step in steps[current...] { try database.execute(sql: step) }
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// `publication` only ever grows at its end: its rowid is the global cursor. The one index on it
    /// lets a topic's tail be read at the cost of the rows returned, and makes an offset that is given
    /// twice an error. A topic's highest offset is not stored: it is the index's last entry, or
    /// `evicted_offset` when all was evicted. So a `topic` row is written when the topic is first seen
    /// and when it is trimmed, never by a publication.
    ///
    /// `delivery.status` is 0 for pending, 1 for delivered, 2 for failed; `status_at` is when the next
    /// attempt is due, or when the delivery ended.
    ///
    /// `hub.unsynced_boot` names the run of the machine in which commits may not have reached the disk;
    /// it is NULL when all have. See `StoreIdentity`.
    private static let version1 = """
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

    /// `tags` and `info` are lists of texts (`TextList`), NULL where there are none: so the rows of before
    /// are as good as any. `idempotency.id` grows with every key, so that the oldest are the first ones.
    /// `version` has the last version of a topic, its number as a signed integer of the same bits.
    /// Cursors up to `hub.cursors_reserved` may have been given to events without rows.
    private static let version2 = """
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

    /// Opinions name their radar by its number, which is short and never given again. When a radar is
    /// deleted they stay for the next trim, unread, and `deleted_radar` has the number until then: ten
    /// thousand opinions stand on as many pages, and publishers would wait for half a second. So there is
    /// no foreign key either.
    ///
    /// `opinion_by_radar` has an order, so that the newest are read at the cost of the rows returned, and
    /// all that a trend is made of, so that a year of it reads no opinion. What changes with every poll
    /// stands in no index. Short columns come first: to pass over a row costs no page of its texts.
    ///
    /// `topic.erased_offset` and `erased_cursor` are the highest place whose row was deleted by an erasure,
    /// from between the others: what `publication` says of a topic's end holds no lower than that.
    ///
    /// `opinion.stance` is −1, 0 or 1. `spending` has what was reserved, too: it is written before a
    /// request is sent.
    private static let version3 = """
        CREATE TABLE radar (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 512),
            user_id TEXT NOT NULL CHECK (length(user_id) BETWEEN 1 AND 512),
            position TEXT NOT NULL CHECK (position <> ''),
            is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
            refresh_count INTEGER NOT NULL CHECK (refresh_count >= 0),
            segment INTEGER NOT NULL CHECK (segment >= 0),
            last_polled_at INTEGER,
            next_poll_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            topic TEXT NOT NULL CHECK (topic <> ''),
            interpretation BLOB NOT NULL,
            sources BLOB NOT NULL
        ) STRICT;
        CREATE INDEX radar_by_user ON radar (user_id, created_at, id);

        CREATE TABLE deleted_radar (
            number INTEGER PRIMARY KEY
        ) STRICT;

        CREATE TABLE opinion (
            number INTEGER PRIMARY KEY,
            radar_number INTEGER NOT NULL,
            id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 512),
            created_at INTEGER NOT NULL CHECK (created_at >= 0),
            segment INTEGER NOT NULL CHECK (segment >= 0),
            stance INTEGER NOT NULL CHECK (stance BETWEEN -1 AND 1),
            confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
            author TEXT NOT NULL,
            model TEXT NOT NULL,
            source TEXT,
            provider TEXT NOT NULL,
            prompt_version TEXT,
            content TEXT NOT NULL,
            reasoning TEXT
        ) STRICT;
        CREATE INDEX opinion_by_radar
            ON opinion (radar_number, created_at, id, segment, stance, confidence);
        CREATE INDEX opinion_by_time ON opinion (created_at);

        CREATE TABLE stance_cache (
            key BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
            answer BLOB NOT NULL,
            time INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX stance_cache_by_time ON stance_cache (time);

        CREATE TABLE spending (
            day INTEGER NOT NULL,
            source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 512),
            requests INTEGER NOT NULL CHECK (requests >= 0),
            tokens INTEGER NOT NULL CHECK (tokens >= 0),
            PRIMARY KEY (day, source)
        ) STRICT;

        ALTER TABLE topic ADD COLUMN erased_offset INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE topic ADD COLUMN erased_cursor INTEGER NOT NULL DEFAULT 0;
        """

    /// `delivery_tag` says by what a delivery can be erased: a row for each topic and each of its tags,
    /// which are blobs because a text ends for SQLite where it has a zero. Deliveries of before have none, and cannot be.
    private static let version4 = """
        CREATE TABLE delivery_tag (
            topic TEXT NOT NULL,
            tag BLOB NOT NULL,
            value BLOB NOT NULL,
            delivery_id INTEGER NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            PRIMARY KEY (topic, tag, value, delivery_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_tag_by_delivery ON delivery_tag (delivery_id);
        """

    /// `beginning` is that of the topic's epoch. `past_time` is the time of the newest publication that has no
    /// row, NULL where it is not known: with no row left it is the time of the last one. `forgotten` has for each
    /// namespace the greatest cursor of its topics that are no more (`ForgottenCursors`).
    private static let version5 = """
        ALTER TABLE topic ADD COLUMN beginning INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE topic ADD COLUMN past_time INTEGER;

        CREATE TABLE forgotten (
            namespace TEXT PRIMARY KEY NOT NULL,
            cursor INTEGER NOT NULL CHECK (cursor > 0)
        ) STRICT, WITHOUT ROWID;
        """

    /// `checksum` covers the columns of a row that never change (`Checksum`). Older rows have none, and
    /// `hub` has the last of these: a later row without one was damaged.
    private static let version6 = """
        ALTER TABLE publication ADD COLUMN checksum INTEGER;
        ALTER TABLE delivery ADD COLUMN checksum INTEGER;

        ALTER TABLE hub ADD COLUMN unchecked_cursor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE hub ADD COLUMN unchecked_delivery INTEGER NOT NULL DEFAULT 0;
        UPDATE hub SET
            unchecked_cursor = coalesce((SELECT max(cursor) FROM publication), 0),
            unchecked_delivery = coalesce((SELECT max(id) FROM delivery), 0);
        """
}
