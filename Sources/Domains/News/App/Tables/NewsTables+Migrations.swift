import Store

extension NewsTables {
    /// A released step is never edited: a change is a new step.
    package static let migrations = [Migration("news.1", sql: news1)]

    /// Articles.
    ///
    /// `news_text` indexes the words of `news_article` and has no copy of them; the triggers keep both equal.
    /// `category` is the place of the name in `NewsCategory.allCases`. `tickers` has the symbols with spaces
    /// between them; `news_article_ticker` is their index. `content_hash` changes with a title or a text.
    ///
    /// Lengths are bounds against mistakes; what sources are allowed is less.
    private static let news1 = """
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

        CREATE TABLE news_article_ticker (
            ticker TEXT NOT NULL CHECK (length(ticker) BETWEEN 1 AND 5),
            published_at INTEGER NOT NULL,
            article_id INTEGER NOT NULL,
            PRIMARY KEY (ticker, published_at, article_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX news_article_ticker_by_article ON news_article_ticker (article_id);

        CREATE VIRTUAL TABLE news_text USING fts5 (
            title, summary, content = 'news_article', content_rowid = 'id',
            tokenize = "unicode61 remove_diacritics 2"
        );
        CREATE TRIGGER news_article_inserted AFTER INSERT ON news_article BEGIN
            INSERT INTO news_text (rowid, title, summary) VALUES (new.id, new.title, new.summary);
        END;
        CREATE TRIGGER news_article_changed AFTER UPDATE OF title, summary ON news_article BEGIN
            INSERT INTO news_text (news_text, rowid, title, summary)
                VALUES ('delete', old.id, old.title, old.summary);
            INSERT INTO news_text (rowid, title, summary) VALUES (new.id, new.title, new.summary);
        END;
        CREATE TRIGGER news_article_deleted AFTER DELETE ON news_article BEGIN
            INSERT INTO news_text (news_text, rowid, title, summary)
                VALUES ('delete', old.id, old.title, old.summary);
            DELETE FROM news_article_ticker WHERE article_id = old.id;
        END;
        """
}
