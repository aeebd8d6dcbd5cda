import Activity

/// The statements on films that a person does not want, and on people of the same taste.
extension ActivitySQL {
    static let selectNotInterested =
        "SELECT 1 FROM not_interested WHERE person_id = ? AND film_id = ?"
    static let insertNotInterested =
        "INSERT INTO not_interested (person_id, film_id, at) VALUES (?, ?, ?)"
    static let deleteNotInterested =
        "DELETE FROM not_interested WHERE person_id = ? AND film_id = ?"
    static let countNotInterested = "SELECT count(*) FROM not_interested WHERE person_id = ?"
    static let selectNotInterestedFilms =
        "SELECT film_id FROM not_interested WHERE person_id = ? ORDER BY film_id"
    static let deleteNotInterestedOfPerson = """
        DELETE FROM not_interested WHERE (person_id, film_id) IN (
            SELECT person_id, film_id FROM not_interested WHERE person_id = ? LIMIT ?)
        """

    // MARK: Suggestions by taste

    static let selectSuggestsByTaste = "SELECT suggest_by_taste FROM person WHERE id = ?"
    static let updateSuggestsByTaste = "UPDATE person SET suggest_by_taste = ?2 WHERE id = ?1"
    /// Liked films, those with the fewest ratings first: rare films indicate a taste best.
    static let selectRarestLikedFilms = """
        SELECT film.id FROM rating CROSS JOIN film ON film.id = rating.film_id
        WHERE rating.person_id = ?1 AND rating.halves >= 8
        ORDER BY film.rating_count, film.id LIMIT ?2
        """
    /// Of the last `?2` people who have rated a film those who may be suggested and like it.
    static let selectLikersByTaste = """
        SELECT rater.id
        FROM (SELECT person_id AS id FROM rating INDEXED BY rating_by_film
            WHERE film_id = ?1 ORDER BY person_id DESC LIMIT ?2) AS rater
        CROSS JOIN person INDEXED BY person_suggested_by_taste
            ON person.id = rater.id AND person.suggest_by_taste = 1
        CROSS JOIN rating ON rating.person_id = rater.id AND rating.film_id = ?1
        WHERE rating.halves >= 8
        """
    /// A person who may be suggested to `?1`: not a friend, no request and no block between the two, and
    /// not so many ratings that comparing them takes long.
    static let selectSuggestionByTaste = """
        SELECT person.id, person.name, person.avatar_url, person.watched_count,
            person.last_active_at
        FROM person
        WHERE person.id = ?2 AND person.id <> ?1 AND person.suggest_by_taste = 1
            AND person.rating_count <= ?3
            AND NOT EXISTS (SELECT 1 FROM friendship
                WHERE person_id = ?1 AND friend_id = ?2)
            AND NOT EXISTS (SELECT 1 FROM friend_request
                WHERE person_id = ?1 AND friend_id = ?2)
            AND NOT EXISTS (SELECT 1 FROM friend_request
                WHERE person_id = ?2 AND friend_id = ?1)
            AND NOT EXISTS (SELECT 1 FROM block WHERE person_id = ?1 AND blocked_id = ?2)
            AND NOT EXISTS (SELECT 1 FROM block WHERE person_id = ?2 AND blocked_id = ?1)
        """
}
