import Foundation
import GRDB
import Timekeeping

extension HubStore {
    /// All radars in the order in which they were inserted. 50,000 take about 0.1 s.
    package func radarDirectory() async throws -> [RadarDirectoryRow] {
        try await reading { database in
            var directory: [RadarDirectoryRow] = []
            let rows = try Row.fetchCursor(database, sql: SQL.selectRadarDirectory)
            while let row = try rows.next() { directory.append(RadarDirectoryRow(row)) }
            return directory
        }
    }

    /// One radar; nil when there is none of this id.
    package func radar(_ id: String) async throws -> RadarRow? {
        try await reading { database in
            let select = try database.cachedStatement(sql: SQL.selectRadar)
            return try Row.fetchOne(select, arguments: [id]).map(RadarRow.init)
        }
    }

    /// A user's radars, newest first.
    package func radars(of userID: String, limit: Int, offset: Int = 0) async throws -> [RadarRow] {
        try await reading { database in
            let select = try database.cachedStatement(sql: SQL.selectRadarsOfUser)
            return try Row.fetchAll(select, arguments: [userID, limit, offset])
                .map(RadarRow.init)
        }
    }

    /// How many radars a user has.
    package func radarCount(of userID: String) async throws -> Int {
        try await reading { database in
            let count = try database.cachedStatement(sql: SQL.countRadarsOfUser)
            return try Int.fetchOne(count, arguments: [userID]) ?? 0
        }
    }

    /// The answer that is kept under a key, however old; nil for none.
    package func stanceCache(_ key: [UInt8]) async throws -> StanceCacheRow? {
        try await reading { database in
            let select = try database.cachedStatement(sql: SQL.selectStanceCache)
            return try Row.fetchOne(select, arguments: [Data(key)]).map { row in
                StanceCacheRow(
                    key: key,
                    answer: row.bytes(0),
                    time: Timestamp(milliseconds: row[1])
                )
            }
        }
    }

    /// What each source has cost on a day, in the order of their names.
    package func spending(day: Int) async throws -> [SpendingRow] {
        try await reading { try SpendingRow.fetchAll($0, day: day) }
    }
}

extension RadarRow {
    /// In the order that `init(_:)` reads them.
    static let columns = """
        id, user_id, topic, interpretation, position, is_public, refresh_count, segment, \
        last_polled_at, next_poll_at, created_at, updated_at, sources
        """

    fileprivate init(_ row: Row) {
        id = row[0]
        userID = row[1]
        topic = row[2]
        interpretation = row.bytes(3)
        position = row[4]
        isPublic = row[5]
        refreshCount = row[6]
        segment = row[7]
        lastPolledAt = row.timestamp(8)
        nextPollAt = Timestamp(milliseconds: row[9])
        createdAt = Timestamp(milliseconds: row[10])
        updatedAt = Timestamp(milliseconds: row[11])
        sources = row.bytes(12)
    }
}

extension RadarDirectoryRow {
    fileprivate init(_ row: Row) {
        id = row[0]
        userID = row[1]
        isPublic = row[2]
        nextPollAt = Timestamp(milliseconds: row[3])
        lastPolledAt = row.timestamp(4)
    }
}

extension SpendingRow {
    fileprivate static func fetchAll(_ database: Database, day: Int) throws -> [SpendingRow] {
        let select = try database.cachedStatement(sql: SQL.selectSpending)
        return try Row.fetchAll(select, arguments: [day]).map { row in
            SpendingRow(source: row[0], day: day, requests: row[1], tokens: row[2])
        }
    }
}

extension Row {
    fileprivate func timestamp(_ index: Int) -> Timestamp? {
        (self[index] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}
