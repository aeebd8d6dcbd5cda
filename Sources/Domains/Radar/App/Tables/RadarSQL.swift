/// The statements on radars and their opinions. Each is prepared once per connection. Callers know
/// a radar by its id, rows by its number.
enum RadarSQL {
    static let insertRadar = """
        INSERT INTO radar
            (id, user_id, topic, interpretation, position, is_public, refresh_count, segment,
            last_polled_at, next_poll_at, created_at, updated_at, sources, last_poll, standing)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    /// Without the columns of an index: if a poll changed them, the index's pages would also be
    /// written.
    static let updateRadar = """
        UPDATE radar SET
            topic = ?, interpretation = ?, position = ?, is_public = ?, refresh_count = ?,
            segment = ?, last_polled_at = ?, next_poll_at = ?, updated_at = ?, sources = ?,
            last_poll = ?, standing = ?
        WHERE id = ?
        """
    static let updateNextPoll = "UPDATE radar SET next_poll_at = ? WHERE id = ?"
    static let noteDeletedRadar =
        "INSERT INTO deleted_radar (number) SELECT number FROM radar WHERE id = ?"
    static let deleteRadar = "DELETE FROM radar WHERE id = ?"
    /// Inserts nothing when there is no such radar.
    static let insertOpinion = """
        INSERT INTO opinion
            (radar_number, id, author, model, content, stance, confidence, reasoning, created_at,
            source, provider, prompt_version, segment, pushed_by)
        SELECT number, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM radar WHERE id = ?
        """
    static let insertPusher =
        "INSERT INTO opinion_pusher (key_digest) VALUES (?) ON CONFLICT DO NOTHING"
    static let selectPusher = "SELECT number FROM opinion_pusher WHERE key_digest = ?"
    static let upsertStanceCache = """
        INSERT INTO stance_cache (key, answer, time) VALUES (?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, time = excluded.time
        """
    static let insertSpending = """
        INSERT INTO spending (day, source, requests, tokens) VALUES (?, ?, 0, 0)
        ON CONFLICT DO NOTHING
        """
    /// Not an upsert: an upsert checks the inserted row before it finds the existing one, and a
    /// difference may be negative.
    static let addSpending = """
        UPDATE spending SET requests = requests + ?, tokens = tokens + ? WHERE day = ? AND source = ?
        """
    static let insertUserSpending = """
        INSERT INTO user_spending (day, source, user, requests, tokens)
        VALUES (?, ?, ?, 0, 0)
        ON CONFLICT DO NOTHING
        """
    static let addUserSpending = """
        UPDATE user_spending SET requests = requests + ?, tokens = tokens + ?
        WHERE day = ? AND source = ? AND user = ?
        """

    static let selectRadar = "SELECT \(RadarRow.columns) FROM radar WHERE id = ?"
    static let selectRadarsOfUser = """
        SELECT \(RadarRow.columns) FROM radar
        WHERE user_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?
        """
    static let selectRadarTopicsOfUser = "SELECT id, topic FROM radar WHERE user_id = ? LIMIT ?"
    static let selectRadarExists = "SELECT 1 FROM radar WHERE id = ?"
    static let selectRadarsOfTopic =
        "SELECT id FROM radar WHERE user_id = ? AND topic = ? ORDER BY created_at DESC LIMIT ?"
    static let countRadarsOfUser = "SELECT count(*) FROM radar WHERE user_id = ?"
    static let selectOpinions = """
        SELECT \(OpinionRow.columns) FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?)
        ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?
        """
    /// With the number, which is the order of arrival.
    static let selectNumberedOpinions = """
        SELECT \(OpinionRow.columns), number FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?)
        ORDER BY created_at DESC, id DESC LIMIT ?
        """
    static let selectOpinionsAfter = """
        SELECT \(OpinionRow.columns) FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?) AND (created_at, id) < (?, ?)
        ORDER BY created_at DESC, id DESC LIMIT ?
        """
    static let selectArrival = """
        SELECT number, created_at FROM opinion
        WHERE id = ? AND radar_number = (SELECT number FROM radar WHERE id = ?)
        """
    /// Finds them in the index, which has the numbers, and sorts only numbers. The plus keeps
    /// SQLite from walking through the newest opinions of all radars instead.
    static let selectArrivedOpinions = """
        SELECT \(OpinionRow.columns) FROM opinion WHERE number IN (
            SELECT number FROM opinion
            WHERE radar_number = (SELECT number FROM radar WHERE id = ?) AND created_at >= ?
                AND +number > ?
            ORDER BY number LIMIT ?)
        ORDER BY number
        """
    static let selectSourceOpinions = """
        SELECT \(OpinionRow.columns) FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?) AND source IS NOT NULL
            AND created_at >= ?
        ORDER BY created_at DESC, id DESC LIMIT ?
        """
    static let selectPushedOpinions = """
        SELECT \(OpinionRow.columns) FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?) AND source IS NULL
            AND pushed_by = ? AND created_at >= ?
        ORDER BY created_at DESC, id DESC LIMIT ?
        """
    static let selectPusherBelow = """
        SELECT max(pushed_by) FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?) AND source IS NULL
            AND pushed_by < ?
        """
    static let selectOpinionID = "SELECT id FROM opinion WHERE id = ?"
    static let selectStanceCache = "SELECT answer, time FROM stance_cache WHERE key = ?"
    /// Without an index: only for accounts that are deleted.
    static let selectTopicIsUsed = "SELECT 1 FROM radar WHERE topic = ? LIMIT 1"
    static let deleteStanceCache = "DELETE FROM stance_cache WHERE key = ?"
    static let selectSpending =
        "SELECT source, requests, tokens FROM spending WHERE day = ? ORDER BY source"
    static let selectUserSpending =
        "SELECT user, requests, tokens FROM user_spending WHERE day = ? AND source = ?"

    static let selectDeletedRadar = "SELECT min(number) FROM deleted_radar"
    static let forgetDeletedRadar = "DELETE FROM deleted_radar WHERE number = ?"
    static let deleteOpinionsOfRadar = """
        DELETE FROM opinion WHERE number IN (
            SELECT number FROM opinion WHERE radar_number = ? LIMIT ?)
        """
    static let deleteOldOpinions = """
        DELETE FROM opinion WHERE number IN (
            SELECT number FROM opinion WHERE created_at < ? LIMIT ?)
        """
    static let deleteOldStanceCache = """
        DELETE FROM stance_cache WHERE rowid IN (
            SELECT rowid FROM stance_cache WHERE time < ? LIMIT ?)
        """
    static let deleteOldSpending = """
        DELETE FROM spending WHERE rowid IN (SELECT rowid FROM spending WHERE day < ? LIMIT ?)
        """
    static let deleteOldUserSpending = """
        DELETE FROM user_spending WHERE rowid IN (
            SELECT rowid FROM user_spending WHERE day < ? LIMIT ?)
        """

    /// Reads only the index, and sorts the rows by stance.
    static let selectOpinionDays = """
        SELECT created_at / 86400000, segment, stance, count(*), sum(confidence) FROM opinion
        WHERE radar_number = (SELECT number FROM radar WHERE id = ?) AND created_at >= ?
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        """

    // The following statements return all rows.

    static let selectRadarDirectory = """
        SELECT id, user_id, is_public, next_poll_at, last_polled_at FROM radar ORDER BY number
        """
}
