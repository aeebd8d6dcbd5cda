extension FoundHistory {
    init(_ row: TopicRow, _ topic: StoredTopic) {
        guard topic.topOffset > 0 else {
            self = .nothing(forgottenThrough: topic.evictedCursor)
            return
        }
        let history = StoredHistory(
            beginning: topic.beginning,
            topOffset: topic.topOffset,
            evictedOffset: topic.evictedOffset,
            evictedCursor: topic.evictedCursor,
            throughCursor: max(
                row.topCursor,
                topic.evictedCursor,
                topic.publications.last?.cursor ?? 0
            ),
            publications: topic.publications,
            isCut: topic.isCut
        )
        self = .history(history)
    }
}

/// Reads topics that are not in memory.
extension HubStore {
    /// The place that a snapshot must have for what follows the log; nil if this is the only writer.
    var neededPlace: NeededPlace? {
        engine.sharedLog.map { NeededPlace(place: $0.place, epoch: epoch, path: engine.path) }
    }

    /// Returns the newest publications of several topics, from one snapshot that begins after the call. It
    /// takes a few round trips to a server, and one more for each long history.
    ///
    /// - Throws: `StoreError`, also if the snapshot lacks commits that this node has applied.
    package func histories(
        _ reads: [HistoryRead],
        now: Timestamp
    ) async throws -> [FoundHistory] {
        let (found, topics) = try await reading { [neededPlace] session in
            let lookup = try session.lookUp(reads.map(\.topic), from: neededPlace)
            let rows = reads.compactMap { read in lookup.rows[read.topic].map { ($0, read.limit) } }
            let topics = try session.newest(rows, now: now)
            var next = topics.makeIterator()
            let found = reads.map { read in
                guard let row = lookup.rows[read.topic], let topic = next.next() else {
                    let cursor = lookup.forgotten[String(read.topic.namespace)] ?? 0
                    return FoundHistory.nothing(forgottenThrough: cursor)
                }
                return FoundHistory(row, topic)
            }
            return (found, topics)
        }
        for topic in topics { notices.reportDamage(of: topic) }
        return found
    }
}

/// A place in the log that a snapshot must have.
struct NeededPlace {
    var place: LogPlace
    var epoch: String
    var path: String
}

/// The rows of some topics.
struct TopicLookup {
    /// Without topics that have no row.
    var rows: [Topic: TopicRow] = [:]
    /// By namespace, at least of topics without a row: the greatest cursor of the removed topics.
    var forgotten: [String: UInt64] = [:]
}

extension SQLSession {
    /// - Throws: `StoreError` if the snapshot does not have `needed`.
    func require(_ needed: NeededPlace?) throws {
        guard case .postgres(let session) = engine, let needed else { return }
        try session.require(needed)
    }

    /// - Throws: `StoreError` if the snapshot does not have `needed`.
    func lookUp(_ topics: [Topic], from needed: NeededPlace?) throws -> TopicLookup {
        if case .postgres(let session) = engine { return try session.lookUp(topics, from: needed) }
        var lookup = TopicLookup()
        for topic in topics {
            if let row = try TopicRow.fetchOne(self, topic: topic) {
                lookup.rows[topic] = row
            } else {
                let namespace = String(topic.namespace)
                let cursor = try integer(SQL.selectForgottenCursor, [namespace]) ?? 0
                lookup.forgotten[namespace] = UInt64(cursor)
            }
        }
        return lookup
    }

    /// Returns the newest publications of topics, in their order: see `TopicRow.newest`.
    func newest(
        _ rows: [(TopicRow, HistoryLimit)],
        after cursor: UInt64 = 0,
        now: Timestamp
    ) throws -> [StoredTopic] {
        var topics: [StoredTopic] = []
        for start in stride(from: 0, to: rows.count, by: NewestPublications.topicsMax) {
            let page = rows[start...].prefix(NewestPublications.topicsMax)
            let ahead = try newestPublications(of: page.map(\.0))
            for (row, limit) in page {
                topics.append(
                    try row.newest(limit, after: cursor, now: now, in: self, ahead)
                )
            }
        }
        return topics
    }
}

extension PostgresSession {
    /// Takes one round trip.
    fileprivate func lookUp(_ topics: [Topic], from needed: NeededPlace?) throws -> TopicLookup {
        var names = PostgresArguments()
        names.append(topics.map { Optional($0.name) })
        var commands = [
            PostgresCommand(Self.selectTopics, names), PostgresCommand(SQL.selectForgotten),
        ]
        if let needed { commands.append(SharedLog.snapshotCommand(at: needed.place)) }
        let results = try connection.run(commands)
        if let needed { try check(results[2], needed) }
        var lookup = TopicLookup()
        for index in 0..<results[0].rowCount {
            let row = try TopicRow(SQLRow(results[0], index))
            lookup.rows[row.topic] = row
        }
        for index in 0..<results[1].rowCount {
            let row = SQLRow(results[1], index)
            lookup.forgotten[try row[0]] = UInt64(try row[1] as Int64)
        }
        return lookup
    }

    fileprivate func require(_ needed: NeededPlace) throws {
        try check(connection.run([SharedLog.snapshotCommand(at: needed.place)])[0], needed)
    }

    /// Ends the connection if the snapshot does not have the place: the next one may lead to another server.
    private func check(_ result: PostgresResult, _ needed: NeededPlace) throws {
        do {
            try SharedLog.check(result, needed)
        } catch {
            drop()
            throw error
        }
    }

    private static let selectTopics = "SELECT \(TopicRow.columns) FROM topic WHERE name = ANY($1)"
}
