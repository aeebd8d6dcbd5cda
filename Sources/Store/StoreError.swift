import GRDB

/// The failed operation of the store, and the reason. A system error: retry or shut down.
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
        /// Another process has locked the file.
        case locked
        case diskFull
        /// The file was removed, emptied or replaced while the hub was running, or claimed by
        /// another process.
        case gone
        case ioFailed
        /// Another node of the cluster leads now.
        case notLeading
        /// The commit failed in a way that may have left the change in the database. For callers
        /// that await outcomes, the hub then ends, unless the database is a file: the process
        /// continues without the change, and only the next start may find it. An idempotency key
        /// makes a retry safe: it is published once.
        case fateUnknown
        case corrupt
        /// The schema refuses a row; the change is at fault.
        case constraint
        /// A row that the change needs does not exist; the change is at fault.
        case notFound
        case changeTooBig
        case queueFull
        /// Too many topics that are kept only in memory.
        case tooManyTopics
        case closed
        case other
    }

    package var code: Code
    /// The failure and the value seen.
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
    /// Returns the same failure as a `StoreError`. A `StoreError` and a cancellation are returned
    /// unchanged.
    static func translating(_ error: any Error, path: String) -> any Error {
        if let failure = error as? CommitFailure { return StoreError(failure, path: path) }
        if let error = error as? DamagedValue {
            return StoreError(.corrupt, "\(Code.corrupt.summary): \(error.message)", path: path)
        }
        if let error = error as? PostgresError { return StoreError(error, path: path) }
        guard let error = error as? DatabaseError else { return error }
        let detail = error.message ?? error.extendedResultCode.description
        // A table that was dropped while the hub was running: SQLite blames the statement.
        let lacksTable = error.resultCode == .SQLITE_ERROR && detail.hasPrefix("no such table")
        let code = lacksTable ? .corrupt : Code(error.resultCode)
        return StoreError(code, "\(code.summary): \(detail)", sql: error.sql, path: path)
    }

    private init(_ error: PostgresError, path: String) {
        let code = Code(error)
        self.init(code, "\(code.summary): \(error.message)", sql: error.statement, path: path)
    }

    /// Whether the file failed, not the change.
    var isOfTheFile: Bool {
        switch code {
        case .cannotOpen, .notADatabase, .foreignDatabase, .newerSchema, .readOnly, .locked, .gone,
            .diskFull, .ioFailed, .fateUnknown, .corrupt, .other:
            true
        case .constraint, .notFound, .changeTooBig, .queueFull, .tooManyTopics, .closed,
            .notLeading:
            false
        }
    }

    /// Whether the store may take the same change later: when the file, the server or the queue is
    /// usable again, or after a restart. Repeating a change that is at fault, or one that finds
    /// damaged data or too many topics, would only hold up the changes behind it.
    package var mayPass: Bool {
        switch code {
        case .cannotOpen, .notADatabase, .foreignDatabase, .newerSchema, .readOnly, .locked,
            .diskFull, .gone, .ioFailed, .notLeading, .fateUnknown, .queueFull, .closed, .other:
            true
        case .corrupt, .constraint, .notFound, .changeTooBig, .tooManyTopics: false
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

    fileprivate init(_ error: PostgresError) {
        guard let state = error.state else {
            self = error.code == .unexpected ? .corrupt : .cannotOpen
            return
        }
        self =
            switch state {
            case "42501", "25006": .readOnly
            case "53100": .diskFull
            case "54000", "22001": .changeTooBig
            case "42P01", "42703": .corrupt
            case _ where state.isOf(class: "22") || state.isOf(class: "23"): .constraint
            case _ where state.isOf(class: "08") || state.isOf(class: "57"): .cannotOpen
            case _ where state.isOf(class: "XX"): .corrupt
            case _ where state.isOf(class: "58"): .ioFailed
            default: .other
            }
    }

    /// The failure, without a value: also for users who may not see paths and statements.
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
        case .notLeading: "this node does not lead the cluster"
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
