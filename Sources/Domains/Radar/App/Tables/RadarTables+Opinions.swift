import DomainKit
import Radar

/// Reads of opinions. A radar that is not there has none. "Newest first" is by the time of creation, then by
/// the id, backward.
extension RadarTables {
    /// A radar's opinions, newest first.
    package func opinions(
        of radarID: String,
        limit: Int,
        offset: Int = 0
    ) throws -> [OpinionRow] {
        try OpinionRow.fetchAll(session, of: radarID, limit: limit, offset: offset)
    }

    /// The opinions behind a cursor, newest first.
    package func opinions(
        of radarID: String,
        after cursor: OpinionCursor,
        limit: Int
    ) throws -> [OpinionRow] {
        let arguments: SQLArguments = [radarID, cursor.createdAt.milliseconds, cursor.id, limit]
        return try session.rows(RadarSQL.selectOpinionsAfter, arguments) { row in
            try OpinionRow(row, radarID: radarID)
        }
    }

    /// The newest opinions of each of several radars, by the radar's id; a radar without any is left out.
    package func opinions(
        of radarIDs: [String],
        each limit: Int
    ) throws -> [String: [OpinionRow]] {
        var opinions: [String: [OpinionRow]] = [:]
        for id in radarIDs {
            let rows = try OpinionRow.fetchAll(session, of: id, limit: limit, offset: 0)
            if !rows.isEmpty { opinions[id] = rows }
        }
        return opinions
    }

    /// Returns the inputs of a radar's position: opinions that are not older than `time`, newest
    /// first.
    ///
    /// - Parameters:
    ///   - limit: of opinions of sources.
    ///   - pushedLimit: of opinions that were pushed. Each API key has an equal part of it, whether it
    ///     uses it or not.
    package func positionOpinions(
        of radarID: String,
        since time: Timestamp,
        limit: Int,
        pushedLimit: Int
    ) throws -> [OpinionRow] {
        let read: (SQLRow) throws -> OpinionRow = { try OpinionRow($0, radarID: radarID) }
        var rows = try session.rows(
            RadarSQL.selectSourceOpinions,
            [radarID, time.milliseconds, max(0, limit)],
            read
        )
        let keys = try pushers(of: radarID)
        for key in keys {
            rows += try session.rows(
                RadarSQL.selectPushedOpinions,
                [radarID, key, time.milliseconds, max(0, pushedLimit) / keys.count],
                read
            )
        }
        return keys.isEmpty
            ? rows : rows.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }

    /// The API keys that have pushed opinions to a radar, the newest first; 0 for those of former
    /// versions.
    private func pushers(of radarID: String) throws -> [Int] {
        var keys: [Int] = []
        var last = Int.max
        while keys.count < RadarLimits.positionKeysMax,
            let key = try session.integer(RadarSQL.selectPusherBelow, [radarID, last])
        {
            keys.append(key)
            last = key
        }
        return keys
    }

    /// Returns the ids that are taken, including those of deleted radars' opinions until the next
    /// trim.
    package func existingOpinions(_ ids: [String]) throws -> Set<String> {
        var taken: Set<String> = []
        for id in ids {
            if try session.row(RadarSQL.selectOpinionID, [id]) != nil { taken.insert(id) }
        }
        return taken
    }

    /// A radar's opinions since `time`, added up by day, segment and stance, in this order.
    ///
    /// - Complexity: O(n log n) of the opinions since then; reads one index and no opinion.
    package func opinionDays(
        of radarID: String,
        from time: Timestamp
    ) throws -> [OpinionDayRow] {
        try session.rows(RadarSQL.selectOpinionDays, [radarID, time.milliseconds]) { row in
            OpinionDayRow(
                day: try row[0],
                segment: try row[1],
                stance: try row[2],
                count: try row[3],
                confidenceSum: try row[4]
            )
        }
    }
}

extension OpinionRow {
    /// In the order that `init(_:radarID:)` reads them.
    static let columns = """
        id, author, model, content, stance, confidence, reasoning, created_at, source, provider, \
        prompt_version, segment, pushed_by
        """
    static let columnCount = 13

    fileprivate static func fetchAll(
        _ session: SQLSession,
        of radarID: String,
        limit: Int,
        offset: Int
    ) throws -> [OpinionRow] {
        try session.rows(RadarSQL.selectOpinions, [radarID, limit, offset]) { row in
            try OpinionRow(row, radarID: radarID)
        }
    }

    init(_ row: SQLRow, radarID: String) throws {
        id = try row[0]
        self.radarID = radarID
        author = try row[1]
        model = try row[2]
        content = try row[3]
        stance = try row[4]
        confidence = try row[5]
        reasoning = try row[6]
        createdAt = try row.instant(7)
        source = try row[8]
        provider = try row[9]
        promptVersion = try row[10]
        segment = try row[11]
        pushedBy = try row[12]
    }
}
