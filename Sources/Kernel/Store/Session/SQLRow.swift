import GRDB
import Timekeeping

/// A row that a statement returned; its columns are numbered from 0 in the order of the statement's
/// text.
package struct SQLRow {
    let row: Row

    init(_ row: Row) {
        self.row = row
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

    package func isNull(_ index: Int) -> Bool { row.hasNull(atIndex: index) }

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
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "column \(index) is \(column)"
            )
        }
        return value
    }

    package func optionalValue<Value>(_ index: Int, _ make: (Int) -> Value?) throws -> Value? {
        isNull(index) ? nil : try value(index, make)
    }
}
