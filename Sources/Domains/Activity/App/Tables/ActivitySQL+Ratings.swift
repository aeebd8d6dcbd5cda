import Activity

/// The statements on ratings, reviews, the watchlist and watching.
extension ActivitySQL {
    static let selectRating =
        "SELECT \(Rating.columns) FROM rating WHERE person_id = ? AND film_id = ?"
    static let insertRating = """
        INSERT INTO rating (person_id, film_id, halves, is_review, at, comment)
        VALUES (?, ?, ?, ?, ?, ?)
        RETURNING id
        """
    static let updateRating =
        "UPDATE rating SET halves = ?2, is_review = ?3, at = ?4, comment = ?5 WHERE id = ?1"
    static let deleteRating = "DELETE FROM rating WHERE id = ?"
    static let selectRatingsOfPerson =
        "SELECT \(Rating.columns) FROM rating WHERE person_id = ? ORDER BY film_id"
    static let selectRatingPage = """
        SELECT id, person_id, film_id, halves, at FROM rating WHERE id > ? ORDER BY id LIMIT ?
        """

    // MARK: Reviews

    /// Of one film, those that the user `?2` may see.
    private static let visibleReviews = """
        FROM rating INDEXED BY review_by_film
        CROSS JOIN person ON person.id = rating.person_id
        WHERE rating.film_id = ?1 AND rating.is_review = 1
            AND NOT EXISTS (SELECT 1 FROM block
                WHERE person_id = ?2 AND blocked_id = rating.person_id)
            AND NOT EXISTS (SELECT 1 FROM block
                WHERE person_id = rating.person_id AND blocked_id = ?2)
        """
    static let selectReviews = """
        SELECT rating.id, person.id, person.name, person.avatar_url, rating.halves,
            rating.comment, rating.at, rating.like_count,
            EXISTS (SELECT 1 FROM review_like
                WHERE rating_id = rating.id AND review_like.person_id = ?2)
        \(visibleReviews)
        ORDER BY rating.at DESC, rating.id DESC LIMIT ?3 OFFSET ?4
        """
    static let countReviews = "SELECT count(*) \(visibleReviews)"
    static let selectReviewAuthor =
        "SELECT person_id FROM rating WHERE id = ? AND film_id = ? AND is_review = 1"
    static let selectLikeCount = "SELECT like_count FROM rating WHERE id = ?"
    static let selectLike = "SELECT 1 FROM review_like WHERE rating_id = ? AND person_id = ?"
    /// `?4` is the author, of whose likes this is the next.
    static let insertLike = """
        INSERT INTO review_like (rating_id, person_id, at, author_id, number)
        VALUES (?1, ?2, ?3, ?4, (SELECT like_number FROM person WHERE id = ?4))
        """
    static let countUpLikes = "UPDATE person SET like_number = like_number + 1 WHERE id = ?"
    static let selectLikeNumber = "SELECT like_number FROM person WHERE id = ?"
    /// At most `?3`, without those of people who are blocked by the author `?1` or have blocked
    /// them.
    static let countLikesSince = """
        SELECT count(*) FROM (
            SELECT 1 FROM review_like INDEXED BY review_like_by_author
            CROSS JOIN person ON person.id = review_like.person_id
            WHERE review_like.author_id = ?1 AND review_like.number > ?2
                AND review_like.person_id <> ?1
                AND NOT EXISTS (SELECT 1 FROM block
                    WHERE person_id = ?1 AND blocked_id = review_like.person_id)
                AND NOT EXISTS (SELECT 1 FROM block
                    WHERE person_id = review_like.person_id AND blocked_id = ?1)
            LIMIT ?3) AS new_like
        """
    static let deleteLike = "DELETE FROM review_like WHERE rating_id = ? AND person_id = ?"
    static let addLike = "UPDATE rating SET like_count = like_count + ?2 WHERE id = ?1"
    static let deleteLikes = "DELETE FROM review_like WHERE rating_id = ?"
    static let clearLikes = "UPDATE rating SET like_count = 0 WHERE id = ?"

    // MARK: Interactions of friends with a film. Each begins with the shorter of two lists.

    static let selectFilmCounts = "SELECT rating_count, watcher_count FROM film WHERE id = ?"
    private static let friendRatingColumns =
        "person.id, person.name, person.avatar_url, rating.halves"
    static let selectRatingTotals =
        "SELECT rating_count, rating_sum FROM person WHERE id = ?"
    static let selectRatingsByFriend = """
        SELECT \(friendRatingColumns) FROM friendship
        CROSS JOIN rating
            ON rating.person_id = friendship.friend_id AND rating.film_id = ?2
        CROSS JOIN person ON person.id = friendship.friend_id
        WHERE friendship.person_id = ?1 ORDER BY rating.at DESC, rating.id DESC
        """
    static let selectFriendsByRating = """
        SELECT \(friendRatingColumns) FROM rating INDEXED BY rating_by_film
        CROSS JOIN friendship
            ON friendship.person_id = ?1 AND friendship.friend_id = rating.person_id
        CROSS JOIN person ON person.id = friendship.friend_id
        WHERE rating.film_id = ?2 ORDER BY rating.at DESC, rating.id DESC
        """
    static let countWatchesByFriend = """
        SELECT count(*) FROM friendship
        CROSS JOIN watch ON watch.person_id = friendship.friend_id AND watch.film_id = ?2
        CROSS JOIN person ON person.id = friendship.friend_id
        WHERE friendship.person_id = ?1 AND watch.completed_at IS NOT NULL
        """
    static let countFriendsByWatch = """
        SELECT count(*) FROM watch INDEXED BY watch_by_film
        CROSS JOIN friendship
            ON friendship.person_id = ?1 AND friendship.friend_id = watch.person_id
        CROSS JOIN person ON person.id = friendship.friend_id
        WHERE watch.film_id = ?2 AND watch.completed_at IS NOT NULL
        """

    // MARK: Watchlist and watching

    /// Films that a person has seen to the end.
    static let selectCompletedFilms =
        "SELECT film_id FROM watch WHERE person_id = ? AND completed_at IS NOT NULL"

    static let insertIntoWatchlist = """
        INSERT INTO watchlist (person_id, film_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
        """
    static let deleteFromWatchlist = "DELETE FROM watchlist WHERE person_id = ? AND film_id = ?"
    static let selectWatchlistCount = "SELECT watchlist_count FROM person WHERE id = ?"
    static let selectWatchlist = """
        SELECT \(FilmView.columns), entry.at
        FROM watchlist AS entry CROSS JOIN film ON film.id = entry.film_id
        \(FilmView.joins)
        WHERE entry.person_id = ?1 ORDER BY entry.at DESC, entry.film_id DESC LIMIT ?2 OFFSET ?3
        """
    static let selectWatch = """
        SELECT film_id, status, progress, at, completed_at FROM watch
        WHERE person_id = ? AND film_id = ?
        """
    static let putWatch = """
        INSERT INTO watch (person_id, film_id, status, progress, at, completed_at)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (person_id, film_id) DO UPDATE SET
            status = excluded.status, progress = excluded.progress, at = excluded.at,
            completed_at = excluded.completed_at
        """
}
