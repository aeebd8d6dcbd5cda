import Foundation
import GRDB
import Postgres
import Timekeeping

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
    package subscript<Value: SQLValue>(index: Int) -> Value {
        guard let value = Value.read(self, index) else {
            preconditionFailure("column \(index) is NULL")
        }
        return value
    }

    /// A column; nil for NULL.
    package subscript<Value: SQLValue>(index: Int) -> Value? {
        Value.read(self, index)
    }

    package func isNull(_ index: Int) -> Bool {
        switch source {
        case .sqlite(let row): row.hasNull(atIndex: index)
        case .postgres(let result, let row): result.isNull(row, index)
        }
    }

    /// A point in time in a column of milliseconds.
    package func instant(_ index: Int) -> Timestamp { Timestamp(milliseconds: self[index]) }

    package func optionalInstant(_ index: Int) -> Timestamp? {
        (self[index] as Int64?).map { Timestamp(milliseconds: $0) }
    }

    /// Returns a value converted from a number in a column. A number without a value was not
    /// written by this hub.
    package func value<Value>(_ index: Int, _ make: (Int) -> Value?) throws -> Value {
        let column: Int = self[index]
        guard let value = make(column) else {
            throw DamagedValue("column \(index) is \(column)")
        }
        return value
    }

    package func optionalValue<Value>(_ index: Int, _ make: (Int) -> Value?) throws -> Value? {
        isNull(index) ? nil : try value(index, make)
    }

    /// A column of a row that damage may have reached: SQLite does not check types when it reads.
    ///
    /// - Throws: `DamagedValue` for NULL and for another type.
    func checked<Value: SQLValue>(_ index: Int) throws -> Value {
        let value: Value? =
            switch source {
            case .sqlite(let row): Value(SQLStored(row[index] as DatabaseValue))
            case .postgres: Value.read(self, index)
            }
        guard let value else {
            throw DamagedValue("column \(index) has a value of the wrong type")
        }
        return value
    }

    /// The same, nil for NULL.
    func ifPresent<Value: SQLValue>(_ index: Int) throws -> Value? {
        isNull(index) ? nil : try checked(index)
    }
}

/// The database has a value that no hub has written.
struct DamagedValue: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
