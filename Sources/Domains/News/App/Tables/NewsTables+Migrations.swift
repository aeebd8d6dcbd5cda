import DomainKit

extension NewsTables {
    /// Never edit a released step. Add a new step for each change.
    package static let migrations = [
        Migration(
            "news.1",
            sql: news1(index: ArticleIndex.sqlite, deletion: ArticleIndex.sqliteDeletion),
            postgres: news1(index: ArticleIndex.postgres, deletion: "")
        ),
        Migration("news.2", sql: texts),
        Migration("news.3", sql: userSpending),
        Migration("news.4", sql: links, phase: .expand),
        Migration("news.5", sql: storyTickers, phase: .expand),
        Migration("news.6", sql: longerUsersSQLite, postgres: longerUsersPostgres, phase: .expand),
        Migration("news.7", sql: earlyTexts, phase: .expand),
        Migration(
            "news.8",
            sql: ArticleIndex.spacedSQLite + articleTriggers("\n    " + ArticleIndex.deletion),
            postgres: ArticleIndex.spacedPostgres,
            phase: .expand
        ),
    ]

    /// - Parameter deletion: the statement that removes an article from the index.
    private static func news1(index: String, deletion: String) -> String {
        articles + index + articleTriggers(deletion) + stories + storyTriggers + users
            + userTriggers
    }

    /// Articles.
    ///
    /// `category` is the place of the name in `NewsCategory.allCases`. `tickers` has the symbols
    /// with spaces between them. `content_hash` changes with the title and the texts.
    ///
    /// The CHECKs of lengths guard against errors in the code; the limits for sources are lower.
    private static let articles = """
        CREATE TABLE news_article (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            url TEXT NOT NULL UNIQUE CHECK (length(url) BETWEEN 1 AND 4000),
            source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
            source_title TEXT NOT NULL CHECK (length(source_title) BETWEEN 1 AND 1000),
            owner TEXT NOT NULL CHECK (length(owner) BETWEEN 1 AND 100),
            weight REAL NOT NULL CHECK (weight >= 0),
            title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 2000),
            summary TEXT NOT NULL CHECK (length(summary) <= 20000),
            content TEXT NOT NULL CHECK (length(content) <= 200000),
            author TEXT CHECK (length(author) <= 1000),
            image_url TEXT CHECK (length(image_url) <= 4000),
            language TEXT CHECK (length(language) BETWEEN 2 AND 20),
            country TEXT CHECK (length(country) = 2),
            category INTEGER NOT NULL CHECK (category BETWEEN 0 AND 100),
            published_at INTEGER NOT NULL,
            is_date_guessed INTEGER NOT NULL CHECK (is_date_guessed IN (0, 1)),
            first_seen_at INTEGER NOT NULL,
            tickers TEXT NOT NULL CHECK (length(tickers) <= 1000),
            content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
            revision INTEGER NOT NULL CHECK (revision >= 1)
        ) STRICT;
        CREATE INDEX news_article_by_time ON news_article (published_at, id);
        CREATE INDEX news_article_by_category ON news_article (category, published_at, id);
        CREATE INDEX news_article_by_source ON news_article (source, published_at, id);
        CREATE INDEX news_article_by_arrival ON news_article (first_seen_at, id);


        """

    /// The link of an article as its source gave it; NULL for one that was stored without. `marker`
    /// and `page` tell articles with one page apart: `ArticleLink`. The last index finds the copies of an
    /// article.
    private static let links = """
        ALTER TABLE news_article ADD COLUMN link TEXT CHECK (length(link) <= 4000);
        ALTER TABLE news_article ADD COLUMN marker TEXT CHECK (length(marker) <= 200);
        ALTER TABLE news_article ADD COLUMN page TEXT CHECK (length(page) <= 4000);
        CREATE INDEX news_article_by_page ON news_article (page, source, marker)
            WHERE page IS NOT NULL;
        CREATE INDEX news_article_by_texts ON news_article (page, source, content_hash)
            WHERE page IS NOT NULL;
        CREATE INDEX news_signal_by_original ON news_signal (copy_of) WHERE copy_of IS NOT NULL;

        """

