import DomainKit

/// The full-text search of films: FTS5 in SQLite, `tsvector` in PostgreSQL.
///
/// `film_text` has the titles, `film_prose` titles, people and overviews. Words have only letters
/// and digits, so quotation marks are all the escaping that is needed.
struct FilmTextIndex {
    /// The queries of the two tables.
    struct Query {
        /// Of `film_text`.
        let titles: String
        /// Of `film_prose`.
        let texts: String
    }

    let dialect: SQLDialect

    init(_ dialect: SQLDialect) {
        self.dialect = dialect
    }

    /// Shorter words do not count in overviews, which have too many of them.
    private static let overviewWordLengthMin = 4
    /// `film_words` cuts words off there, because PostgreSQL refuses those of more than 2 KB.
    private static let wordLengthMax = 500

    /// Each word or one of its alternatives, which may be of several words.
    func query(_ words: [String], _ alternatives: [[String]]) -> Query {
        query(zip(words, alternatives).map { [$0] + $1 })
    }

    /// - Parameter choices: for each place of the search the words that it may stand for, the typed
    ///   one first. The last one typed is perhaps not yet typed to its end.
    private func query(_ choices: [[String]]) -> Query {
        let last = choices.count - 1
        func all(_ terms: (String, _ isBeginning: Bool) -> [String]) -> String {
            choices.enumerated().map { index, words in
                let terms = words.enumerated().flatMap { terms($1, index == last && $0 == 0) }
                return "(" + terms.joined(separator: or) + ")"
            }.joined(separator: and)
        }
        return Query(titles: all { [title($0, isBeginning: $1)] }, texts: all(texts))
    }

    private var and: String { dialect == .sqlite ? " AND " : " & " }
    private var or: String { dialect == .sqlite ? " OR " : " | " }

    private func title(_ word: String, isBeginning: Bool) -> String {
        switch dialect {
        case .sqlite: quoted(word) + (isBeginning ? " *" : "")
        case .postgres: lexemes(word, isBeginning ? "*" : "")
        }
    }

    private func texts(_ word: String, isBeginning: Bool) -> [String] {
        let names =
            switch dialect {
            case .sqlite: "({title people} : \(quoted(word))" + (isBeginning ? " *)" : ")")
            case .postgres: lexemes(word, (isBeginning ? "*" : "") + "AB")
            }
        guard word.unicodeScalars.count >= FilmTextIndex.overviewWordLengthMin else {
            return [names]
        }
        let anywhere = title(word, isBeginning: false)
        return isBeginning ? [names, anywhere] : [anywhere]
    }

    private func parts(_ term: String) -> [String] {
        term.split(separator: " ").flatMap { UnspacedScripts.parts(ofWord: $0) }
    }

    /// A phrase, if the term has several parts.
    private func quoted(_ term: String) -> String {
        "\"" + parts(term).joined(separator: " ") + "\""
    }

    /// The lexemes of a term, one after the other, with flags.
    private func lexemes(_ term: String, _ flags: String) -> String {
        let parts = parts(term)
        let lexemes = parts.enumerated().map { index, part in
            let text = part.unicodeScalars.prefix(FilmTextIndex.wordLengthMax).map(Character.init)
            // Only the last part may be the beginning of a word.
            let flags = index < parts.count - 1 ? flags.replacing("*", with: "") : flags
            return "'" + String(text) + "'" + (flags.isEmpty ? "" : ":" + flags)
        }
        return lexemes.count == 1
            ? lexemes[0] : "(" + lexemes.joined(separator: " <-> ") + ")"
    }

    // MARK: SQL

    /// - Parameter parameter: the number of the query's parameter.
    func match(_ table: String, _ parameter: Int) -> String {
        switch dialect {
        case .sqlite: "\(table) MATCH ?\(parameter)"
        case .postgres: "words @@ CAST(?\(parameter) AS TSQUERY)"
        }
    }

    /// In tenths, the most relevant first. `?1` is the query.
    var titleRelevance: String {
        switch dialect {
        case .sqlite: "round(bm25(film_text), 1)"
        case .postgres: relevance(1)
        }
    }

    /// The same of all texts, with the query `?2`.
    var textRelevance: String {
        switch dialect {
        case .sqlite: "round(bm25(film_prose, 1.0, 0.6, 0.2), 1)"
        case .postgres: relevance(2)
        }
    }

    /// The weights are those of overviews, people and titles; 1 divides by the length's logarithm,
    /// so that a match in a short text counts more.
    private func relevance(_ parameter: Int) -> String {
        """
        -round(CAST(10 * ts_rank('{0, 0.2, 0.6, 1}', words, CAST(?\(parameter) AS TSQUERY), 1)
            AS NUMERIC), 1)
        """
    }

    // MARK: Tables

    /// The tables of PostgreSQL. `"rowid"` is the film, as FTS5 calls it.
    static let postgresTitles = """
        CREATE FUNCTION film_words (texts VARCHAR, weight VARCHAR) RETURNS TSVECTOR
        LANGUAGE sql IMMUTABLE AS $$
            SELECT CAST(coalesce(string_agg(
                '''' || left(word, \(wordLengthMax)) || ''':' || least(place, 16383) || weight, ' '
                ), '') AS TSVECTOR)
            FROM unnest(string_to_array(texts, ' ')) WITH ORDINALITY AS part (word, place)
            WHERE word <> ''
        $$;
        CREATE TABLE film_text (
            "rowid" BIGINT PRIMARY KEY,
            title TEXT NOT NULL,
            words TSVECTOR NOT NULL GENERATED ALWAYS AS (film_words(title, 'A')) STORED
        );
        CREATE INDEX film_text_by_word ON film_text USING gin (words);
        """
    static let postgresTexts = """
        CREATE TABLE film_prose (
            "rowid" BIGINT PRIMARY KEY,
            title TEXT NOT NULL,
            people TEXT NOT NULL,
            overview TEXT NOT NULL,
            words TSVECTOR NOT NULL GENERATED ALWAYS AS (film_words(title, 'A')
                || film_words(people, 'B') || film_words(overview, 'C')) STORED
        );
        CREATE INDEX film_prose_by_word ON film_prose USING gin (words);
        """
}
