import Activity

/// The statements on the searched texts: titles, people and overviews, and the orders of lists of
/// films.
extension ActivitySQL {
    /// The film of a searched text. FTS5 calls it so; PostgreSQL's tables have a column of that
    /// name, and the quotation marks keep `PostgresDialect` from translating it.
    static let film = "\"rowid\""
    static let selectTexts = "SELECT title, people, overview FROM film_prose WHERE \(film) = ?"
    static let insertTitle = "INSERT INTO film_text (\(film), title) VALUES (?, ?)"
    static let deleteTitle = "DELETE FROM film_text WHERE \(film) = ?"
    static let insertTexts =
        "INSERT INTO film_prose (\(film), title, people, overview) VALUES (?, ?, ?, ?)"
    static let deleteTexts = "DELETE FROM film_prose WHERE \(film) = ?"
    static let addWord = """
        INSERT INTO film_word (length, word, film_count) VALUES (?, ?, 1)
        ON CONFLICT (length, word) DO UPDATE SET film_count = film_word.film_count + 1
        """
    static let subtractWord =
        "UPDATE film_word SET film_count = film_count - 1 WHERE length = ? AND word = ?"
    static let forgetWord =
        "DELETE FROM film_word WHERE length = ? AND word = ? AND film_count = 0"
    /// Not by an index of its own: words of nearly the same length are a third of them, and few searches
    /// need it.
    static let selectWords = """
        SELECT word, film_count FROM film_word WHERE length BETWEEN ? AND ?
        ORDER BY length, word LIMIT ?
        """
    static let selectWord =
        "SELECT film_count FROM film_word WHERE length = ? AND word = ? AND film_count > 0"

    // MARK: Searching

    /// Films whose titles have all words, the most relevant first: by relevance in tenths, so that the title's
    /// beginning and how many people rated the film decide between equals. Then films that have them elsewhere.
    ///
    /// `?1` is the match of titles, `?2` that of all texts, `?3` the beginning, `?4` and `?5` the
    /// page; the parameters of the filter follow.
    static func searchFilms(
        _ filter: FilmFilterSQL,
        _ sort: FilmSort?,
        _ index: FilmTextIndex
    ) -> String {
        """
        SELECT film.id FROM (
            SELECT \(film) AS id, 0 AS tier, \(index.titleRelevance) AS relevance,
                substr(title, 1, length(?3)) <> ?3 AS is_inside
            FROM film_text WHERE \(index.match("film_text", 1))
            UNION ALL
            SELECT \(film), 1, \(index.textRelevance), true
            FROM film_prose WHERE \(index.match("film_prose", 2))
                AND \(film) NOT IN
                    (SELECT \(film) FROM film_text WHERE \(index.match("film_text", 1)))
            ) AS found
        CROSS JOIN film ON film.id = found.id\(filter.conditions(from: 6))
        ORDER BY \(sort?.order ?? "tier, relevance, is_inside, film.rating_count DESC, film.id")
        LIMIT ?4 OFFSET ?5
        """
    }

    /// Every film has its title among all texts, so these find the films of `searchFilms`. `?1` is
    /// their match.
    static func countFound(_ filter: FilmFilterSQL, _ index: FilmTextIndex) -> String {
        """
        SELECT count(*) FROM film_prose CROSS JOIN film ON film.id = film_prose.\(film)
        WHERE \(index.match("film_prose", 1))\(filter.conditions(from: 2))
        """
    }

    // MARK: Browsing

    /// Films in an order, `?1` and `?2` are the page.
    static func browseFilms(_ filter: FilmFilterSQL, _ sort: FilmSort) -> String {
        """
        SELECT film.id \(filter.source(sort, from: 3))
        ORDER BY \(sort.order) LIMIT ?1 OFFSET ?2
        """
    }

    static func countFilms(_ filter: FilmFilterSQL) -> String {
        "SELECT count(*) \(filter.source(nil, from: 1))"
    }
}

extension FilmSort {
    /// With the id, so that films that are equal have one order, and pages follow each other.
    fileprivate var order: String {
        switch self {
        case .popularity: "film.rating_count DESC, film.id"
        case .rating: "\(FilmSort.score) DESC, film.id"
        case .year: "film.year DESC NULLS LAST, film.rating_count DESC, film.id"
        case .title: "film.sort_title, film.id"
        }
    }

    fileprivate var index: String {
        switch self {
        case .popularity: "film_by_popularity"
        case .rating: "film_by_score"
        case .year: "film_by_year"
        case .title: "film_by_title"
        }
    }

    /// The mean of a film's ratings in half stars, and of ten ratings of 3.5 stars more: a film that one person loves is
    /// not the best one. 0 without ratings. An index has it, so it must not change.
    static let score = """
        CASE WHEN film.rating_count = 0 THEN 0.0 \
        ELSE (film.rating_sum + 70.0) / (film.rating_count + 10.0) END
        """
}

/// The filter of a list of films, as SQL: films with all of the genres and in a range of years. The
/// parameters are the ids of the genres, the one with the fewest films first, then the first and
/// the last year.
struct FilmFilterSQL: Equatable {
    /// The index by which the films are read without a search.
    enum Source {
        /// The index of the order.
        case order
        /// The first genre, which few films have.
        case genre
        case years
    }

    var genreCount: Int
    var hasYears: Bool
    var source: Source

    /// - Parameter first: the number of the first parameter.
    func conditions(from first: Int) -> String { conditions(from: first, skippingGenres: 0) }

    private func conditions(from first: Int, skippingGenres skipped: Int) -> String {
        let genres = (0..<genreCount).dropFirst(skipped).map { index in
            """
             AND EXISTS (SELECT 1 FROM film_genre
                WHERE film_genre.film_id = film.id AND film_genre.genre_id = ?\(first + index))
            """
        }
        let years =
            hasYears
            ? " AND film.year BETWEEN ?\(first + genreCount) AND ?\(first + genreCount + 1)" : ""
        return genres.joined() + years
    }

    /// - Parameter sort: nil where the order does not matter.
    func source(_ sort: FilmSort?, from first: Int) -> String {
        switch source {
        case .order:
            let index = sort.map { " INDEXED BY \($0.index)" } ?? ""
            return "FROM film\(index) WHERE true\(conditions(from: first))"
        case .genre:
            return """
                FROM film_genre AS listed CROSS JOIN film ON film.id = listed.film_id
                WHERE listed.genre_id = ?\(first)\(conditions(from: first, skippingGenres: 1))
                """
        case .years:
            return "FROM film INDEXED BY film_by_year WHERE true\(conditions(from: first))"
        }
    }
}
