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
        /// The file was removed, emptied or replaced under the running hub, or claimed a second time.
        case gone
        case ioFailed
        /// The commit failed in a way that may have left the change in the file: it is there, or it is not,
        /// after the end of the process. An idempotency key settles it: the retry is published once.
        case fateUnknown
        case corrupt
        /// A row that the schema refuses; the change is at fault.
        case constraint
        /// A row that the change needs is not there; the change is at fault.
        case notFound
        case changeTooBig
        case queueFull
        /// Of those that are kept in memory alone.
        case tooManyTopics
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
        if let failure = error as? CommitFailure { return StoreError(failure, path: path) }
        guard let error = error as? DatabaseError else { return error }
        let detail = error.message ?? error.extendedResultCode.description
        // A table that was dropped under the running hub: for SQLite the statement is at fault.
        let lacksTable = error.resultCode == .SQLITE_ERROR && detail.hasPrefix("no such table")
        let code = lacksTable ? .corrupt : Code(error.resultCode)
        return StoreError(code, "\(code.summary): \(detail)", sql: error.sql, path: path)
    }

    /// Whether the file failed, not the change.
    var isOfTheFile: Bool {
        switch code {
        case .cannotOpen, .notADatabase, .foreignDatabase, .newerSchema, .readOnly, .locked, .gone,
            .diskFull, .ioFailed, .fateUnknown, .corrupt, .other:
            true
        case .constraint, .notFound, .changeTooBig, .queueFull, .tooManyTopics, .closed: false
        }
    }
}

extension StoreError.Code {
    fileprivate init(_ code: ResultCode) {
        self =
            switch code {
            case .SQLITE_CANTOPEN: .cannotOpen
            case .SQLITE_NOTADB: .notADatabase
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .readOnly
            case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
            case .SQLITE_FULL: .diskFull
            case .SQLITE_IOERR: .ioFailed
            case .SQLITE_CORRUPT: .corrupt
            case .SQLITE_CONSTRAINT: .constraint
            case .SQLITE_TOOBIG: .changeTooBig
            default: .other
            }
    }

    /// What happened, without a value: also for those who may not see paths and statements.
    package var summary: String {
        switch self {
        case .cannotOpen: "cannot open the database"
        case .notADatabase: "not a database"
        case .foreignDatabase: "database of another application"
        case .newerSchema: "database of a later version"
        case .readOnly: "database may not be written"
        case .locked: "database is held by another process"
        case .gone: "database is gone or replaced"
        case .diskFull: "disk is full"
        case .ioFailed: "input or output failed"
        case .fateUnknown: "commit failed, the change may be stored"
        case .corrupt: "database is corrupt"
        case .constraint: "change breaks a rule of the schema"
        case .notFound: "the row to change is not there"
        case .changeTooBig: "value too big for the database"
        case .queueFull: "too many writes wait"
        case .tooManyTopics: "too many topics in memory"
        case .closed: "store is closed"
        case .other: "database failed"
        }
    }
}
