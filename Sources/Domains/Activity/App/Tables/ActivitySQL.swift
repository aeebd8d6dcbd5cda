import Activity

/// The statements on the film app's tables; here those on films. Like those of `SQL`, each is prepared once
/// per connection.
enum ActivitySQL {
    static let selectFilm = "SELECT \(Film.columns) FROM film WHERE id = ?"
    static let selectFilmOfTMDB = "SELECT \(Film.columns) FROM film WHERE tmdb_id = ?"
    static let selectFilmOfKey = "SELECT film_id FROM film_key WHERE key = ?"
    static let putFilmKey = """
        INSERT INTO film_key (key, film_id) VALUES (?, ?)
        ON CONFLICT (key) DO UPDATE SET film_id = excluded.film_id
        """
    static let selectFilmView =
        "SELECT \(FilmView.columns) FROM film \(FilmView.joins) WHERE film.id = ?2"
    static let selectFilmPage = """
        SELECT \(Film.columns), \(RatingSummary.columns) FROM film WHERE id > ? ORDER BY id LIMIT ?
        """
    static let selectFilmSummary = "SELECT \(RatingSummary.columns) FROM film WHERE id = ?"
    /// A row when there are both.
    static let selectActorAndFilm =
        "SELECT 1 FROM person CROSS JOIN film WHERE person.id = ? AND film.id = ?"
    static let countFilms = "SELECT count(*) FROM film"
    static let insertFilm = """
        INSERT INTO film
            (id, title, year, genres, poster_url, overview, release_date, tmdb_id, runtime)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let updateFilm = """
        UPDATE film SET
            title = ?2, year = ?3, genres = ?4, poster_url = ?5, overview = ?6, release_date = ?7,
            tmdb_id = ?8, runtime = ?9
        WHERE id = ?1
        """
    static let addToFilmRatings = """
        UPDATE film SET rating_count = rating_count + ?2, rating_sum = rating_sum + ?3 WHERE id = ?1
        """
    static let addFilmWatcher = "UPDATE film SET watcher_count = watcher_count + ?2 WHERE id = ?1"

    // MARK: Titles

    static let insertTitle = "INSERT INTO film_text (rowid, title) VALUES (?, ?)"
    static let selectTitle = "SELECT title FROM film_text WHERE rowid = ?"
    static let deleteTitle = "DELETE FROM film_text WHERE rowid = ?"
    static let addWord = """
        INSERT INTO film_word (length, word, film_count) VALUES (?, ?, 1)
        ON CONFLICT (length, word) DO UPDATE SET film_count = film_count + 1
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

    /// Best first: by relevance in tenths, so that the title's beginning and how many people rated the
    /// film decide between equals. `?1` is the match, `?2` the beginning; the genres come last.
    static func searchFilms(genreCount: Int) -> String {
        """
        SELECT film.id FROM film_text CROSS JOIN film ON film.id = film_text.rowid
        WHERE film_text MATCH ?1\(ofGenres(genreCount, from: 5))
        ORDER BY round(bm25(film_text), 1), substr(film_text.title, 1, length(?2)) <> ?2,
            film.rating_count DESC, film.id
        LIMIT ?3 OFFSET ?4
        """
    }

    static func countFound(genreCount: Int) -> String {
        """
        SELECT count(*) FROM film_text
        WHERE film_text MATCH ?1\(ofGenres(genreCount, from: 2))
        """
    }

    /// Only films that have all of so many genres, which are parameters from a number on.
    private static func ofGenres(_ count: Int, from first: Int) -> String {
        (0..<count).map { index in
            """
             AND EXISTS (SELECT 1 FROM film_genre
                WHERE film_id = film_text.rowid AND genre_id = ?\(first + index))
            """
        }.joined()
    }

    // MARK: Genres

    static let selectGenre = "SELECT id FROM genre WHERE folded = ?"
    static let selectGenres =
        "SELECT name, film_count FROM genre WHERE film_count > 0 ORDER BY folded"
    static let insertGenre = "INSERT INTO genre (folded, name) VALUES (?, ?)"
    static let addToGenre = "UPDATE genre SET film_count = film_count + ?2 WHERE id = ?1"
    static let selectGenresOfFilm = "SELECT genre_id FROM film_genre WHERE film_id = ?"
    static let insertFilmGenre = "INSERT INTO film_genre (film_id, genre_id) VALUES (?, ?)"
    static let deleteFilmGenres = "DELETE FROM film_genre WHERE film_id = ?"
}
