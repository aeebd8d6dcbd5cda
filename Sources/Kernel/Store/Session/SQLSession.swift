import GRDB

/// One connection inside one transaction or snapshot, for the tables of domains.
///
/// Domains run their statements through it and use no type of the underlying library, so their
/// tables can move out of this module, and another engine can run the same statements. The log of
/// publications does not use it: it has its own prepared statements.
///
/// The connection prepares each statement once and finds it again by its text. So a text contains
/// no values; values are arguments, in the order of the question marks. A session must not be used
/// after the function that it was passed to.
package struct SQLSession {
    let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// Executes a statement that returns no rows.
    package func run(_ sql: String, _ arguments: SQLArguments = []) throws {
        try database.run(sql, StatementArguments(arguments))
    }

    /// Executes a statement and returns how many rows it changed.
    package func changes(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        try run(sql, arguments)
        return database.changesCount
    }

    /// The first row; nil when there is none.
    package func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLRow? {
        try Row.fetchOne(
            try database.cachedStatement(sql: sql),
            arguments: StatementArguments(arguments)
        ).map { SQLRow($0) }
    }

    /// Returns the results of `read` for each row, in order. A row is valid only during its call.
    package func rows<Value>(
        _ sql: String,
        _ arguments: SQLArguments = [],
        _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(
            try database.cachedStatement(sql: sql),
            arguments: StatementArguments(arguments)
        )
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try read(SQLRow(row))) }
        return values
    }

    /// The first column of the first row; nil when there is no row, or NULL in it.
    package func integer(_ sql: String, _ arguments: SQLArguments = []) throws -> Int? {
        try Int.fetchOne(
            try database.cachedStatement(sql: sql),
            arguments: StatementArguments(arguments)
        )
    }

    /// The first column of all rows.
    package func integers(_ sql: String, _ arguments: SQLArguments = []) throws -> [Int] {
        try rows(sql, arguments) { $0[0] }
    }

    /// The row id of the row that was inserted last.
    package var insertedID: Int { Int(database.lastInsertedRowID) }

    /// Whether an error comes from the engine or the store, and not from a domain.
    package static func isFailure(_ error: any Error) -> Bool {
        error is DatabaseError || error is StoreError
    }
}

extension StatementArguments {
    fileprivate init(_ arguments: SQLArguments) {
        self.init(arguments.values.lazy.map(\.databaseValue))
    }
}
