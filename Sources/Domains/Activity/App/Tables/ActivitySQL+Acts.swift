import Activity

/// The statements on activities, the feed and its fan-out.
extension ActivitySQL {
    static let insertActivity = """
        INSERT INTO activity (person_id, film_id, type, stars, at, comment)
        VALUES (?, ?, ?, ?, ?, ?)
        RETURNING id
        """
    static let selectEntry = """
        SELECT \(ActivityEntry.columns) FROM activity
        CROSS JOIN person ON person.id = activity.person_id
        CROSS JOIN film ON film.id = activity.film_id
        WHERE activity.id = ?
        """
    static let selectNewestActivity = "SELECT max(id) FROM activity"
    /// Of ratings and reviews, types 0 and 1.
    static let selectActivitiesOfRating = """
        SELECT id, type FROM activity
        WHERE person_id = ? AND film_id = ? AND type IN (0, 1) ORDER BY id LIMIT ?
        """
    static let deleteActivity = "DELETE FROM activity WHERE id = ?"
    static let countUpActivity = """
        INSERT INTO activity_tally (person_id, type, activity_count) VALUES (?, ?, 1)
        ON CONFLICT (person_id, type) DO UPDATE
            SET activity_count = activity_tally.activity_count + 1
        """
    static let countDownActivity = """
        UPDATE activity_tally SET activity_count = activity_count - 1
        WHERE person_id = ? AND type = ?
        """

    // MARK: The feed. Friends who have no row in `person` are deleted.

    private static let ofFriends = """
        FROM friendship CROSS JOIN person ON person.id = friendship.friend_id
        """

    /// The newest activity of each friend, for the `?2` friends with the newest ones; NULL for
    /// those who did nothing. A condition on `head` would have it looked up twice.
    static let selectNewestHeads = """
        SELECT friend_id, (SELECT id FROM activity WHERE activity.person_id = friend_id
            ORDER BY id DESC LIMIT 1) AS head
        \(ofFriends)
        WHERE friendship.person_id = ?1 ORDER BY head DESC NULLS LAST LIMIT ?2
        """
    static let selectNewestHeadsOfType = """
        SELECT friend_id, (SELECT id FROM activity
            WHERE activity.person_id = friend_id AND type = ?3
            ORDER BY id DESC LIMIT 1) AS head
        \(ofFriends)
        WHERE friendship.person_id = ?1 ORDER BY head DESC NULLS LAST LIMIT ?2
        """
    /// The first activity of each friend behind `?3`, for the `?2` friends with the oldest of them.
    static let selectOldestHeads = """
        SELECT friend_id, (SELECT id FROM activity
            WHERE activity.person_id = friend_id AND id > ?3 ORDER BY id LIMIT 1) AS head
        \(ofFriends)
        WHERE friendship.person_id = ?1 ORDER BY head NULLS LAST LIMIT ?2
        """
    static let selectOldestHeadsOfType = """
        SELECT friend_id, (SELECT id FROM activity
            WHERE activity.person_id = friend_id AND id > ?3 AND type = ?4
            ORDER BY id LIMIT 1) AS head
        \(ofFriends)
        WHERE friendship.person_id = ?1 ORDER BY head NULLS LAST LIMIT ?2
        """
    static let selectBefore =
        "SELECT id FROM activity WHERE person_id = ? AND id < ? ORDER BY id DESC LIMIT 1"
    static let selectBeforeOfType = """
        SELECT id FROM activity WHERE person_id = ? AND id < ? AND type = ?
        ORDER BY id DESC LIMIT 1
        """
    static let selectAfter =
        "SELECT id FROM activity WHERE person_id = ? AND id > ? ORDER BY id LIMIT 1"
    static let selectAfterOfType = """
        SELECT id FROM activity WHERE person_id = ? AND id > ? AND type = ? ORDER BY id LIMIT 1
        """