    /// The companies that each story names, for the lists of each. Earlier stories have their
    /// primary one.
    private static let storyTickers = """
        CREATE TABLE news_story_ticker (
            ticker TEXT NOT NULL CHECK (length(ticker) BETWEEN 1 AND 5),
            updated_at INTEGER NOT NULL,
            story_id INTEGER NOT NULL,
            PRIMARY KEY (ticker, updated_at, story_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX news_story_ticker_by_story ON news_story_ticker (story_id);
        INSERT INTO news_story_ticker (ticker, updated_at, story_id)
            SELECT primary_ticker, updated_at, id FROM news_story
            WHERE primary_ticker IS NOT NULL AND merged_into IS NULL;
        CREATE TRIGGER news_story_unnamed AFTER DELETE ON news_story BEGIN
            DELETE FROM news_story_ticker WHERE story_id = old.id;
        END;

        """

    /// Names of users as identity providers have them: up to 255 bytes, so up to 255 characters.
    ///
    /// SQLite changes no CHECK of a table, so it takes the rows of another one. The deletion of the
    /// former table runs no trigger.
    private static let longerUsersSQLite =
        """
        ALTER TABLE news_user RENAME TO news_former_user;
        DROP INDEX news_user_by_brief;
        DROP INDEX news_user_by_time;
        DROP TRIGGER news_user_deleted;
        CREATE TABLE news_user (
            user TEXT PRIMARY KEY CHECK (length(user) BETWEEN 1 AND 255),
            focus_profile INTEGER NOT NULL CHECK (focus_profile BETWEEN 0 AND 10),
            seen_at INTEGER NOT NULL,
            brief_day INTEGER
        ) STRICT;
        INSERT INTO news_user (user, focus_profile, seen_at, brief_day)
            SELECT user, focus_profile, seen_at, brief_day FROM news_former_user;
        DROP TABLE news_former_user;
        CREATE INDEX news_user_by_brief ON news_user (brief_day, user);
        CREATE INDEX news_user_by_time ON news_user (seen_at);

        """ + userTriggers
    private static let longerUsersPostgres = """
        ALTER TABLE news_user DROP CONSTRAINT news_user_user_check;
        ALTER TABLE news_user ADD CHECK (length(user) BETWEEN 1 AND 255);
        """

    /// Stories, and the signal of each article.
    ///
    /// `news_board` is the state of `StoryBoard`; a story stays in `news_story` after it has left
    /// the board. `published_…` is the story as last published. `news_signal` has the signal of an
    /// article as it was published; only its story may change. An article whose `copy_of` is not
    /// NULL is in no list of `/v1`. `news_signal_ticker` is the index of signals by ticker.
    private static let stories = """
        CREATE TABLE news_board (
            kind INTEGER NOT NULL,
            number INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (kind, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE news_story (
            id INTEGER PRIMARY KEY,
            title TEXT NOT NULL CHECK (length(title) <= 2000),
            article_id INTEGER NOT NULL,
            article_count INTEGER NOT NULL CHECK (article_count >= 0),
            copy_count INTEGER NOT NULL CHECK (copy_count >= 0),
            started_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            novelty REAL NOT NULL CHECK (novelty BETWEEN 0 AND 1),
            bits REAL NOT NULL,
            importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
            impact INTEGER NOT NULL CHECK (impact BETWEEN 0 AND 3),
            category INTEGER NOT NULL CHECK (category BETWEEN 0 AND 100),
            primary_ticker TEXT CHECK (length(primary_ticker) BETWEEN 1 AND 5),
            tickers TEXT NOT NULL CHECK (length(tickers) <= 1000),
            reasons TEXT NOT NULL CHECK (length(reasons) <= 2000),
            revision INTEGER NOT NULL CHECK (revision >= 1),
            published_at INTEGER,
            published_title TEXT,
            published_impact INTEGER,
            published_ticker TEXT,
            published_count INTEGER,
            merged_into INTEGER
        ) STRICT;
        CREATE INDEX news_story_by_time ON news_story (updated_at);
        CREATE INDEX news_story_by_ticker ON news_story (primary_ticker, updated_at)
            WHERE primary_ticker IS NOT NULL;
        CREATE INDEX news_story_alias ON news_story (merged_into) WHERE merged_into IS NOT NULL;

        CREATE TABLE news_story_change (
            story_id INTEGER NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 10),
            article_count INTEGER NOT NULL,
            title TEXT NOT NULL,
            other_id INTEGER,
            PRIMARY KEY (story_id, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE news_signal (
            article_id INTEGER PRIMARY KEY,
            story_id INTEGER NOT NULL,
            copy_of INTEGER,
            rank_key REAL NOT NULL,
            importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
            is_ignored INTEGER NOT NULL CHECK (is_ignored IN (0, 1)),
            reasons TEXT NOT NULL CHECK (length(reasons) <= 2000),
            action TEXT NOT NULL CHECK (length(action) <= 1000),
            horizon INTEGER CHECK (horizon BETWEEN 0 AND 2),
            opportunity INTEGER NOT NULL CHECK (opportunity BETWEEN 0 AND 2),
            opportunity_note TEXT NOT NULL CHECK (length(opportunity_note) <= 1000),
            relevance INTEGER NOT NULL CHECK (relevance BETWEEN 0 AND 100),
            confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 100),
            is_global INTEGER NOT NULL CHECK (is_global IN (0, 1))
        ) STRICT;
        CREATE INDEX news_signal_by_rank ON news_signal (rank_key, article_id)
            WHERE copy_of IS NULL;
        CREATE INDEX news_signal_by_story ON news_signal (story_id, rank_key, article_id);

        CREATE TABLE news_signal_ticker (
            ticker TEXT NOT NULL CHECK (length(ticker) BETWEEN 1 AND 5),
            rank_key REAL NOT NULL,
            article_id INTEGER NOT NULL,
            PRIMARY KEY (ticker, rank_key, article_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX news_signal_ticker_by_article ON news_signal_ticker (article_id);

        """

