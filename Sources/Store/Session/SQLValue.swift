import Foundation
import GRDB

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
    /// The value of a column in PostgreSQL; nil for NULL.
    static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> Self?
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

/// Counts, and numbers of days and people. Sums and differences of them do not overflow: a value beyond 2^53,
/// which no hub counts to, is damaged. A number of any size is an `Int64`.
extension Int: SQLValue {
    package var stored: SQLStored { .integer(Int64(self)) }
    private static let magnitudeMax: UInt64 = 1 << 53

    private init?(counted value: Int64) {
        guard value.magnitude <= Int.magnitudeMax else { return nil }
        self = Int(value)
    }

    package static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> Int? {
        guard let value = try Int64.read(result, row, column) else { return nil }
        guard let counted = Int(counted: value) else {
            throw PostgresError(.unexpected, "column \(column) is \(value)")
        }
        return counted
    }
    package init?(_ stored: SQLStored) {
        guard case .integer(let value) = stored else { return nil }
        self.init(counted: value)
    }
}

extension Int64: SQLValue {
    package var stored: SQLStored { .integer(self) }
    package static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> Int64? {
        try result.integer(row, column)
    }
    package init?(_ stored: SQLStored) {
        guard case .integer(let value) = stored else { return nil }
        self = value
    }
}

extension Bool: SQLValue {
    package var stored: SQLStored { .integer(self ? 1 : 0) }
    package static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> Bool? {
        try Int64.read(result, row, column).map { $0 != 0 }
    }
    package init?(_ stored: SQLStored) {
        guard case .integer(let value) = stored else { return nil }
        self = value != 0
    }
}

extension Double: SQLValue {
    package var stored: SQLStored { .real(self) }
    package static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> Double? {
        try result.real(row, column)
    }
    package init?(_ stored: SQLStored) {
        switch stored {
        case .real(let value): self = value
        // Such as a sum of no rows.
        case .integer(let value): self = Double(value)
        case .null, .text, .blob: return nil
        }
    }
}

extension String: SQLValue {
    package var stored: SQLStored { .text(self) }
    package static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> String? {
        try result.text(row, column)
    }
    package init?(_ stored: SQLStored) {
        guard case .text(let value) = stored else { return nil }
        self = value
    }
}

extension [UInt8]: SQLValue {
    package var stored: SQLStored { .blob(self) }
    package static func read(
        _ result: PostgresResult,
        _ row: Int,
        _ column: Int
    ) throws(PostgresError) -> [UInt8]? {
        try result.blob(row, column)
    }
    package init?(_ stored: SQLStored) {
        guard case .blob(let value) = stored else { return nil }
        self = value
    }
}
