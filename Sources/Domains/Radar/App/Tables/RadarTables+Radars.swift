import Providers
import Store
import Timekeeping

extension RadarTables {
    /// All radars in the order in which they were inserted. 50,000 take about 0.1 s.
    package func radarDirectory() throws -> [RadarDirectoryRow] {
        try session.rows(RadarSQL.selectRadarDirectory) { RadarDirectoryRow($0) }
    }

    /// One radar; nil when there is none of this id.
    package func radar(_ id: String) throws -> RadarRow? {
        try session.row(RadarSQL.selectRadar, [id]).map { RadarRow($0) }
    }

    /// A user's radars, newest first.
    package func radars(of userID: String, limit: Int, offset: Int = 0) throws -> [RadarRow] {
        try session.rows(RadarSQL.selectRadarsOfUser, [userID, limit, offset]) { RadarRow($0) }
    }

    /// The newest radars of a user with a topic, at most `radarsOfTopicMax`.
    ///
    /// - Complexity: reads all radars of the user.
    package func radarIDs(of userID: String, topic: String) throws -> [String] {
        let arguments: SQLArguments = [userID, topic, RadarTables.radarsOfTopicMax]
        return try session.rows(RadarSQL.selectRadarsOfTopic, arguments) { $0[0] }
    }

    static let radarsOfTopicMax = 20

    /// Returns the number of a user's radars.
    package func radarCount(of userID: String) throws -> Int {
        try session.integer(RadarSQL.countRadarsOfUser, [userID]) ?? 0
    }

    /// The answer that is kept under a key, however old; nil for none.
    package func stanceCache(_ key: [UInt8]) throws -> StanceCacheRow? {
        try session.row(RadarSQL.selectStanceCache, [key]).map { row in
            StanceCacheRow(key: key, answer: row[0], time: row.instant(1))
        }
    }

    /// Returns the cost of each source on a day, in the order of their names.
    package func spending(day: Int) throws -> [SpendingRow] {
        try session.rows(RadarSQL.selectSpending, [day]) { row in
            SpendingRow(source: row[0], day: day, requests: row[1], tokens: row[2])
        }
    }

    /// Returns the amounts that users have taken of a source's day, by account.
    package func shares(of source: String, day: Int) throws -> [[UInt8]: UserShares.Taken] {
        let rows = try session.rows(RadarSQL.selectUserSpending, [day, source]) { row in
            (row[0] as [UInt8], UserShares.Taken(requests: row[1], tokens: row[2]))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension RadarRow {
    /// In the order that `init(_:)` reads them.
    static let columns = """
        id, user_id, topic, interpretation, position, is_public, refresh_count, segment, \
        last_polled_at, next_poll_at, created_at, updated_at, sources, last_poll, standing
        """

    fileprivate init(_ row: SQLRow) {
        id = row[0]
        userID = row[1]
        topic = row[2]
        interpretation = row[3]
        position = row[4]
        isPublic = row[5]
        refreshCount = row[6]
        segment = row[7]
        lastPolledAt = row.optionalInstant(8)
        nextPollAt = row.instant(9)
        createdAt = row.instant(10)
        updatedAt = row.instant(11)
        sources = row[12]
        lastPoll = row[13]
        standing = row[14]
    }
}

extension RadarDirectoryRow {
    fileprivate init(_ row: SQLRow) {
        id = row[0]
        userID = row[1]
        isPublic = row[2]
        nextPollAt = row.instant(3)
        lastPolledAt = row.optionalInstant(4)
    }
}
