import DomainKit

/// The full-text search of articles: FTS5 in SQLite, `tsvector` in PostgreSQL.
///
/// Both index titles and summaries without a copy of them, split words at everything that is
/// neither a letter nor a digit, and ignore case and accents. In scripts without spaces each
/// character is a word: `UnspacedScripts`.
enum ArticleIndex {
    /// The index has no copy of the texts; the triggers keep it consistent with `news_article`.
    static let sqlite = """
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

        """

    /// A statement of the trigger that runs when an article is deleted.
    static let sqliteDeletion = """

            INSERT INTO news_text (news_text, rowid, title, summary)
                VALUES ('delete', old.id, old.title, old.summary);
        """

    /// The words of a text in SQL. No function of its own: a dump is restored with an empty search
    /// path, in which the column of words would not find it.
    private static func words(_ text: String) -> String {
        """
        regexp_split_to_array(lower(regexp_replace(
            normalize(\(text), NFKD), '[\\u0300-\\u036f]', '', 'g') COLLATE "und-x-icu"),
            '[^[:alnum:]]+')
        """
    }

    /// The same of a text in which each character of a script without spaces is a word.
    private static func spacedWords(_ text: String) -> String {
        words("regexp_replace(\(text), '([\(UnspacedScripts.characterClass)])', ' \\1 ', 'g')")
    }

    /// Folding does not depend on the database's locale: it uses ICU's, which every usual build of
    /// PostgreSQL has. Words are cut off after 500 characters, because PostgreSQL refuses those of
    /// more than 2 KB.
    ///
    /// `news_words`: a text's first place is 2, so that no phrase goes on from a title to a summary.
    /// `news_query`: articles with all phrases of the first text and none of the second; a text has
    /// a phrase in each line.
    static let postgres = """
        \(functions("CREATE FUNCTION", words: words))
        CREATE FUNCTION news_query (required VARCHAR, excluded VARCHAR) RETURNS TSQUERY
        LANGUAGE sql IMMUTABLE AS $$
            SELECT CAST(coalesce('(' || news_phrases(required, ' & ') || ')'
                || coalesce(' & !(' || news_phrases(excluded, ' | ') || ')', ''), '') AS TSQUERY)
        $$;
        ALTER TABLE news_article ADD COLUMN words TSVECTOR
            GENERATED ALWAYS AS (news_words(title, 'A') || news_words(summary, 'B')) STORED;
        CREATE INDEX news_article_by_word ON news_article USING gin (words);

        """

    private static func functions(_ create: String, words: (String) -> String) -> String {
        """
        \(create) news_words (texts VARCHAR, weight VARCHAR) RETURNS TSVECTOR
        LANGUAGE sql IMMUTABLE AS $$
            SELECT CAST(coalesce(string_agg(
                '''' || left(word, 500) || ''':' || least(place + 1, 16383) || weight, ' '), '') AS TSVECTOR)
            FROM unnest(\(words("texts"))) WITH ORDINALITY AS part (word, place)
            WHERE word <> ''
        $$;
        \(create) news_phrases (texts VARCHAR, joint VARCHAR) RETURNS VARCHAR
        LANGUAGE sql IMMUTABLE AS $$
            SELECT string_agg('(' || phrase || ')', joint) FROM (
                SELECT (SELECT string_agg('''' || left(word, 500) || '''', ' <-> ' ORDER BY place)
                    FROM unnest(\(words("line"))) WITH ORDINALITY AS part (word, place)
                    WHERE word <> '') AS phrase
                FROM unnest(string_to_array(texts, chr(10))) AS line) AS lines
        $$;
        """
    }

    // MARK: Scripts without spaces

    /// The texts with spaces between the characters of such scripts, if they have some. A store in
    /// PostgreSQL has them for its copies in files.
    private static let spacedTexts = """
        ALTER TABLE news_article ADD COLUMN spaced_title TEXT CHECK (length(spaced_title) <= 4000);
        ALTER TABLE news_article ADD COLUMN spaced_summary TEXT
            CHECK (length(spaced_summary) <= 40000);

        """

    static let spacedSQLite =
        spacedTexts + """
            DROP TRIGGER news_article_inserted;
            DROP TRIGGER news_article_changed;
            DROP TRIGGER news_article_deleted;
            CREATE TRIGGER news_article_inserted AFTER INSERT ON news_article BEGIN
                \(insertion)
            END;
            CREATE TRIGGER news_article_changed
            AFTER UPDATE OF title, summary, spaced_title, spaced_summary ON news_article BEGIN
                \(deletion)
                \(insertion)
            END;

            """

    static let spacedPostgres =
        spacedTexts + functions("CREATE OR REPLACE FUNCTION", words: spacedWords)

    private static let insertion = """
        INSERT INTO news_text (rowid, title, summary) VALUES (new.id,
            coalesce(new.spaced_title, new.title), coalesce(new.spaced_summary, new.summary));
        """

    /// A statement of the trigger that runs when an article is deleted or changed.
    static let deletion = """
        INSERT INTO news_text (news_text, rowid, title, summary) VALUES ('delete', old.id,
            coalesce(old.spaced_title, old.title), coalesce(old.spaced_summary, old.summary));
        """
}
