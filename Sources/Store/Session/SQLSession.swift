import GRDB

/// One connection inside one transaction or snapshot, as the tables of domains see it.
///
/// The store and the domains run their statements through it, so that each of them works on both
/// engines, SQLite and PostgreSQL. Texts are written in SQLite's dialect; `PostgresDialect`
/// rewrites what differs. Only the insertion of publications goes around it.
///
/// The connection prepares each statement once and finds it again by its text. So a text contains
/// no values; values are arguments, in the order of the question marks. A session must not be used
/// after the function that it was passed to.
package struct SQLSession {
    enum Engine {
        case sqlite(Database)
        case postgres(PostgresSession)
    }

    let engine: Engine
    /// Where damaged rows are reported. Nil inside the writer's transactions, which must not derive
    /// data from a part of the rows, and for commands.
    var notices: StoreNotices?

    init(_ database: Database) {
        engine = .sqlite(database)
    }

    init(_ session: PostgresSession) {
        engine = .postgres(session)
    }

    /// Executes a statement that returns no rows. On a server it may wait for the next statement
    /// of the transaction, which then throws its error.
    package func run(_ sql: String, _ arguments: SQLArguments = []) throws {
        switch engine {
        case .sqlite(let database): try database.run(sql, arguments)
        case .postgres(let session): try session.perform(sql, arguments)
        }
    }

    /// Executes a statement and returns how many rows it changed.
    package func changes(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        switch engine {
        case .sqlite(let database):
            try database.run(sql, arguments)
            return database.changesCount
        case .postgres(let session): return try session.run(sql, arguments).changedRows
        }
    }

    /// Inserts a row and returns its id: the statement ends with `RETURNING id`.
    package func insert(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        guard let id = try integer(sql, arguments) else {
            preconditionFailure("no row was inserted by: \(sql)")
        }
        return id
    }

    /// The first row; nil if there is none.
    package func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLRow? {
        switch engine {
        case .sqlite(let database):
            return try Row.fetchOne(
                try database.cachedStatement(sql: sql),
                arguments: StatementArguments(arguments)
            ).map { SQLRow($0) }
        case .postgres(let session):
            let result = try session.run(sql, arguments)
            return result.rowCount == 0 ? nil : SQLRow(result, 0)
        }
    }

    /// Returns the results of `read` for each row, in order. A row is valid only during its call.
    ///
    /// In a snapshot, a row for which `read` throws `DamagedValue` is reported and left out: one
    /// damaged row must not make the others unusable, or prevent a start. A write fails.
    package func rows<Value>(
        _ sql: String,
        _ arguments: SQLArguments = [],
        _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(sql, arguments) { row in
            do {
                values.append(try read(row))
            } catch let error as DamagedValue {
                guard let notices else { throw error }
                notices.report(.damaged(.row(statement: sql, reason: error.message)))
            }
            return true
        }
        return values
    }

    /// Calls `body` with each row, in order, until it returns false. A row is valid only during its
    /// call.
    func forEach(
        _ sql: String,
        _ arguments: SQLArguments = [],
        _ body: (SQLRow) throws -> Bool
    ) throws {
        switch engine {
        case .sqlite(let database):
            let cursor = try Row.fetchCursor(
                try database.cachedStatement(sql: sql),
                arguments: StatementArguments(arguments)
            )
            while let row = try cursor.next(), try body(SQLRow(row)) {}
        case .postgres(let session):
            let result = try session.run(sql, arguments)
            var index = 0
            while index < result.rowCount, try body(SQLRow(result, index)) { index += 1 }
        }
    }

    /// The first column of the first row; nil if there is no row, or NULL in it.
    package func integer(_ sql: String, _ arguments: SQLArguments = []) throws -> Int? {
        switch engine {
        case .sqlite(let database):
            let value = try DatabaseValue.fetchOne(
                try database.cachedStatement(sql: sql),
                arguments: StatementArguments(arguments)
            )
            guard let value, !value.isNull else { return nil }
            guard let integer = Int(SQLStored(value)) else {
                throw DamagedValue("the first column has a value of the wrong type")
            }
            return integer
        case .postgres: return try row(sql, arguments)?[0]
        }
    }

    /// The same of a column of texts.
    func text(_ sql: String, _ arguments: SQLArguments = []) throws -> String? {
        try row(sql, arguments)?[0]
    }

    /// The first column of all rows.
    package func integers(_ sql: String, _ arguments: SQLArguments = []) throws -> [Int] {
        try rows(sql, arguments) { try $0[0] }
    }

    /// Whether an error comes from the engine or the store, and not from a domain.
    package static func isFailure(_ error: any Error) -> Bool {
        error is DatabaseError || error is PostgresError || error is DamagedValue
            || error is StoreError
    }
}

extension StatementArguments {
    init(_ arguments: SQLArguments) {
        self.init(arguments.values.lazy.map(\.databaseValue))
    }
}

extension Database {
    /// Without arguments there is nothing to convert.
    fileprivate func run(_ sql: String, _ arguments: SQLArguments) throws {
        guard !arguments.values.isEmpty else { return try run(sql) }
        try run(sql, StatementArguments(arguments))
    }

    /// Executes a statement that is prepared once and kept.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
