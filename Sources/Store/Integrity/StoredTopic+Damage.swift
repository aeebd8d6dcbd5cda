/// For reading the newest publications, from the newest backward.
extension StoredTopic {
    /// Whether the publication can be the next older one: a damaged index returns rows in any
    /// order.
    func isBefore(_ publication: Publication) -> Bool {
        guard let oldest = publications.last else { return true }
        return publication.offset < oldest.offset && publication.cursor < oldest.cursor
    }

    /// Makes the history begin after a damaged row of `SQL.selectNewest`. Older rows stay in the
    /// file, unread: with a hole in the history, subscribers could not receive a notification of
    /// the gap.
    mutating func begin(behind row: SQLRow) {
        let offset = UInt64(clamping: (try? row[0] as Int64) ?? 0)
        let cursor = UInt64(clamping: (try? row[1] as Int64) ?? 0)
        damagedOffset = offset
        if let oldest = publications.last {
            evictedOffset = max(evictedOffset, min(offset, oldest.offset - 1))
            // Not lower: the row's cursor may be the damaged value.
            evictedCursor = max(evictedCursor, oldest.cursor - 1)
        } else {
            topOffset = max(topOffset, offset)
            evictedOffset = max(evictedOffset, offset)
            evictedCursor = max(evictedCursor, cursor)
        }
    }
}
