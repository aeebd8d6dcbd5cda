import GRDB

/// A commit that failed although its frames may stand in the write-ahead log as a whole.
///
/// SQLite writes the log, syncs it, and notes the new end of the log in shared memory. When one of the last
/// two fails it rolls back, but what it wrote stays where it is until the next commit overwrites it: a
/// process that is killed before that finds the transaction in its log and takes it for committed. So the
/// caller cannot be told that nothing was done.
struct CommitFailure: Error {
    let cause: DatabaseError

    /// Nil for an error after which the log cannot hold the commit: it was not begun, or its last frame was
    /// not written as a whole, which the frame's checksum tells.
    init?(_ error: any Error) {
        guard let error = error as? DatabaseError else { return nil }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_CONSTRAINT,
            .SQLITE_MISUSE, .SQLITE_INTERRUPT:
            return nil
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_WRITE: return nil
        default: cause = error
        }
    }
}

extension StoreError {
    init(_ failure: CommitFailure, path: String) {
        let detail = failure.cause.message ?? failure.cause.extendedResultCode.description
        self.init(
            .fateUnknown,
            "\(Code.fateUnknown.summary): \(detail)",
            sql: failure.cause.sql,
            path: path
        )
    }
}
