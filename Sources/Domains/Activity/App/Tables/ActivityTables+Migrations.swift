import DomainKit

extension ActivityTables {
    /// A released step is never edited: a change is a new step.
    package static let migrations = [
        Migration(
            "activity.1",
            sql: films + titles + activity1,
            sinceVersion: 3,
            postgres: films + FilmTextIndex.postgresTitles + activity1
        ),
        Migration("activity.2", sql: activity2, sinceVersion: 4),
        Migration("activity.3", sql: activity3),
        Migration("activity.4", sql: activity4),
        Migration(
            "activity.5",
            sql: likes + filmTexts + indexes(year: "year DESC") + texts,
            postgres: likes + filmTexts + indexes(year: "year DESC NULLS LAST")
                + FilmTextIndex.postgresTexts
        ),
        Migration("activity.6", sql: removals, phase: .expand),
    ]

    /// The film app: films, people, and the acts of people.
    ///
    /// Derived values avoid counting rows whenever a page is read: `film.rating_count`,
    /// `rating_sum` (in half stars) and `watcher_count`, the counters of `person`,
    /// `rating.like_count`, and `activity_tally`, the number of a person's activities of a type.
    /// Each is changed in the statement's own transaction. Ids are never reused, because
    /// subscribers and tokens hold them.
    ///
    /// `film_key` has the keys of films in the catalogues. `film.genres` has the names as the
    /// catalogue spells them, with `|` between them; `genre.folded` and `film_text.title` are
    /// searched, see `SearchFolding`. `film_word` has every word of the titles, by its length, in
    /// which a mistyped one is looked for. All words of a title are letters and digits with spaces
    /// between them, and the tokenizer `ascii` leaves them so.
    ///
    /// A friendship has a row for each of the two. `rating` is also a review if `is_review` is set.
    /// Numbers represent named values: `ActivityColumns.swift`.
    ///
    /// A deleted person has no row in `person` from then on, which hides all their data from every
    /// page; `deleted_person` has the number until the rest of the rows are gone. For this there
    /// are no foreign keys: the rows of a person with many friends go in many transactions.
    ///
    /// Lengths are bounds against mistakes; the limits for users are lower.
    private static let films = """
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

        """

    private static let titles = """
        CREATE VIRTUAL TABLE film_text USING fts5 (title, tokenize = 'ascii', prefix = '2 3');

        """

    private static let activity1 = """
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
        """

    /// Logins that were ended before their time, as long as access tokens may be about that came of them.
    private static let activity2 = """
        CREATE TABLE ended_login (
            family TEXT PRIMARY KEY NOT NULL CHECK (length(family) BETWEEN 1 AND 100),
            ended_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ended_login_by_time ON ended_login (ended_at);
        """

    /// Refresh tokens and logins that have ended go to the hub's accounts, where users are texts.
    static let activity3 = """
        INSERT INTO account_refresh_token (hash, user_id, family, expires_at, used_at)
            SELECT hash, CAST(person_id AS TEXT), family, expires_at, used_at FROM refresh_token;
        INSERT INTO account_ended_login (family, ended_at)
            SELECT family, ended_at FROM ended_login;
        DROP TABLE refresh_token;
        DROP TABLE ended_login;
        """

    /// Films that a person does not want to have recommended, and who may be suggested to others by
    /// their tastes.
    private static let activity4 = """
        CREATE TABLE not_interested (
            person_id INTEGER NOT NULL,
            film_id INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (person_id, film_id)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE person ADD COLUMN suggest_by_taste INTEGER NOT NULL DEFAULT 0
            CHECK (suggest_by_taste IN (0, 1));
        CREATE INDEX person_suggested_by_taste ON person (id) WHERE suggest_by_taste = 1;
        """

    /// `film_prose` has all searched texts of a film, `film_text` only the titles, whose films come
    /// first; `film_word` has the words of titles and of people's names. The overviews of films
    /// that a file has already are written when the domain starts (`RunningActivity`), because SQL
    /// cannot fold them. `film.directors` and `actors` are lists, as `genres` is.
    ///
    /// The likes of a person's reviews are numbered: `person.like_number` counts all likes ever, so
    /// a number is not reused, even if the last like was taken back.
    private static let likes = """
        ALTER TABLE person ADD COLUMN like_number INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE review_like ADD COLUMN author_id INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE review_like ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        UPDATE review_like SET author_id = known.author_id, number = known.number
            FROM (SELECT review_like.rating_id, review_like.person_id,
                    rating.person_id AS author_id,
                    row_number() OVER (PARTITION BY rating.person_id
                        ORDER BY review_like.at, rating_id, review_like.person_id) AS number
                FROM review_like CROSS JOIN rating ON rating.id = review_like.rating_id) AS known
            WHERE review_like.rating_id = known.rating_id
                AND review_like.person_id = known.person_id;
        CREATE INDEX review_like_by_author ON review_like (author_id, number);
        UPDATE person SET like_number = coalesce(
            (SELECT max(number) FROM review_like WHERE author_id = person.id), 0);

        """

    /// `person.removal_count` counts the friendships that have ended: with each, entries leave the
    /// person's feed.
    private static let removals =
        "ALTER TABLE person ADD COLUMN removal_count INTEGER NOT NULL DEFAULT 0"

    private static let filmTexts = """
        ALTER TABLE film ADD COLUMN directors TEXT NOT NULL DEFAULT ''
            CHECK (length(directors) <= 4000);
        ALTER TABLE film ADD COLUMN actors TEXT NOT NULL DEFAULT ''
            CHECK (length(actors) <= 4000);
        ALTER TABLE film ADD COLUMN sort_title TEXT NOT NULL DEFAULT ''
            CHECK (length(sort_title) <= 4000);
        UPDATE film SET sort_title = coalesce(
            (SELECT title FROM film_text WHERE film_text.\(ActivitySQL.film) = film.id), '');

        """

    private static func indexes(year: String) -> String {
        """
        CREATE INDEX film_by_popularity ON film (rating_count DESC, id);
        CREATE INDEX film_by_score ON film (
            (CASE WHEN rating_count = 0 THEN 0.0
                ELSE (rating_sum + 70.0) / (rating_count + 10.0) END) DESC, id);
        CREATE INDEX film_by_year ON film (\(year), rating_count DESC, id);
        CREATE INDEX film_by_title ON film (sort_title, id);
        CREATE INDEX film_genre_by_genre ON film_genre (genre_id, film_id);

        """
    }

    private static let texts = """
        CREATE VIRTUAL TABLE film_prose USING fts5 (
            title, people, overview, tokenize = 'ascii', prefix = '2 3');
        INSERT INTO film_prose (rowid, title, people, overview)
            SELECT rowid, title, '', '' FROM film_text;
        """
}
