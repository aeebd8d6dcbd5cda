/// The newest publications of several topics, read from PostgreSQL with one statement and not with one round
/// trip for each topic.
struct NewestPublications {
    /// The number of topics to read at once.
    static let topicsMax = 64
    /// The number of rows to read of a topic. One with more of them is read by itself.
    static let rowsMax = 64
    /// The number of bytes to read of a topic in addition to its newest publication.
    static let bytesMax = 64 << 10

    private var rows: [Int64: [SQLRow]] = [:]
    /// Topics whose rows are not all here.
    private var incomplete: Set<Int64> = []

    /// - Parameter topics: their ids, and the offsets behind which the rows are.
    init(of topics: [(id: Int64, evictedOffset: UInt64)], in session: PostgresSession) throws {
        let result = try session.selectNewest(of: topics, rows: Self.rowsMax, bytes: Self.bytesMax)
        for index in 0..<result.rowCount {
            let row = SQLRow(result, index)
            rows[try row[9], default: []].append(row)
        }
        for (id, rows) in rows {
            let found: Int = try rows[0][10]
            if rows.count < found || found == Self.rowsMax { incomplete.insert(id) }
        }
    }

    /// The newest rows of a topic, as `SQL.selectNewest` returns them; nil if some of the first
    /// `count` are not here.
    func rows(ofTopic id: Int64, count: Int) -> [SQLRow]? {
        let rows = rows[id] ?? []
        return incomplete.contains(id) && rows.count < count ? nil : rows
    }
}

extension SQLSession {
    /// Reads ahead for topics that are read next; nil where reading them one by one costs no further
    /// round trip.
    func newestPublications(of topics: [TopicRow]) throws -> NewestPublications? {
        guard case .postgres(let session) = engine, topics.count > 1 else { return nil }
        return try NewestPublications(
            of: topics.map { ($0.id, $0.evictedOffset) },
            in: session
        )
    }
}

extension PostgresSession {
    /// Columns 0 to 8 are those of `SQL.selectNewest`; then the topic's id, and the number of its
    /// rows before the limit of bytes.
    fileprivate func selectNewest(
        _ statement: String = selectNewestOfTopics,
        of topics: [(id: Int64, evictedOffset: UInt64)],
        rows: Int,
        bytes: Int
    ) throws(PostgresError) -> PostgresResult {
        var arguments = PostgresArguments()
        arguments.append(topics.map { Optional($0.id) })
        arguments.append(topics.map { Optional(Int64($0.evictedOffset)) })
        arguments.append(Int64(rows))
        arguments.append(Int64(bytes))
        return try runNative(statement, arguments)
    }

    /// The rows of one topic, as `SQL.selectNewest` returns them, up to the first that is over the limit of
    /// bytes.
    func newestRows(
        ofTopic id: Int64,
        evictedOffset: UInt64,
        rows: Int,
        bytes: Int
    ) throws(PostgresError) -> [SQLRow] {
        let topic = [(id: id, evictedOffset: evictedOffset)]
        let result = try selectNewest(Self.selectNewestOfOne, of: topic, rows: rows, bytes: bytes)
        return (0..<result.rowCount).map { SQLRow(result, $0) }
    }

    /// Those within the limit of bytes, and the newest one.
    private static let selectNewestOfTopics = newest(where: "number = 1 OR bytes <= $4")
    /// The same and one more, which marks the end of the history. The newest one may be over the limit.
    private static let selectNewestOfOne = newest(
        where: "number <= 2 OR bytes - octet_length(payload) <= $4"
    )

    private static func newest(where condition: String) -> String {
        """
        SELECT topic_offset, cursor, time, payload, tags, info, allows_delta, checksum,
            (SELECT unchecked_cursor FROM hub WHERE id = 1), topic_id, row_count
        FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS topic (id, evicted, place),
            LATERAL (
                SELECT *, count(*) OVER () AS row_count,
                    row_number() OVER (ORDER BY topic_offset DESC) AS number,
                    sum(octet_length(payload)) OVER (ORDER BY topic_offset DESC) AS bytes
                FROM (SELECT * FROM publication
                    WHERE topic_id = topic.id AND topic_offset > topic.evicted
                    ORDER BY topic_offset DESC LIMIT $3) AS newest
            ) AS found
        WHERE \(condition)
        ORDER BY place, topic_offset DESC
        """
    }
}
