import Activity

/// The statements on all stored data of a person, each page after a key and in its order.
extension ActivitySQL {
    static let exportPerson = """
        SELECT id, provider, provider_subject, name, avatar_url, email, bio, created_at,
            last_active_at, suggest_by_taste
        FROM person WHERE id = ?1 AND id > ?2 LIMIT ?3
        """
    static let exportRatings = """
        SELECT film_id, id, halves, is_review, comment, like_count, at FROM rating
        WHERE person_id = ?1 AND film_id > ?2 ORDER BY film_id LIMIT ?3
        """
    static let exportLikes = """
        SELECT rating_id, at FROM review_like INDEXED BY review_like_by_person
        WHERE person_id = ?1 AND rating_id > ?2 ORDER BY rating_id LIMIT ?3
        """
    static let exportWatched = """
        SELECT film_id, status, progress, completed_at, at FROM watch
        WHERE person_id = ?1 AND film_id > ?2 ORDER BY film_id LIMIT ?3
        """
    static let exportWatchlist = """
        SELECT film_id, at FROM watchlist
        WHERE person_id = ?1 AND film_id > ?2 ORDER BY film_id LIMIT ?3
        """
    static let exportNotInterested = """
        SELECT film_id, at FROM not_interested
        WHERE person_id = ?1 AND film_id > ?2 ORDER BY film_id LIMIT ?3
        """
    static let exportFriends = """
        SELECT friend_id, since FROM friendship
        WHERE person_id = ?1 AND friend_id > ?2 ORDER BY friend_id LIMIT ?3
        """
    static let exportRequestsSent = """
        SELECT id, friend_id, at FROM friend_request INDEXED BY friend_request_by_person
        WHERE person_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3
        """
    static let exportRequestsReceived = """
        SELECT id, person_id, at FROM friend_request INDEXED BY friend_request_by_friend
        WHERE friend_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3
        """
    static let exportBlocks = """
        SELECT blocked_id, at FROM block
        WHERE person_id = ?1 AND blocked_id > ?2 ORDER BY blocked_id LIMIT ?3
        """
    static let exportActivities = """
        SELECT id, type, film_id, stars, comment, at FROM activity INDEXED BY activity_by_person
        WHERE person_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3
        """
}
