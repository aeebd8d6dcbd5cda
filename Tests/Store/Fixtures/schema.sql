-- The schema's steps as they were released, each under the version that it leads to. This file is a record:
-- it is never edited, and `make-fixtures.py` reads nothing of the sources.

-- version 1

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

-- version 2

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

-- version 3

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

CREATE TABLE film (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 1000),
    year INTEGER,
    genres TEXT NOT NULL CHECK (length(genres) <= 2000),
    poster_url TEXT CHECK (length(poster_url) <= 4000),
    overview TEXT CHECK (length(overview) <= 20000),
    release_date TEXT CHECK (length(release_date) <= 40),
    tmdb_id INTEGER UNIQUE,
    runtime INTEGER CHECK (runtime >= 0),
    rating_count INTEGER NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
    rating_sum INTEGER NOT NULL DEFAULT 0 CHECK (rating_sum >= 0),
    watcher_count INTEGER NOT NULL DEFAULT 0 CHECK (watcher_count >= 0)
) STRICT;

CREATE TABLE film_key (
    key TEXT PRIMARY KEY NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    film_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE film_text USING fts5 (title, tokenize = 'ascii', prefix = '2 3');

CREATE TABLE film_word (
    length INTEGER NOT NULL,
    word TEXT NOT NULL,
    film_count INTEGER NOT NULL CHECK (film_count >= 0),
    PRIMARY KEY (length, word)
) STRICT, WITHOUT ROWID;

CREATE TABLE genre (
    id INTEGER PRIMARY KEY,
    folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    film_count INTEGER NOT NULL DEFAULT 0 CHECK (film_count >= 0)
) STRICT;

CREATE TABLE film_genre (
    film_id INTEGER NOT NULL,
    genre_id INTEGER NOT NULL,
    PRIMARY KEY (film_id, genre_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE person (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 100),
    provider_subject TEXT NOT NULL CHECK (length(provider_subject) BETWEEN 1 AND 1000),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1000),
    avatar_url TEXT CHECK (length(avatar_url) <= 4000),
    email TEXT CHECK (length(email) <= 1000),
    bio TEXT CHECK (length(bio) <= 8000),
    created_at INTEGER NOT NULL,
    last_active_at INTEGER,
    friend_count INTEGER NOT NULL DEFAULT 0 CHECK (friend_count >= 0),
    rating_count INTEGER NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
    rating_sum INTEGER NOT NULL DEFAULT 0 CHECK (rating_sum >= 0),
    favorite_count INTEGER NOT NULL DEFAULT 0 CHECK (favorite_count >= 0),
    watched_count INTEGER NOT NULL DEFAULT 0 CHECK (watched_count >= 0),
    watchlist_count INTEGER NOT NULL DEFAULT 0 CHECK (watchlist_count >= 0),
    UNIQUE (provider, provider_subject)
) STRICT;

CREATE TABLE deleted_person (
    id INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE refresh_token (
    hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    person_id INTEGER NOT NULL,
    family TEXT NOT NULL CHECK (length(family) BETWEEN 1 AND 100),
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_token_by_family ON refresh_token (family);
CREATE INDEX refresh_token_by_person ON refresh_token (person_id);
CREATE INDEX refresh_token_by_expiry ON refresh_token (expires_at);

CREATE TABLE friendship (
    person_id INTEGER NOT NULL,
    friend_id INTEGER NOT NULL CHECK (friend_id <> person_id),
    since INTEGER NOT NULL,
    PRIMARY KEY (person_id, friend_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE friend_request (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER NOT NULL,
    friend_id INTEGER NOT NULL CHECK (friend_id <> person_id),
    at INTEGER NOT NULL,
    UNIQUE (person_id, friend_id)
) STRICT;
CREATE INDEX friend_request_by_person ON friend_request (person_id, id);
CREATE INDEX friend_request_by_friend ON friend_request (friend_id, id);

CREATE TABLE block (
    person_id INTEGER NOT NULL,
    blocked_id INTEGER NOT NULL CHECK (blocked_id <> person_id),
    at INTEGER NOT NULL,
    PRIMARY KEY (person_id, blocked_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX block_by_blocked ON block (blocked_id);

CREATE TABLE rating (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER NOT NULL,
    film_id INTEGER NOT NULL,
    halves INTEGER NOT NULL CHECK (halves BETWEEN 1 AND 10),
    is_review INTEGER NOT NULL CHECK (is_review IN (0, 1)),
    at INTEGER NOT NULL,
    like_count INTEGER NOT NULL DEFAULT 0 CHECK (like_count >= 0),
    comment TEXT CHECK (length(comment) <= 16000),
    UNIQUE (person_id, film_id)
) STRICT;
CREATE INDEX rating_by_film ON rating (film_id, person_id);
CREATE INDEX review_by_film ON rating (film_id, at, id) WHERE is_review = 1;

CREATE TABLE review_like (
    rating_id INTEGER NOT NULL,
    person_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (rating_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_like_by_person ON review_like (person_id);

CREATE TABLE watchlist (
    person_id INTEGER NOT NULL,
    film_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (person_id, film_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX watchlist_by_time ON watchlist (person_id, at, film_id);

CREATE TABLE watch (
    person_id INTEGER NOT NULL,
    film_id INTEGER NOT NULL,
    status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2),
    progress INTEGER CHECK (progress BETWEEN 0 AND 100),
    completed_at INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (person_id, film_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX watch_by_film ON watch (film_id, person_id);

CREATE TABLE activity (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER NOT NULL,
    film_id INTEGER NOT NULL,
    type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
    stars INTEGER CHECK (stars BETWEEN 1 AND 5),
    at INTEGER NOT NULL,
    comment TEXT CHECK (length(comment) <= 16000)
) STRICT;
CREATE INDEX activity_by_person ON activity (person_id);
CREATE INDEX activity_by_type ON activity (person_id, type);
CREATE INDEX activity_by_film ON activity (person_id, film_id);

CREATE TABLE activity_tally (
    person_id INTEGER NOT NULL,
    type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
    activity_count INTEGER NOT NULL CHECK (activity_count >= 0),
    PRIMARY KEY (person_id, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity_fanout (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    turn INTEGER NOT NULL,
    activity_id INTEGER NOT NULL,
    person_id INTEGER NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),
    next_friend_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    payload BLOB NOT NULL
) STRICT;
CREATE INDEX activity_fanout_by_person ON activity_fanout (person_id, id);
CREATE INDEX activity_fanout_by_turn ON activity_fanout (turn);

-- version 4

CREATE TABLE delivery_tag (
    topic TEXT NOT NULL,
    tag BLOB NOT NULL,
    value BLOB NOT NULL,
    delivery_id INTEGER NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
    PRIMARY KEY (topic, tag, value, delivery_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_tag_by_delivery ON delivery_tag (delivery_id);

CREATE TABLE ended_login (
    family TEXT PRIMARY KEY NOT NULL CHECK (length(family) BETWEEN 1 AND 100),
    ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_login_by_time ON ended_login (ended_at);

-- version 5

ALTER TABLE topic ADD COLUMN beginning INTEGER NOT NULL DEFAULT 0;
ALTER TABLE topic ADD COLUMN past_time INTEGER;

CREATE TABLE forgotten (
    namespace TEXT PRIMARY KEY NOT NULL,
    cursor INTEGER NOT NULL CHECK (cursor > 0)
) STRICT, WITHOUT ROWID;

-- version 6

ALTER TABLE publication ADD COLUMN checksum INTEGER;
ALTER TABLE delivery ADD COLUMN checksum INTEGER;

ALTER TABLE hub ADD COLUMN unchecked_cursor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hub ADD COLUMN unchecked_delivery INTEGER NOT NULL DEFAULT 0;
UPDATE hub SET
    unchecked_cursor = coalesce((SELECT max(cursor) FROM publication), 0),
    unchecked_delivery = coalesce((SELECT max(id) FROM delivery), 0);
