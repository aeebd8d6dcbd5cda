/// The reading of everything that a group of events needs of the store: one round trip to a server, and
/// another one for the rows of new topics. With SQLite, each event reads for itself.
extension Writer {
    /// Reads the topics of the events, their idempotency keys and their versions, except for those that
    /// the transaction has read before.
    func readAhead(
        _ events: some Sequence<TopicEvent>,
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws {
        guard conditions.isReadAhead, case .postgres(let postgres) = session.engine else { return }
        let wanted = wanted(events, isDurable)
        guard !wanted.isEmpty else { return }
        let found = try postgres.run([
            (Self.selectTopics, wanted.topicArguments),
            (Self.selectKeys, wanted.keyArguments),
            (Self.selectVersions, wanted.versionArguments),
        ])
        for row in found[0].sqlRows {
            counters.add(try TopicCounters.Row(row), of: Topic(trusted: try row[5]))
        }
        try insertTopics(wanted.topics.filter { !counters.isKnown($0) }, in: postgres)
        // Most of them are in no row.
        for (topic, key) in wanted.keys {
            guard let id = counters.id(of: topic) else { continue }
            conditions.add(nil, of: KeyID(key.text, ofTopic: id))
        }
        for topic in wanted.versions {
            guard let id = counters.id(of: topic) else { continue }
            conditions.add(nil, ofTopic: id)
        }
        for row in found[1].sqlRows {
            conditions.add(try KeyUse(row, 2), of: KeyID(try row[1], ofTopic: try row[0]))
        }
        for row in found[2].sqlRows {
            conditions.add(try EventVersion(row, 1), ofTopic: try row[0])
        }
    }

    private func insertTopics(_ topics: [Topic], in session: PostgresSession) throws {
        guard !topics.isEmpty else { return }
        var arguments = PostgresArguments()
        arguments.append(topics.map { Optional($0.name) })
        arguments.append(topics.map { Optional(counters.evictedCursor(ofNew: $0)) })
        for row in try session.runNative(Self.insertTopics, arguments).sqlRows {
            counters.add(TopicCounters.Row(id: try row[0]), of: Topic(trusted: try row[1]))
        }
    }

    private func wanted(
        _ events: some Sequence<TopicEvent>,
        _ isDurable: (Topic) -> Bool
    ) -> WantedConditions {
        var wanted = WantedConditions()
        for event in events where event.keepsHistory || event.isConditional {
            guard isDurable(event.topic) else { continue }
            let id = counters.id(of: event.topic)
            if id == nil { wanted.addTopic(event.topic) }
            if let key = event.idempotencyKey {
                let isKnown = id.map { conditions.use(of: KeyID(key, ofTopic: $0)) != nil }
                if isKnown != true { wanted.add(key, of: event.topic) }
            }
            if event.version != nil {
                let isKnown = id.map { conditions.version(ofTopic: $0) != nil }
                if isKnown != true { wanted.addVersion(of: event.topic) }
            }
        }
        return wanted
    }

    private static let selectTopics =
        "SELECT \(TopicCounters.Row.columns), name FROM topic WHERE name = ANY(?)"
    private static let selectKeys = """
        SELECT topic.id, idempotency.key, topic_offset, time
        FROM unnest(?::text[], ?::text[]) AS wanted (name, key)
        JOIN topic ON topic.name = wanted.name
        JOIN idempotency ON topic_id = topic.id AND idempotency.key = wanted.key
        """
    private static let selectVersions = """
        SELECT topic_id, number, epoch FROM version
        WHERE topic_id IN (SELECT id FROM topic WHERE name = ANY(?))
        """
    private static let insertTopics = """
        INSERT INTO topic (name, evicted_cursor) SELECT * FROM unnest($1::text[], $2::bigint[])
        RETURNING id, name
        """
}

/// The topics, keys and versions to be read.
private struct WantedConditions {
    private(set) var topics: [Topic] = []
    private(set) var keys: [(topic: Topic, key: ExactText)] = []
    private(set) var versions: Set<Topic> = []
    private var topicSet: Set<Topic> = []

    var isEmpty: Bool { topics.isEmpty && keys.isEmpty && versions.isEmpty }

    mutating func addTopic(_ topic: Topic) {
        if topicSet.insert(topic).inserted { topics.append(topic) }
    }

    mutating func add(_ key: String, of topic: Topic) { keys.append((topic, ExactText(key))) }

    mutating func addVersion(of topic: Topic) { versions.insert(topic) }

    var topicArguments: PostgresArguments { Self.arguments(topics.map(\.name)) }

    var keyArguments: PostgresArguments {
        Self.arguments(keys.map(\.topic.name), keys.map(\.key.text))
    }

    var versionArguments: PostgresArguments { Self.arguments(versions.map(\.name)) }

    private static func arguments(_ lists: [String]...) -> PostgresArguments {
        var arguments = PostgresArguments()
        for list in lists { arguments.append(list.map { Optional($0) }) }
        return arguments
    }
}

extension KeyUse {
    /// The columns `topic_offset` and `time` of table `idempotency`.
    init(_ row: SQLRow, _ column: Int) throws {
        offset = try row.place(column)
        time = Timestamp(milliseconds: try row[column + 1])
    }
}

extension EventVersion {
    /// The columns `number` and `epoch` of table `version`.
    init(_ row: SQLRow, _ column: Int) throws {
        self.init(number: UInt64(bitPattern: try row[column]), epoch: try row[column + 1])
    }
}

extension PostgresResult {
    fileprivate var sqlRows: some Sequence<SQLRow> { (0..<rowCount).lazy.map { SQLRow(self, $0) } }
}
