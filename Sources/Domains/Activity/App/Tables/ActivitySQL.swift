import Activity

/// The statements on the film app's tables; here those on films. Like those of `SQL`, each is
/// prepared once per connection.
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
            (id, title, year, genres, poster_url, overview, release_date, tmdb_id, runtime,
                directors, actors, sort_title)
        VALUES (coalesce(?, (SELECT coalesce(max(id), 0) + 1 FROM film)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """
    static let updateFilm = """
        UPDATE film SET
            title = ?2, year = ?3, genres = ?4, poster_url = ?5, overview = ?6, release_date = ?7,
            tmdb_id = ?8, runtime = ?9, directors = ?10, actors = ?11, sort_title = ?12
        WHERE id = ?1
        """
    static let addToFilmRatings = """
        UPDATE film SET rating_count = rating_count + ?2, rating_sum = rating_sum + ?3 WHERE id = ?1
        """
    static let addFilmWatcher = "UPDATE film SET watcher_count = watcher_count + ?2 WHERE id = ?1"

    // MARK: Genres

    static let selectGenre = "SELECT id FROM genre WHERE folded = ?"
    static let selectGenreCount = "SELECT film_count FROM genre WHERE id = ?"
    static let selectGenres =
        "SELECT name, film_count FROM genre WHERE film_count > 0 ORDER BY folded"
    static let insertGenre = "INSERT INTO genre (folded, name) VALUES (?, ?) RETURNING id"
    static let addToGenre = "UPDATE genre SET film_count = film_count + ?2 WHERE id = ?1"
    static let selectGenresOfFilm = "SELECT genre_id FROM film_genre WHERE film_id = ?"
    static let insertFilmGenre = "INSERT INTO film_genre (film_id, genre_id) VALUES (?, ?)"
    static let deleteFilmGenres = "DELETE FROM film_genre WHERE film_id = ?"
}
