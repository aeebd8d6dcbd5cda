import Foundation
import GRDB
import Postgres

/// A value as SQLite stores it.
package enum SQLStored: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            case .blob(let value): .blob([UInt8](value))
            }
    }

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
    /// The value of a column; nil for NULL. A column of another type is an error of the program.
    static func read(_ row: SQLRow, _ index: Int) -> Self?
    /// The value that was stored; nil for NULL and for another type.
    init?(_ stored: SQLStored)
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

extension PostgresResult {
    /// A column whose type follows from the statement's text.
    fileprivate func known<Value>(_ read: () throws(PostgresError) -> Value?) -> Value? {
        do {
            return try read()
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension Int: SQLValue {
    package var stored: SQLStored { .integer(Int64(self)) }
    package static func read(_ row: SQLRow, _ index: Int) -> Int? {
        switch row.source {
        case .sqlite(let row): row[index]
        case .postgres: Int64.read(row, index).map { Int($0) }
        }
    }
    package init?(_ stored: SQLStored) {
        guard case .integer(let value) = stored else { return nil }
        self = Int(value)
    }
}

extension Int64: SQLValue {
    package var stored: SQLStored { .integer(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> Int64? {
        switch row.source {
        case .sqlite(let row): row[index]
        case .postgres(let result, let row):
            result.known { () throws(PostgresError) in try result.integer(row, index) }
        }
    }
    package init?(_ stored: SQLStored) {
        guard case .integer(let value) = stored else { return nil }
        self = value
    }
}

extension Bool: SQLValue {
    package var stored: SQLStored { .integer(self ? 1 : 0) }
    package static func read(_ row: SQLRow, _ index: Int) -> Bool? {
        switch row.source {
        case .sqlite(let row): row[index]
        case .postgres: Int64.read(row, index).map { $0 != 0 }
        }
    }
    package init?(_ stored: SQLStored) {
        guard case .integer(let value) = stored else { return nil }
        self = value != 0
    }
}

extension Double: SQLValue {
    package var stored: SQLStored { .real(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> Double? {
        switch row.source {
        case .sqlite(let row): row[index]
        case .postgres(let result, let row):
            result.known { () throws(PostgresError) in try result.real(row, index) }
        }
    }
    package init?(_ stored: SQLStored) {
        guard case .real(let value) = stored else { return nil }
        self = value
    }
}

extension String: SQLValue {
    package var stored: SQLStored { .text(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> String? {
        switch row.source {
        case .sqlite(let row): row[index]
        case .postgres(let result, let row):
            result.known { () throws(PostgresError) in try result.text(row, index) }
        }
    }
    package init?(_ stored: SQLStored) {
        guard case .text(let value) = stored else { return nil }
        self = value
    }
}

extension [UInt8]: SQLValue {
    package var stored: SQLStored { .blob(self) }
    package static func read(_ row: SQLRow, _ index: Int) -> [UInt8]? {
        switch row.source {
        case .sqlite(let row): (row[index] as Data?).map { [UInt8]($0) }
        case .postgres(let result, let row):
            result.known { () throws(PostgresError) in try result.blob(row, index) }
        }
    }
    package init?(_ stored: SQLStored) {
        guard case .blob(let value) = stored else { return nil }
        self = value
    }
}
