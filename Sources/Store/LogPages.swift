import GRDB
import GRDBSQLite

/// The number of pages in the write-ahead log since it was last emptied, as SQLite reports it after
/// each commit.
///
/// `@unchecked Sendable`: it is used only on the writer's queue, by SQLite in a commit and by the
/// writer after it.
final class LogPages: @unchecked Sendable {
    /// The number of pages (4 MiB) from which the log is moved into the file: low enough to keep it
    /// short, high enough that many commits share the work.
    private static let checkpointMin: Int32 = 1000

    private var count: Int32 = 0

    /// Starts counting the pages of a connection, which then no longer moves its log by itself. It
    /// must not outlive this object.
    func follow(_ database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, count in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogPages>.fromOpaque(context).takeUnretainedValue().count = count
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Whether the log is long enough to be moved.
    var isLong: Bool { count >= LogPages.checkpointMin }

    /// Resets the count after an attempt; the next commit sets it again.
    func reset() { count = 0 }
}
