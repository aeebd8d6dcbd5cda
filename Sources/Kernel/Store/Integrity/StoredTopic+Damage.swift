import GRDB
import PubSub

/// While the newest publications are read, from the newest backward.
extension StoredTopic {
    /// Whether the publication can be the next older one: an index that is damaged returns rows in any
    /// order.
    func isBefore(_ publication: Publication) -> Bool {
        guard let oldest = publications.last else { return true }
        return publication.offset < oldest.offset && publication.cursor < oldest.cursor
    }

    /// Lets the history begin behind a row of `SQL.selectNewest` that is damaged. Rows that are older stay
    /// in the file, unread: a history with a hole could not tell its subscribers where they missed
    /// something.
    mutating func begin(behind row: Row) {
        let offset = UInt64(clamping: row[0] as Int64? ?? 0)
        let cursor = UInt64(clamping: row[1] as Int64? ?? 0)
        damagedOffset = offset
        if let oldest = publications.last {
            evictedOffset = max(evictedOffset, min(offset, oldest.offset - 1))
            // No lower: what the row says of its cursor may be the damage.
            evictedCursor = max(evictedCursor, oldest.cursor - 1)
        } else {
            topOffset = max(topOffset, offset)
            evictedOffset = max(evictedOffset, offset)
            evictedCursor = max(evictedCursor, cursor)
        }
    }
}
