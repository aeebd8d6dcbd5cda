import GRDB

/// A commit that failed although its frames may be complete in the write-ahead log.
///
/// SQLite writes the log, syncs it, and stores the new end of the log in shared memory. When one of
/// the last two steps fails it rolls back, but the written frames stay until the next commit
/// overwrites them: if the process is killed before that, the next start finds the transaction in
/// the log and treats it as committed. The caller therefore must not receive an error that means
/// that nothing was written.
struct CommitFailure: Error {
    let message: String
    let sql: String?

    /// Returns nil for an error after which the log cannot contain the commit: it was not begun, or
    /// its last frame is incomplete, which the frame's checksum detects.
    init?(_ error: any Error) {
        if let error = error as? PostgresError, error.code == .noConnection {
            message = error.message
            sql = error.statement
            return
        }
        guard let error = error as? DatabaseError else { return nil }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_CONSTRAINT,
            .SQLITE_MISUSE, .SQLITE_INTERRUPT:
            return nil
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_WRITE: return nil
        default:
            message = error.message ?? error.extendedResultCode.description
            sql = error.sql
        }
    }
}

extension StoreError {
    init(_ failure: CommitFailure, path: String) {
        self.init(
            .fateUnknown,
            "\(Code.fateUnknown.summary): \(failure.message)",
            sql: failure.sql,
            path: path
        )
    }
}
