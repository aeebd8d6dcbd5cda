/// The statements of a transaction that wait for the next one with a result, to be sent with it.
///
/// Events add rows to lists. Those between two other statements need one statement for each table,
/// whatever their number.
struct PostgresBacklog {
    /// A longer one is sent at once.
    static let countMax = 256
    static let bytesMax = 1 << 20

    private var commands: [PostgresCommand] = []
    private var bytes = 0
    private var events = EventRows()

    var isEmpty: Bool { commands.isEmpty && events.isEmpty }

    var isFull: Bool {
        commands.count >= Self.countMax || bytes + events.bytes >= Self.bytesMax
    }

    mutating func append(_ command: PostgresCommand) {
        seal()
        bytes += command.arguments.byteCount
        commands.append(command)
    }

    mutating func append(_ row: PublicationRow) { events.append(row) }

    mutating func append(_ row: IdempotencyRow) {
        if !events.append(row) {
            // A statement cannot write one row twice.
            seal()
            _ = events.append(row)
        }
    }

    mutating func setVersion(_ version: EventVersion, ofTopic id: Int64) {
        events.versions[id] = version
    }

    mutating func setBeginning(_ beginning: Int64, ofTopic id: Int64) {
        events.beginnings[id] = beginning
    }

    mutating func setPastTime(_ time: Int64, ofTopic id: Int64) {
        events.pastTimes[id] = max(events.pastTimes[id] ?? .min, time)
    }

    mutating func removeAll() { self = PostgresBacklog() }

    /// Returns all statements in order, and removes them.
    mutating func take() -> [PostgresCommand] {
        seal()
        defer { removeAll() }
        return commands
    }

    private mutating func seal() {
        guard !events.isEmpty else { return }
        commands += events.commands
        bytes += events.bytes
        events = EventRows()
    }
}

/// A row of table `idempotency`.
struct IdempotencyRow {
    var id: KeyID
    var offset: Int64
    var time: Int64
}

/// The rows of events with no other statement between them.
private struct EventRows {
    var publications: [PublicationRow] = []
    var keys: [IdempotencyRow] = []
    /// By the topic's id, as the others.
    var versions: [Int64: EventVersion] = [:]
    var beginnings: [Int64: Int64] = [:]
    var pastTimes: [Int64: Int64] = [:]
    private var keyIDs: Set<KeyID> = []
    private(set) var bytes = 0

    var isEmpty: Bool {
        publications.isEmpty && keys.isEmpty && versions.isEmpty && beginnings.isEmpty
            && pastTimes.isEmpty
    }

    mutating func append(_ row: PublicationRow) {
        bytes += row.payload.count
        publications.append(row)
    }

    /// - Returns: false if there is a row of that key already.
    mutating func append(_ row: IdempotencyRow) -> Bool {
        guard keyIDs.insert(row.id).inserted else { return false }
        keys.append(row)
        return true
    }

    var commands: [PostgresCommand] {
        var commands: [PostgresCommand] = []
        if !beginnings.isEmpty {
            commands.append(PostgresCommand(Self.setBeginnings, arguments(of: beginnings)))
        }
        if !publications.isEmpty {
            commands.append(PostgresCommand(Self.insertPublications, publicationArguments))
        }
        if !keys.isEmpty { commands.append(PostgresCommand(Self.insertKeys, keyArguments)) }
        if !versions.isEmpty {
            commands.append(PostgresCommand(Self.upsertVersions, versionArguments))
        }
        if !pastTimes.isEmpty {
            commands.append(PostgresCommand(Self.setPastTimes, arguments(of: pastTimes)))
        }
        return commands
    }

    private func arguments(of values: [Int64: Int64]) -> PostgresArguments {
        var arguments = PostgresArguments()
        arguments.append(values.map { Optional($0.key) })
        arguments.append(values.map { Optional($0.value) })
        return arguments
    }

    private var publicationArguments: PostgresArguments {
        var arguments = PostgresArguments()
        arguments.append(publications.map { Optional($0.cursor) })
        arguments.append(publications.map { Optional($0.topicID) })
        arguments.append(publications.map { Optional($0.offset) })
        arguments.append(publications.map { Optional($0.time) })
        arguments.append(publications.map { Optional($0.payload) })
        arguments.append(publications.map(\.tags))
        arguments.append(publications.map(\.info))
        arguments.append(publications.map { Optional($0.allowsDelta ? 1 : 0) } as [Int64?])
        arguments.append(publications.map { Optional($0.checksum) })
        return arguments
    }

    private var keyArguments: PostgresArguments {
        var arguments = PostgresArguments()
        arguments.append(keys.map { Optional($0.id.topicID) })
        arguments.append(keys.map { Optional($0.id.key.text) })
        arguments.append(keys.map { Optional($0.offset) })
        arguments.append(keys.map { Optional($0.time) })
        return arguments
    }

    private var versionArguments: PostgresArguments {
        var arguments = PostgresArguments()
        arguments.append(versions.map { Optional($0.key) })
        arguments.append(versions.map { Optional(Int64(bitPattern: $0.value.number)) })
        arguments.append(versions.map { Optional($0.value.epoch) })
        return arguments
    }

    private static let insertPublications = """
        INSERT INTO publication
            (cursor, topic_id, topic_offset, time, payload, tags, info, allows_delta, checksum)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[],
            $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[])
        """
    /// As `SQL.insertIdempotencyKey`.
    private static let insertKeys = """
        INSERT INTO idempotency (id, topic_id, key, topic_offset, time)
        SELECT (SELECT coalesce(max(id), 0) FROM idempotency) + place, topic_id, key, topic_offset, time
        FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
            WITH ORDINALITY AS new (topic_id, key, topic_offset, time, place)
        ON CONFLICT (topic_id, key) DO UPDATE
        SET id = excluded.id, topic_offset = excluded.topic_offset, time = excluded.time
        """
    private static let upsertVersions = """
        INSERT INTO version (topic_id, number, epoch)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
        ON CONFLICT (topic_id) DO UPDATE SET number = excluded.number, epoch = excluded.epoch
        """
    private static let setBeginnings = """
        UPDATE topic SET beginning = new.beginning
        FROM unnest($1::bigint[], $2::bigint[]) AS new (id, beginning) WHERE topic.id = new.id
        """
    private static let setPastTimes = """
        UPDATE topic SET past_time = greatest(coalesce(past_time, 0), new.time)
        FROM unnest($1::bigint[], $2::bigint[]) AS new (id, time) WHERE topic.id = new.id
        """
}
