import Foundation
import GRDB

/// A value as SQLite stores it.
package enum SQLStored: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): Data(value).databaseValue
        }
    }
}

/// A type of values for statements and columns.
package protocol SQLValue {
    var stored: SQLStored { get }
    /// The value of a column; nil for NULL.
    static func read(_ row: SQLRow, _ index: Int) -> Self?
}

/// A statement's arguments, in the order of its question marks; nil is NULL.
package struct SQLArguments: ExpressibleByArrayLiteral, Sendable {
    let values: [SQLStored]

    package init(arrayLiteral values: (any SQLValue)?...) {
        self.values = values.map { $0?.stored ?? .null }
    }

    package init(_ values: some Sequence<some SQLValue>) {
        self.values = values.map(\.stored)
    }

    private init(stored values: [SQLStored]) {
        self.values = values
    }

    package static func + (left: SQLArguments, right: SQLArguments) -> SQLArguments {
        SQLArguments(stored: left.values + right.values)
    }
}

extension Int: SQLValue {
    package var stored: SQLStored { .integer(Int64(self)) }
    package static func read(_ row: SQLRow, _ index: Int) -> Int? { row.row[index] }
}

extension Int64: SQLValue {
    package var stored: SQLStored { .integer(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> Int64? { row.row[index] }
}

extension Bool: SQLValue {
    package var stored: SQLStored { .integer(self ? 1 : 0) }
    package static func read(_ row: SQLRow, _ index: Int) -> Bool? { row.row[index] }
}

extension Double: SQLValue {
    package var stored: SQLStored { .real(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> Double? { row.row[index] }
}

extension String: SQLValue {
    package var stored: SQLStored { .text(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> String? { row.row[index] }
}

extension [UInt8]: SQLValue {
    package var stored: SQLStored { .blob(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> [UInt8]? {
        (row.row[index] as Data?).map { [UInt8]($0) }
    }
}
