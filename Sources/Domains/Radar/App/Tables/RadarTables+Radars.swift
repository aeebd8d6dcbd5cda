import DomainKit

extension RadarTables {
    /// All radars in the order in which they were inserted. 50,000 take about 0.1 s.
    package func radarDirectory() throws -> [RadarDirectoryRow] {
        try session.rows(RadarSQL.selectRadarDirectory) { try RadarDirectoryRow($0) }
    }

    /// One radar; nil when there is none of this id.
    package func radar(_ id: String) throws -> RadarRow? {
        try session.row(RadarSQL.selectRadar, [id]).map { try RadarRow($0) }
    }

    /// A user's radars, newest first.
    package func radars(of userID: String, limit: Int, offset: Int = 0) throws -> [RadarRow] {
        try session.rows(RadarSQL.selectRadarsOfUser, [userID, limit, offset]) { try RadarRow($0) }
    }

    /// The ids and topics of some radars of a user, also of those that cannot be read.
    func radarTopics(of userID: String, limit: Int) throws -> [(id: String, topic: String)] {
        try session.rows(RadarSQL.selectRadarTopicsOfUser, [userID, limit]) { row in
            (id: try row[0], topic: try row[1])
        }
    }

    func hasRadar(_ id: String) throws -> Bool {
        try session.integer(RadarSQL.selectRadarExists, [id]) != nil
    }

    /// The newest radars of a user with a topic, at most `radarsOfTopicMax`.
    ///
    /// - Complexity: reads all radars of the user.
    package func radarIDs(of userID: String, topic: String) throws -> [String] {
        let arguments: SQLArguments = [userID, topic, RadarTables.radarsOfTopicMax]
        return try session.rows(RadarSQL.selectRadarsOfTopic, arguments) { try $0[0] }
    }

    static let radarsOfTopicMax = 20

    /// Returns the number of a user's radars.
    package func radarCount(of userID: String) throws -> Int {
        try session.integer(RadarSQL.countRadarsOfUser, [userID]) ?? 0
    }

    /// The answer that is kept under a key, however old; nil for none.
    package func stanceCache(_ key: [UInt8]) throws -> StanceCacheRow? {
        try session.row(RadarSQL.selectStanceCache, [key]).map { row in
            StanceCacheRow(key: key, answer: try row[0], time: try row.instant(1))
        }
    }

    /// Returns the cost of each source on a day, in the order of their names.
    package func spending(day: Int) throws -> [SpendingRow] {
        try session.rows(RadarSQL.selectSpending, [day]) { row in
            SpendingRow(source: try row[0], day: day, requests: try row[1], tokens: try row[2])
        }
    }

    /// Returns the amounts that users have taken of a source's day, by account.
    package func shares(of source: String, day: Int) throws -> [[UInt8]: UserShares.Taken] {
        let rows = try session.rows(RadarSQL.selectUserSpending, [day, source]) { row in
            (try row[0] as [UInt8], UserShares.Taken(requests: try row[1], tokens: try row[2]))
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

    fileprivate init(_ row: SQLRow) throws {
        id = try row[0]
        userID = try row[1]
        topic = try row[2]
        interpretation = try row[3]
        position = try row[4]
        isPublic = try row[5]
        refreshCount = try row[6]
        segment = try row[7]
        lastPolledAt = try row.optionalInstant(8)
        nextPollAt = try row.instant(9)
        createdAt = try row.instant(10)
        updatedAt = try row.instant(11)
        sources = try row[12]
        lastPoll = try row[13]
        standing = try row[14]
    }
}

extension RadarDirectoryRow {
    fileprivate init(_ row: SQLRow) throws {
        id = try row[0]
        userID = try row[1]
        isPublic = try row[2]
        nextPollAt = try row.instant(3)
        lastPolledAt = try row.optionalInstant(4)
    }
}
