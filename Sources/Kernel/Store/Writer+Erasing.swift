import Foundation
import GRDB
import PubSub

extension Writer {
    /// Deletes the rows that an erasure covers, including those that wait for a trim, and returns
    /// their number.
    ///
    /// The topic's row keeps the highest position that was erased: offsets and cursors continue
    /// above it, even if no row contains it any longer.
    func erase(_ erasure: Erasure, in database: Database) throws -> Int {
        guard let topic = try TopicRow.fetchOne(database, topic: erasure.topic) else { return 0 }
        let covered = try places(of: erasure, topicID: topic.id, in: database)
        guard let newest = covered.last else { return 0 }
        for place in covered { try database.run(SQL.deletePublication, [place.cursor]) }
        try database.run(
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
        in database: Database
    ) throws -> [(offset: Int64, cursor: Int64, time: Int64)] {
        let select = try database.cachedStatement(sql: SQL.selectTagged)
        let value = TextList([Array(erasure.value.utf8)]).bytes
        let rows = try Row.fetchCursor(select, arguments: [topicID, Data(value)])
        var covered: [(offset: Int64, cursor: Int64, time: Int64)] = []
        while let row = try rows.next() {
            let cursor: Int64 = row[1]
            guard let tags = TextList(bytes: row.bytes(2))?.tags else {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT,
                    message: "tags of publication \(cursor) are bad"
                )
            }
            if erasure.covers(tags) { covered.append((row[0], cursor, row[3])) }
        }
        return covered
    }
}
