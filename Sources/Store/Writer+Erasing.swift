extension Writer {
    /// Deletes the rows that an erasure covers, including those that wait for a trim, and returns
    /// their number.
    ///
    /// The topic's row keeps the highest position that was erased: offsets and cursors continue
    /// above it, even if no row contains it any longer.
    func erase(_ erasure: Erasure, in session: SQLSession) throws -> Int {
        guard let topic = try TopicRow.fetchOne(session, topic: erasure.topic) else { return 0 }
        let covered = try places(of: erasure, topicID: topic.id, in: session)
        guard let newest = covered.last else { return 0 }
        for place in covered { try session.run(SQL.deletePublication, [place.cursor]) }
        try session.run(
            SQL.updateErased,
            [newest.offset, newest.cursor, newest.time, topic.id, newest.offset]
        )
        return covered.count
    }

    /// SQLite skips most of the other rows: if the value is nowhere in the column of tags, the row
    /// has no such tag.
    private func places(
        of erasure: Erasure,
        topicID: Int64,
        in session: SQLSession
    ) throws -> [(offset: Int64, cursor: Int64, time: Int64)] {
        let value = TextList([Array(erasure.value.utf8)]).bytes
        var covered: [(offset: Int64, cursor: Int64, time: Int64)] = []
        try session.forEach(SQL.selectTagged, [topicID, value]) { row in
            let cursor: Int64 = try row[1]
            guard let tags = TextList(bytes: try row[2])?.tags else {
                throw DamagedValue("tags of publication \(cursor) are bad")
            }
            if erasure.covers(tags) { covered.append((try row[0], cursor, try row[3])) }
            return true
        }
        return covered
    }
}