    /// Far down in the feed. Reads the numbers of all friends' activities, only from the index.
    static let selectDeepFeed = """
        SELECT activity.id \(ofFriends)
        CROSS JOIN activity ON activity.person_id = friendship.friend_id
        WHERE friendship.person_id = ?1 ORDER BY activity.id DESC LIMIT ?2 OFFSET ?3
        """
    static let selectDeepFeedOfType = """
        SELECT activity.id \(ofFriends)
        CROSS JOIN activity
            ON activity.person_id = friendship.friend_id AND activity.type = ?4
        WHERE friendship.person_id = ?1 ORDER BY activity.id DESC LIMIT ?2 OFFSET ?3
        """

    /// The activities of friends among those of all people, in their order:
    /// `ActivityTables+FeedWalk.swift`.
    private static let ofAll = """
        FROM activity
        CROSS JOIN friendship
            ON friendship.person_id = ?1 AND friendship.friend_id = activity.person_id
        CROSS JOIN person ON person.id = friendship.friend_id
        """
    static let selectNewestOfAll = """
        SELECT activity.id \(ofAll)
        WHERE activity.id > ?2 AND (activity.type = ?5 OR ?5 IS NULL)
        ORDER BY activity.id DESC LIMIT ?3 OFFSET ?4
        """
    static let selectOldestOfAll = """
        SELECT activity.id \(ofAll)
        WHERE activity.id > ?2 AND activity.id <= ?3 AND (activity.type = ?5 OR ?5 IS NULL)
        ORDER BY activity.id LIMIT ?4
        """
    static let countAllSince = """
        SELECT count(*) \(ofAll)
        WHERE activity.id > ?2 AND (activity.type = ?3 OR ?3 IS NULL)
        """

    private static let ofTallies = """
        FROM friendship
        CROSS JOIN activity_tally ON activity_tally.person_id = friendship.friend_id
        """
    static let countFeed = """
        SELECT coalesce(sum(activity_count), 0) \(ofTallies) WHERE friendship.person_id = ?
        """
    static let countFeedOfType = """
        SELECT coalesce(sum(activity_count), 0) \(ofTallies) AND activity_tally.type = ?2
        WHERE friendship.person_id = ?1
        """
    static let countFeedSince = """
        SELECT count(*) \(ofFriends)
        CROSS JOIN activity
            ON activity.person_id = friendship.friend_id AND activity.id > ?2
        WHERE friendship.person_id = ?1
        """
    static let countFeedOfTypeSince = """
        SELECT count(*) \(ofFriends)
        CROSS JOIN activity
            ON activity.person_id = friendship.friend_id AND activity.type = ?3
                AND activity.id > ?2
        WHERE friendship.person_id = ?1
        """

    // MARK: Fan-out in pages

    static let insertFanOut = """
        INSERT INTO activity_fanout
            (turn, activity_id, person_id, kind, next_friend_id, at, payload)
        VALUES ((SELECT coalesce(max(turn), 0) + 1 FROM activity_fanout), ?, ?, ?, 0, ?, ?)
        """
    /// The first one in turn of the oldest of each actor. Goes from actor to actor: one of them may
    /// have thousands waiting, all of which except the oldest are skipped.
    static let selectFanOut = """
        WITH RECURSIVE actor (id) AS (
            SELECT min(person_id) FROM activity_fanout
            UNION ALL
            SELECT (SELECT min(person_id) FROM activity_fanout WHERE person_id > actor.id)
            FROM actor WHERE actor.id IS NOT NULL)
        SELECT job.id, activity_id, person_id, kind, next_friend_id, at, payload
        FROM actor CROSS JOIN activity_fanout AS job
            ON job.id = (SELECT min(id) FROM activity_fanout WHERE person_id = actor.id)
        ORDER BY turn LIMIT 1
        """
    static let advanceFanOut = """
        UPDATE activity_fanout SET
            next_friend_id = ?2, turn = (SELECT max(turn) + 1 FROM activity_fanout)
        WHERE id = ?1
        """
    static let deleteFanOut = "DELETE FROM activity_fanout WHERE id = ?"
    static let deleteFanOutOfActivity =
        "DELETE FROM activity_fanout WHERE person_id = ? AND activity_id = ? AND kind = 0"
    static let selectFanOutOfPerson =
        "SELECT id FROM activity_fanout WHERE person_id = ? LIMIT 1"
    static let selectFanOutState = "SELECT count(*), min(at) FROM activity_fanout"
}
