import Postgres

/// A connection to PostgreSQL that takes statements in SQLite's dialect.
final class PostgresSession {
    let connection: PostgresConnection
    /// Statements as PostgreSQL has them, by their text in SQLite's dialect.
    private var rewritten: [String: String] = [:]
    /// How many rows the statements have changed or returned.
    private(set) var changedRows = 0

    init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    /// Publications that are inserted together, before the next statement or at the commit.
    private var appended: [PublicationRow] = []

    /// Inserts a publication in order with the statements around it. An error is thrown by the
    /// statement that follows.
    func append(_ row: PublicationRow) {
        appended.append(row)
    }

    /// Forgets what was not inserted: the transaction was given up.
    func dropAppended() {
        appended.removeAll(keepingCapacity: true)
    }

    private func flush() throws(PostgresError) {
        guard !appended.isEmpty else { return }
        let rows = appended
        dropAppended()
        var arguments = PostgresArguments()
        arguments.append(rows.map { Optional($0.cursor) })
        arguments.append(rows.map { Optional($0.topicID) })
        arguments.append(rows.map { Optional($0.offset) })
        arguments.append(rows.map { Optional($0.time) })
        arguments.append(rows.map { Optional($0.payload) })
        arguments.append(rows.map(\.tags))
        arguments.append(rows.map(\.info))
        arguments.append(rows.map { Optional($0.allowsDelta ? 1 : 0) } as [Int64?])
        arguments.append(rows.map { Optional($0.checksum) })
        changedRows += try connection.run(Self.insertPublications, arguments).changedRows
    }

    private static let insertPublications = """
        INSERT INTO publication
            (cursor, topic_id, topic_offset, time, payload, tags, info, allows_delta, checksum)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[],
            $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[])
        """

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(PostgresError) -> PostgresResult {
        try flush()
        let result = try connection.run(text(of: sql), PostgresArguments(arguments))
        changedRows += result.changedRows
        return result
    }

    private func text(of sql: String) -> String {
        if let known = rewritten[sql] { return known }
        let text = PostgresDialect.statement(sql)
        rewritten[sql] = text
        return text
    }
}

extension PostgresArguments {
    init(_ arguments: SQLArguments) {
        self.init()
        for value in arguments.values {
            switch value {
            case .null: appendNull()
            case .integer(let value): append(value)
            case .real(let value): append(value)
            case .text(let value): append(value)
            case .blob(let value): append(value)
            }
        }
    }
}
