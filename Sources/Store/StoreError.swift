import GRDB

/// What the store could not do, and why. A system error: retry or shut down.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The directory is missing, the path is a directory, or the file may not be read.
        case cannotOpen
        case notADatabase
        /// An SQLite file of another application.
        case foreignDatabase
        /// Written by a later version of the hub.
        case newerSchema
        case readOnly
        /// Another process holds the file.
        case locked
        case diskFull
        case ioFailed
        case corrupt
        /// A row that the schema refuses; the change is at fault.
        case constraint
        case changeTooBig
        case queueFull
        case closed
        case other
    }

    package var code: Code
    /// What happened and the value seen.
    package var message: String
    /// The statement that failed, without its values.
    package var sql: String?
    package var path: String

    package init(_ code: Code, _ message: String, sql: String? = nil, path: String) {
        self.code = code
        self.message = message
        self.sql = sql
        self.path = path
    }

    package var description: String {
        let statement = sql.map { ", in: \($0)" } ?? ""
        return "\(path): \(message)\(statement)"
    }
}

extension StoreError {
    /// The same failure in the store's words. A `StoreError` and a cancellation pass unchanged.
    static func translating(_ error: any Error, path: String) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let (code, summary) = classification(of: error.resultCode)
        let detail = error.message ?? error.extendedResultCode.description
        return StoreError(code, "\(summary): \(detail)", sql: error.sql, path: path)
    }

    private static func classification(of code: ResultCode) -> (Code, String) {
        switch code {
        case .SQLITE_CANTOPEN: (.cannotOpen, "cannot open the database")
        case .SQLITE_NOTADB: (.notADatabase, "not a database")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            (.readOnly, "database may not be written")
        case .SQLITE_BUSY, .SQLITE_LOCKED: (.locked, "database is held by another process")
        case .SQLITE_FULL: (.diskFull, "disk is full")
        case .SQLITE_IOERR: (.ioFailed, "input or output failed")
        case .SQLITE_CORRUPT: (.corrupt, "database is corrupt")
        case .SQLITE_CONSTRAINT: (.constraint, "change breaks a rule of the schema")
        case .SQLITE_TOOBIG: (.changeTooBig, "value too big for the database")
        default: (.other, "database failed")
        }
    }
}
