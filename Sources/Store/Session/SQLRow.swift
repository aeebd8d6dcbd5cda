import Foundation
import GRDB

/// A row that a statement returned. Its columns have the places of the statement's text, from 0 on.
package struct SQLRow {
    enum Source {
        case sqlite(Row)
        /// With the place of the row in the result.
        case postgres(PostgresResult, Int)
    }

    let source: Source

    init(_ row: Row) {
        source = .sqlite(row)
    }

    init(_ result: PostgresResult, _ row: Int) {
        source = .postgres(result, row)
    }

    /// A column that is NOT NULL in the schema.
    ///
    /// - Throws: `DamagedValue` for NULL and for another type. The schema does not exclude them:
    ///   SQLite does not check when it reads, and an administrator can alter a table in PostgreSQL.
    package subscript<Value: SQLValue>(index: Int) -> Value {
        get throws {
            guard let value: Value = try read(index) else {
                throw DamagedValue("column \(index) is NULL")
            }
            return value
        }
    }

    /// A column; nil for NULL.
    ///
    /// - Throws: `DamagedValue` for another type.
    package subscript<Value: SQLValue>(index: Int) -> Value? {
        get throws { try read(index) }
    }

    private func read<Value: SQLValue>(_ index: Int) throws -> Value? {
        switch source {
        case .sqlite(let row):
            let stored = SQLStored(row[index] as DatabaseValue)
            guard stored != .null else { return nil }
            guard let value = Value(stored) else {
                throw DamagedValue("column \(index) has a value of the wrong type")
            }
            return value
        case .postgres(let result, let row):
            do { return try Value.read(result, row, index) } catch {
                throw DamagedValue(error.message)
            }
        }
    }

    package func isNull(_ index: Int) -> Bool {
        switch source {
        case .sqlite(let row): row.hasNull(atIndex: index)
        case .postgres(let result, let row): result.isNull(row, index)
        }
    }

    /// A point in time in a column of milliseconds.
    package func instant(_ index: Int) throws -> Timestamp {
        Timestamp(milliseconds: try self[index])
    }

    package func optionalInstant(_ index: Int) throws -> Timestamp? {
        (try self[index] as Int64?).map { Timestamp(milliseconds: $0) }
    }

    /// The largest offset or cursor: those that follow also fit into a column.
    static let placeMax = Int64.max / 2

    /// An offset or a cursor; 0 for a negative number.
    ///
    /// - Throws: `DamagedValue` for a number that no hub reaches.
    func place(_ index: Int) throws -> UInt64 {
        let column: Int64 = try self[index]
        guard column <= SQLRow.placeMax else { throw DamagedValue("column \(index) is \(column)") }
        return UInt64(clamping: column)
    }

    /// A number of attempts or of failures.
    func count(_ index: Int) throws -> Int {
        try value(index) { $0 >= 0 ? $0 : nil }
    }

    /// Returns a value converted from a number in a column. A number without a value was not
    /// written by this hub.
    package func value<Value>(_ index: Int, _ make: (Int) -> Value?) throws -> Value {
        let column: Int = try self[index]
        guard let value = make(column) else {
            throw DamagedValue("column \(index) is \(column)")
        }
        return value
    }

    package func optionalValue<Value>(_ index: Int, _ make: (Int) -> Value?) throws -> Value? {
        isNull(index) ? nil : try value(index, make)
    }

}

/// The database has a value that no hub has written.
struct DamagedValue: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