    /// Preferences and feedback of users of `/v1`, and their briefs as JSON text that is sent
    /// unchanged.
    private static let users = """
        CREATE TABLE news_user (
            user TEXT PRIMARY KEY CHECK (length(user) BETWEEN 1 AND 64),
            focus_profile INTEGER NOT NULL CHECK (focus_profile BETWEEN 0 AND 10),
            seen_at INTEGER NOT NULL,
            brief_day INTEGER
        ) STRICT;
        CREATE INDEX news_user_by_brief ON news_user (brief_day, user);
        CREATE INDEX news_user_by_time ON news_user (seen_at);

        CREATE TABLE news_holding (
            user TEXT NOT NULL,
            place INTEGER NOT NULL,
            ticker TEXT NOT NULL CHECK (length(ticker) BETWEEN 1 AND 5),
            label TEXT CHECK (length(label) <= 200),
            notes TEXT CHECK (length(notes) <= 1000),
            PRIMARY KEY (user, place)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX news_holding_by_ticker ON news_holding (ticker, user);

        CREATE TABLE news_brief (
            user TEXT PRIMARY KEY,
            generated_at INTEGER NOT NULL,
            body TEXT NOT NULL CHECK (length(body) <= 200000)
        ) STRICT;

        CREATE TABLE news_feedback (
            user TEXT NOT NULL,
            article_id INTEGER NOT NULL,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 10),
            note TEXT CHECK (length(note) <= 1000),
            at INTEGER NOT NULL,
            PRIMARY KEY (user, article_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX news_feedback_by_article ON news_feedback (article_id);
        """

    // MARK: Triggers

    private static func articleTriggers(_ deletion: String) -> String {
        """
        CREATE TRIGGER news_article_deleted AFTER DELETE ON news_article BEGIN\(deletion)
            DELETE FROM news_signal WHERE article_id = old.id;
            DELETE FROM news_feedback WHERE article_id = old.id;
        END;

        """
    }
    private static let storyTriggers = """
        CREATE TRIGGER news_story_deleted AFTER DELETE ON news_story BEGIN
            DELETE FROM news_story_change WHERE story_id = old.id;
        END;
        CREATE TRIGGER news_signal_deleted AFTER DELETE ON news_signal BEGIN
            DELETE FROM news_signal_ticker WHERE article_id = old.article_id;
        END;

        """
    private static let userTriggers = """
        CREATE TRIGGER news_user_deleted AFTER DELETE ON news_user BEGIN
            DELETE FROM news_holding WHERE user = old.user;
            DELETE FROM news_brief WHERE user = old.user;
            DELETE FROM news_feedback WHERE user = old.user;
        END;

        """
}
