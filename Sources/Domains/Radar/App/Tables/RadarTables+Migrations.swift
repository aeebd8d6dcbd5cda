import DomainKit

extension RadarTables {
    /// A released step is never edited: a change is a new step.
    package static let migrations = [
        Migration("radar.1", sql: radar1, sinceVersion: 3),
        Migration("radar.2", sql: radar2), Migration("radar.3", sql: radar3),
    ]

    /// Opinions refer to their radar by its number, which is short and never reused. When a radar
    /// is deleted they stay for the next trim, unread, and `deleted_radar` has the number until
    /// then: ten thousand opinions are on as many pages, and publishers would wait for half a
    /// second. For the same reason there is no foreign key.
    ///
    /// `opinion_by_radar` has an order, so that the newest are read at the cost of the rows
    /// returned, and all inputs of a trend, so that a year of it reads no opinion. No index
    /// contains columns that change with every poll. Short columns come first: skipping a row reads
    /// no page of its texts.
    ///
    /// `opinion.stance` is −1, 0 or 1. `spending` includes reservations: it is written before a
    /// request is sent.
    private static let radar1 = """
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
        """

    /// The state of a radar's position (`PositionStanding`); null in older rows.
    private static let radar2 = "ALTER TABLE radar ADD COLUMN standing BLOB"

    /// `radar.last_poll`: `LastPoll.stored`.
    ///
    /// `user_spending` has the part of users in `spending`, reservations included. `user` is a
    /// digest, or empty for the users beyond the limit.
    ///
    /// `opinion.pushed_by` is `opinion_pusher.number` for opinions that were pushed, and 0 for all
    /// others: `DEFAULT 0` needs no rewrite of the rows. The store has no API key, only digests. The two
    /// partial indexes give a position the newest opinions of sources and of each key, however many the
    /// others are.
    private static let radar3 = """
        ALTER TABLE radar ADD COLUMN last_poll BLOB;

        CREATE TABLE opinion_pusher (
            number INTEGER PRIMARY KEY,
            key_digest BLOB NOT NULL UNIQUE CHECK (length(key_digest) = 32)
        ) STRICT;
        ALTER TABLE opinion ADD COLUMN pushed_by INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX opinion_of_source ON opinion (radar_number, created_at, id)
            WHERE source IS NOT NULL;
        CREATE INDEX opinion_by_key ON opinion (radar_number, pushed_by, created_at, id)
            WHERE source IS NULL;

        CREATE TABLE user_spending (
            day INTEGER NOT NULL,
            source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 512),
            user BLOB NOT NULL CHECK (length(user) <= 16),
            requests INTEGER NOT NULL CHECK (requests >= 0),
            tokens INTEGER NOT NULL CHECK (tokens >= 0),
            PRIMARY KEY (day, source, user)
        ) STRICT;
        """
}
