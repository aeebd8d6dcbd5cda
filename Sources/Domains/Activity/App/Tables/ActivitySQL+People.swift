import Activity

/// The statements on people, their logins and their relations to each other.
extension ActivitySQL {
    static let selectPerson = "SELECT \(Person.columns) FROM person WHERE id = ?"
    static let selectPersonOfProvider = """
        SELECT \(Person.columns) FROM person WHERE provider = ? AND provider_subject = ?
        """
    static let selectIsOfProvider = "SELECT 1 FROM person WHERE provider = ? LIMIT 1"
    static let selectCard = "SELECT id, name, avatar_url FROM person WHERE id = ?"
    static let insertPerson = """
        INSERT INTO person
            (provider, provider_subject, name, avatar_url, email, bio, created_at, last_active_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """
    static let updatePerson =
        "UPDATE person SET name = ?2, avatar_url = ?3, email = ?4, bio = ?5 WHERE id = ?1"
    static let touchPerson =
        "UPDATE person SET last_active_at = ?2 WHERE id = ?1 AND coalesce(last_active_at, 0) < ?3"
    static let deletePerson = "DELETE FROM person WHERE id = ?"
    static let countPeople = "SELECT count(*) FROM person"
    static let addToPersonRatings = """
        UPDATE person SET
            rating_count = rating_count + ?2, rating_sum = rating_sum + ?3,
            favorite_count = favorite_count + ?4
        WHERE id = ?1
        """
    static let addFriend = "UPDATE person SET friend_count = friend_count + ?2 WHERE id = ?1"
    static let addWatched = "UPDATE person SET watched_count = watched_count + ?2 WHERE id = ?1"
    static let addToWatchlistCount =
        "UPDATE person SET watchlist_count = watchlist_count + ?2 WHERE id = ?1"

    static let selectProfile = """
        SELECT \(Person.columns), watched_count, friend_count, rating_count, favorite_count,
            rating_sum
        FROM person WHERE id = ?
        """
    static let selectWatchMinutes = """
        SELECT coalesce(sum(film.runtime), 0)
        FROM watch CROSS JOIN film ON film.id = watch.film_id
        WHERE watch.person_id = ? AND watch.completed_at IS NOT NULL
        """
    /// Of genres with as many films, the first by name.
    static let selectMostWatchedGenre = """
        SELECT genre.name
        FROM watch CROSS JOIN film_genre ON film_genre.film_id = watch.film_id
            CROSS JOIN genre ON genre.id = film_genre.genre_id
        WHERE watch.person_id = ? AND watch.completed_at IS NOT NULL
        GROUP BY genre.id ORDER BY count(*) DESC, genre.folded LIMIT 1
        """

    // MARK: Deletion, in pieces

    static let noteDeletedPerson = "INSERT INTO deleted_person (id) VALUES (?)"
    static let selectDeletedPerson = "SELECT min(id) FROM deleted_person"
    static let forgetDeletedPerson = "DELETE FROM deleted_person WHERE id = ?"
    static let selectRequestsOfPerson = """
        SELECT id, friend_id FROM friend_request WHERE person_id = ?1
        UNION ALL SELECT id, NULL FROM friend_request WHERE friend_id = ?1
        LIMIT ?2
        """
    static let deleteBlocksByPerson = """
        DELETE FROM block WHERE (person_id, blocked_id) IN (
            SELECT person_id, blocked_id FROM block WHERE person_id = ? LIMIT ?)
        """
    static let deleteBlocksOfPerson = """
        DELETE FROM block WHERE (person_id, blocked_id) IN (
            SELECT person_id, blocked_id FROM block WHERE blocked_id = ? LIMIT ?)
        """
    static let selectLikesOfPerson =
        "SELECT rating_id, author_id FROM review_like WHERE person_id = ? LIMIT ?"
    static let selectRatedFilms = "SELECT film_id FROM rating WHERE person_id = ? LIMIT ?"
    static let selectWatchedFilms = "SELECT film_id FROM watch WHERE person_id = ? LIMIT ?"
    static let deleteWatch = "DELETE FROM watch WHERE person_id = ? AND film_id = ?"
    static let deleteWatchlist = """
        DELETE FROM watchlist WHERE (person_id, film_id) IN (
            SELECT person_id, film_id FROM watchlist WHERE person_id = ? LIMIT ?)
        """
    static let deleteActivitiesOfPerson = """
        DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE person_id = ? LIMIT ?)
        """
    static let deleteTally = "DELETE FROM activity_tally WHERE person_id = ?"
    static let deleteFanOutsOfPerson = "DELETE FROM activity_fanout WHERE person_id = ?"
}
