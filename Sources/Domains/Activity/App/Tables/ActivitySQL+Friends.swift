import Activity

/// The statements on friendships, requests and blocks.
extension ActivitySQL {
    static let selectBlock = "SELECT 1 FROM block WHERE person_id = ? AND blocked_id = ?"
    /// No row when one of the two has blocked the other.
    static let selectUnblocked = """
        SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM block WHERE person_id = ?1 AND blocked_id = ?2)
            AND NOT EXISTS (SELECT 1 FROM block WHERE person_id = ?2 AND blocked_id = ?1)
        """
    static let insertBlock = """
        INSERT INTO block (person_id, blocked_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
        """
    static let deleteBlock = "DELETE FROM block WHERE person_id = ? AND blocked_id = ?"

    static let selectBlocked = """
        SELECT person.id, person.name, NULL
        FROM block CROSS JOIN person ON person.id = block.blocked_id
        WHERE block.person_id = ? ORDER BY block.blocked_id LIMIT ? OFFSET ?
        """
    static let countBlocked = """
        SELECT count(*) FROM block CROSS JOIN person ON person.id = block.blocked_id
        WHERE block.person_id = ?
        """

    static let selectFriendship =
        "SELECT 1 FROM friendship WHERE person_id = ? AND friend_id = ?"
    static let insertFriendship =
        "INSERT INTO friendship (person_id, friend_id, since) VALUES (?, ?, ?)"
    static let deleteFriendship = "DELETE FROM friendship WHERE person_id = ? AND friend_id = ?"
    static let countRemoval =
        "UPDATE person SET removal_count = removal_count + 1 WHERE id = ?"
    static let selectRemovalCount = "SELECT removal_count FROM person WHERE id = ?"
    static let selectFriendCount = "SELECT friend_count FROM person WHERE id = ?"
    static let selectFriendships = """
        SELECT person_id, friend_id FROM friendship
        WHERE (person_id, friend_id) > (?1, ?2) AND friend_id > person_id
        ORDER BY person_id, friend_id LIMIT ?3
        """
    static let selectFriendIDs = """
        SELECT friend_id FROM friendship WHERE person_id = ? AND friend_id > ?
        ORDER BY friend_id LIMIT ?
        """
    static let selectFriends = """
        SELECT person.id, person.name, person.avatar_url, person.watched_count,
            person.last_active_at
        FROM friendship CROSS JOIN person ON person.id = friendship.friend_id
        WHERE friendship.person_id = ? ORDER BY friendship.friend_id LIMIT ? OFFSET ?
        """
    /// Goes through the first one's friends, who should be the fewer.
    static let countMutualFriends = """
        SELECT count(*) FROM friendship AS own
        CROSS JOIN friendship AS other
            ON other.person_id = ?2 AND other.friend_id = own.friend_id
        WHERE own.person_id = ?1
        """

    static let selectRequest = "SELECT id FROM friend_request WHERE person_id = ? AND friend_id = ?"
    static let selectRequestTo =
        "SELECT person_id FROM friend_request WHERE id = ? AND friend_id = ?"
    static let selectRequestFrom =
        "SELECT friend_id FROM friend_request WHERE id = ? AND person_id = ?"
    static let selectNewestRequestTo = "SELECT max(id) FROM friend_request WHERE friend_id = ?"
    /// At most `?3`.
    static let countRequestsSince = """
        SELECT count(*) FROM (
            SELECT 1 FROM friend_request CROSS JOIN person ON person.id = friend_request.person_id
            WHERE friend_request.friend_id = ?1 AND friend_request.id > ?2 LIMIT ?3
            ) AS request
        """
    static let insertRequest =
        "INSERT INTO friend_request (person_id, friend_id, at) VALUES (?, ?, ?) RETURNING id"
    static let deleteRequest = "DELETE FROM friend_request WHERE id = ?"
    static let deleteRequestBetween =
        "DELETE FROM friend_request WHERE person_id = ? AND friend_id = ?"
    static let countRequestsFrom = "SELECT count(*) FROM friend_request WHERE person_id = ?"
    static let countRequestsTo = "SELECT count(*) FROM friend_request WHERE friend_id = ?"
    static let selectRequestsFrom = """
        SELECT friend_request.id, friend_request.at, person.id, person.name, person.avatar_url
        FROM friend_request CROSS JOIN person ON person.id = friend_request.friend_id
        WHERE friend_request.person_id = ? ORDER BY friend_request.id DESC LIMIT ? OFFSET ?
        """
    static let selectRequestsTo = """
        SELECT friend_request.id, friend_request.at, person.id, person.name, person.avatar_url
        FROM friend_request CROSS JOIN person ON person.id = friend_request.person_id
        WHERE friend_request.friend_id = ? ORDER BY friend_request.id DESC LIMIT ? OFFSET ?
        """

    /// Friends of a person's friends, those of `?2` friends with at most `?3` friends each: people
    /// with more are weak evidence of acquaintance, and would make this slow.
    private static let friendsOfFriends = """
        SELECT other.friend_id AS id
        FROM (SELECT friend_id FROM friendship WHERE person_id = ?1 LIMIT ?2) AS own
        CROSS JOIN person AS friend ON friend.id = own.friend_id AND friend.friend_count <= ?3
        CROSS JOIN friendship AS other ON other.person_id = friend.id
        """
    /// Most mutual friends first. Excludes friends, people who have asked or were asked, and
    /// blocked people.
    static let selectSuggestions = """
        SELECT person.id, person.name, person.avatar_url, person.watched_count,
            person.last_active_at
        FROM (
            SELECT id, count(*) AS mutual FROM (\(friendsOfFriends)) AS known GROUP BY id
            ) AS candidate
        CROSS JOIN person ON person.id = candidate.id
        WHERE candidate.id <> ?1
            AND NOT EXISTS (SELECT 1 FROM friendship
                WHERE person_id = ?1 AND friend_id = candidate.id)
            AND NOT EXISTS (SELECT 1 FROM friend_request
                WHERE person_id = ?1 AND friend_id = candidate.id)
            AND NOT EXISTS (SELECT 1 FROM friend_request
                WHERE person_id = candidate.id AND friend_id = ?1)
            AND NOT EXISTS (SELECT 1 FROM block
                WHERE person_id = ?1 AND blocked_id = candidate.id)
            AND NOT EXISTS (SELECT 1 FROM block
                WHERE person_id = candidate.id AND blocked_id = ?1)
        ORDER BY candidate.mutual DESC, candidate.id LIMIT ?4
        """
    /// Friends of friends, no friends themselves, who have completed the film `?4`.
    static let countMutualFriendsWatched = """
        SELECT count(*) FROM (SELECT DISTINCT id FROM (\(friendsOfFriends)) AS known) AS candidate
        CROSS JOIN watch ON watch.person_id = candidate.id AND watch.film_id = ?4
        CROSS JOIN person ON person.id = candidate.id
        WHERE candidate.id <> ?1 AND watch.completed_at IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM friendship
                WHERE person_id = ?1 AND friend_id = candidate.id)
            AND NOT EXISTS (SELECT 1 FROM block
                WHERE person_id = ?1 AND blocked_id = candidate.id)
            AND NOT EXISTS (SELECT 1 FROM block
                WHERE person_id = candidate.id AND blocked_id = ?1)
        """
}
